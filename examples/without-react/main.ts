/** Runs page.ts without a browser, and uses it as a person would. */
import assert from 'node:assert/strict'
import { Window } from 'happy-dom'
import { agent, holdpoint, memoryStore, tool } from 'holdpoint'
import { z } from 'zod'
import { connect } from '@holdpoint/client'
import { serve } from '@holdpoint/gateway'
import { scriptedModel } from '@holdpoint/testing'
import { openPage } from './page.ts'

const refund = tool({
  name: 'refund',
  description: 'Give money back',
  approval: 'required',
  input: z.object({ euros: z.number() }),
  run: ({ input }) => `${input.euros} euros`,
})
const model = scriptedModel([{ calls: [{ name: 'refund', input: { euros: 50 } }] }, 'You have your money back.'])
const agents = [agent({ name: 'desk', model, tools: [refund] })]
const store = memoryStore()
const served = await serve({ runtime: await holdpoint({ store, agents }), store, agents })
const { key } = await served.gateway.keys.create('', { name: 'example', scopes: ['admin'], mayActFor: true })

const window = new Window()
Object.assign(globalThis, { document: window.document })
const { document } = window
document.body.innerHTML = '<main></main><aside></aside><form><input><button>Send</button></form>'
const main = document.querySelector('main')!
const aside = document.querySelector('aside')!
openPage(connect({ url: served.url, key }))

document.querySelector('input')!.value = 'I want my money back'
document.querySelector('form')!.dispatchEvent(new window.Event('submit'))
await until(() => aside.textContent.includes('Approve'))
console.log(aside.textContent)
aside.querySelector('button')!.click()
await until(() => main.textContent.includes('You have your money back.'))
await until(() => aside.textContent === '')
console.log([...main.children].map(({ textContent }) => textContent).join('\n'))
await served.close()
process.exit()

async function until(there: () => boolean): Promise<void> {
  const ends = Date.now() + 30_000
  while (!there()) {
    assert(Date.now() < ends, `This did not become true: ${there.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
