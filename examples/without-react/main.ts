/** Approvals on a page without any framework: the client, and the document. Run here on one without a browser. */
import assert from 'node:assert/strict'
import { agent, holdpoint, memoryStore, tool } from 'holdpoint'
import { Window } from 'happy-dom'
import { z } from 'zod'
import { connect, messagesOf, type ListOf, type PendingHold, type WatchedState } from '@holdpoint/client'
import { serve } from '@holdpoint/gateway'
import { scriptedModel } from '@holdpoint/testing'

const refund = tool({
  name: 'refund',
  description: 'Give money back',
  approval: 'required',
  input: z.object({ euros: z.number() }),
  run: ({ input }) => `${input.euros} euros`,
})
const model = scriptedModel([{ calls: [{ name: 'refund', input: { euros: 50 } }] }, 'You have your money back.'])
const agents = [agent({ name: 'desk', model, tools: [refund] })]
const store = memoryStore({ now: Date.now })
const runtime = await holdpoint({ store, agents })
const served = await serve({ runtime, store, agents })
const { key } = await served.gateway.keys.create('', { name: 'example', scopes: ['admin'] })
const { document } = new Window()
document.body.innerHTML = '<main></main><aside></aside>'
const main = document.querySelector('main')!
const aside = document.querySelector('aside')!

// #region messages
const client = connect({ url: served.url, key }) // a page gives `token: () => session.token()` instead of a key
const conversation = client.conversation('order-17')
const drawn = new WeakMap<object, HTMLElement>()

conversation.subscribe((view) => {
  const elements = messagesOf(view).map((message) => {
    const known = drawn.get(message) // what did not change is the same object, and need not be drawn again
    if (known) return known
    const element = document.createElement('p') as unknown as HTMLElement
    if ('parts' in message)
      element.textContent = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    drawn.set(message, element)
    return element
  })
  main.replaceChildren(...(elements as never[]))
})
// #endregion

// #region holds
const holds = client.watch(() => client.holds.list({ kind: 'approval' }))

holds.subscribe(() => drawHolds(holds.state))

function drawHolds({ value }: WatchedState<ListOf<PendingHold>>): void {
  aside.replaceChildren()
  for (const { conversationId, callId, nth, name, input } of value?.items ?? []) {
    const button = document.createElement('button')
    button.textContent = `Approve ${name} ${JSON.stringify(input)}` // as text, never as markup
    button.onclick = () => {
      void client.holds.approve(conversationId, callId, { hold: nth }).then(({ verdict, message }) => {
        if (verdict !== 'accepted') button.textContent = message // too late, and what happened instead
      })
    }
    aside.append(button)
  }
}
// #endregion

await conversation.send('I want my money back')
await until(() => aside.textContent.includes('Approve'))
console.log(aside.textContent)
aside.querySelector('button')!.click()
await until(() => main.textContent.includes('You have your money back.'))
await until(() => aside.textContent === '')
console.log([...main.children].map(({ textContent }) => textContent).join('\n'))
conversation.close()
await served.close()
process.exit()

async function until(there: () => boolean): Promise<void> {
  const ends = Date.now() + 10_000
  while (!there()) {
    assert(Date.now() < ends, `It did not come to ${there.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
