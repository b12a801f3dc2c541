import assert from 'node:assert/strict'
import { serve } from '@holdpoint/gateway'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, tool } from 'holdpoint'
import { z } from 'zod'
import { connect, holdsOf, messagesOf, worker } from '@holdpoint/client'

const input = z.object({})
const where = tool({
  name: 'browser.location',
  description: 'Where the user is',
  executor: 'client',
  timeout: '1 min',
  input,
})
const ship = tool({
  name: 'ship',
  description: 'Ship a parcel',
  executor: 'external',
  streaming: true,
  timeout: '1 h',
  input,
})
const refund = tool({
  name: 'refund',
  description: 'Give money back',
  approval: 'required',
  input,
  run: () => '50 euros',
})
const model = scriptedModel([
  { text: 'Let me see.', calls: [{ name: 'browser.location' }, { name: 'ship' }, { name: 'refund' }] },
  'A parcel is on its way to Bonn.',
])
const agents = [agent({ name: 'desk', model, tools: [where, ship, refund] })]
const store = memoryStore()
const runtime = await holdpoint({ store, agents })
const served = await serve({ runtime, store, agents })
const { url } = served
const { key } = await served.gateway.keys.create('', { name: 'example', scopes: ['admin'], mayActFor: true })

// #region connect
const client = connect({ url, key }) // a page passes `token: () => session.token()` instead of a key
const conversation = client.conversation('order-17')
const unsubscribe = conversation.subscribe((view) => draw(messagesOf(view)))
// #endregion

let drawn = 0
function draw(messages: ReturnType<typeof messagesOf>): void {
  drawn = Math.max(drawn, messages.length)
}

// #region tools
const remove = conversation.tools({
  'browser.location': {
    run: async (_input, { call, signal }) => {
      console.log('asked for', call.name, signal.aborted)
      return { city: 'Bonn' }
    },
  },
})
// #endregion

// #region worker
const working = worker(client, {
  tools: {
    ship: async (_input, { call, progress }) => {
      await progress({ percent: 50 }) // subscribers see it
      return { parcel: `for ${call.agent}` }
    },
  },
  concurrency: 4,
  wait: 1,
})
// #endregion

// #region send
const sent = await conversation.send('Where is my parcel?')
if (!sent.ok) console.log(sent.refusal, sent.message) // a refusal is a value, not an exception
// #endregion

await seen(() => holdsOf(conversation.view).some(({ name }) => name === 'refund'))
// #region holds
for (const hold of holdsOf(conversation.view).filter(({ kind }) => kind === 'approval')) {
  const { verdict } = await conversation.resolve(hold.callId, { kind: 'approve' }, { hold: hold.nth, by: 'grace' })
  const again = await client.holds.reject('order-17', hold.callId, 'Too late', { by: 'bob' })
  console.log(verdict, again.verdict, again.first?.by)
}
// #endregion

await seen(() => conversation.view.status === 'idle')
const last = messagesOf(conversation.view).at(-1)
for (const part of last?.role === 'assistant' ? last.parts : []) {
  if (part.type === 'text') console.log(part.text)
  if (part.type === 'call') console.log(part.call.name, JSON.stringify(part.call.outcome))
}
assert.deepEqual(conversation.view, await runtime.view('order-17')) // the same view as the server's
assert.equal(drawn, 2)

remove()
unsubscribe()
await working.stop()
await served.close()

function seen(check: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const leave = conversation.subscribe(() => (check() ? done() : undefined))
    const done = (): void => {
      leave()
      resolve()
    }
    if (check()) done()
  })
}
