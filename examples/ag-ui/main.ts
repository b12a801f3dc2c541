/** A front end that speaks AG-UI: its run stops at a call that needs approval, and the next run approves it. */
import assert from 'node:assert/strict'
import { HttpAgent, type AgentSubscriber, type Interrupt } from '@ag-ui/client'
import { serve } from '@holdpoint/gateway'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, tool } from 'holdpoint'
import { z } from 'zod'

const sendEmail = tool({
  name: 'sendEmail',
  description: 'Send an e-mail',
  approval: { required: true, reason: 'It leaves the company.' },
  input: z.object({ to: z.string() }),
  run: ({ input }) => `sent to ${input.to}`,
})
const model = scriptedModel([{ calls: [{ name: 'sendEmail', input: { to: 'bo' } }] }, 'The e-mail is out.'])
const agents = [agent({ name: 'assistant', model, tools: [sendEmail] })]
const store = memoryStore({ now: Date.now })
const runtime = await holdpoint({ store, agents })
const key = `hp_${'k'.repeat(43)}`
const { url, close } = await serve({
  runtime,
  store,
  agents,
  auth: { keys: [{ key, scopes: ['agent', 'resolver'] }] },
})

// #region run
const page = new HttpAgent({
  url: `${url}/api/ag-ui`,
  threadId: 'order-17', // the conversation
  headers: { authorization: `Bearer ${key}` },
})
let interrupts: readonly Interrupt[] = []
const subscriber: AgentSubscriber = {
  onRunFinishedEvent: (run) => {
    interrupts = run.outcome === 'interrupt' ? run.interrupts : []
  },
}
page.addMessage({ id: 'm1', role: 'user', content: 'Write to Bo' })
await page.runAgent({}, subscriber)
console.log(interrupts.map(({ reason, message }) => `${reason}: ${message}`))

const resume = interrupts.map(({ id }) => ({
  interruptId: id,
  status: 'resolved' as const,
  payload: { approved: true },
}))
await page.runAgent({ resume }, subscriber)
console.log(page.messages.map(({ role, content }) => [role, content]))
// #endregion

assert.equal(page.messages.at(-1)?.content, 'The e-mail is out.')
await close()
