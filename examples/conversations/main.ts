import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, messagesOf, tool } from 'holdpoint'
import { z } from 'zod'

const folder = mkdtempSync(join(tmpdir(), 'conversations-'))
const store = join(folder, 'desk.db')

// #region agent
const refund = tool({
  name: 'refund',
  description: 'Give money back',
  input: z.object({ order: z.string(), euros: z.number() }),
  approval: ({ input }) => ({ required: input.euros > 20, reason: `${input.euros} euros is more than 20` }),
  timeout: '10 s', // for the handler; people have `approvalTimeout`
  run: ({ input, scope }) => `${input.euros} euros for ${input.order}, asked for by ${String(scope['user'])}`,
})
const desk = () =>
  agent({
    name: 'desk',
    model: scriptedModel([
      { calls: [{ name: 'refund', input: { order: 'A-17', euros: 50 } }] },
      'You get your money back.',
    ]),
    tools: [refund],
    context: { window: { messages: 40 } }, // how much of a long conversation the prompt has
  })
// #endregion

// #region server
const server = await holdpoint({
  store,
  agents: [desk()],
  scope: ({ by }) => ({ user: by }), // called in each process that continues the turn
})
server.on('held', ({ name, reason }) => console.log(`to the chat: ${name} waits, ${reason}`))
const { status } = await server.send('order-17', 'I want my money back', { by: 'ada', key: 'mail-4711' })
console.log(status)
const again = await server.send('order-17', 'I want my money back', { by: 'ada', key: 'mail-4711' }) // delivered twice
console.log(again.status, again.steps.length)
// #endregion

// #region script
const script = await holdpoint({ store, agents: [desk()], drive: false }) // only sends and answers; the server does the work
const { items } = await script.pending({ tool: 'refund' })
for (const { conversationId, callId, input, reason } of items) {
  console.log(conversationId, JSON.stringify(input), reason)
  console.log((await script.approve(conversationId, callId, { by: 'grace' })).verdict)
  console.log((await server.reject(conversationId, callId, 'No', { by: 'bob' })).message)
}
// #endregion

// #region follow
const follow = server.subscribe('order-17', { after: 3 }) // the events after the third, then new ones
for await (const item of follow) {
  if ('seq' in item) console.log(item.seq, item.type) // otherwise a frame: a piece of text, progress
  if (item.type === 'model.replied') break
}
const view = await server.view('order-17')
console.log(view?.status, view ? messagesOf(view).length : 0)
// #endregion
assert.equal(view?.status, 'idle')
await script.close()
await server.close()
rmSync(folder, { recursive: true })
