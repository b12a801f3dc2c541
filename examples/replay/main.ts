import assert from 'node:assert/strict'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, replayReport, tool, type ReplayedTurn } from 'holdpoint'
import { z } from 'zod'

const sent: string[] = []
const email = tool({
  name: 'email',
  description: 'Send an e-mail',
  input: z.object({ to: z.string() }),
  approval: 'required',
  run: ({ input }) => {
    sent.push(input.to)
    return 'Sent.'
  },
})
const toAda = { calls: [{ name: 'email', input: { to: 'ada@acme.test' } }] }
const toAll = { calls: [{ name: 'email', input: { to: 'all@acme.test' } }] }
const says = [toAda, 'I told Ada.', toAda, 'I told her again.', 'I did not send it.']
const desk = agent({ name: 'desk', model: scriptedModel(says), tools: [email] })
const runtime = await holdpoint({ store: memoryStore({ now: Date.now }), agents: [desk] })
for (const id of ['report', 'invoice']) {
  const { holds } = await runtime.send(id, 'Tell Ada that it is ready', { by: 'ben' })
  await runtime.approve(id, holds[0]?.callId ?? '', { by: 'cleo' })
  await runtime.continue(id)
}
assert.deepEqual(sent, ['ada@acme.test', 'ada@acme.test'])

// #region fork
const fork = await runtime.fork('report', { at: 2, held: 'settled', by: 'ben' })
// { ok: true, id: '…', seq: 6 }: the events up to the model's first reply, and no e-mail was sent
if (fork.ok) await runtime.continue(fork.id) // the model goes on from there
// #endregion
assert.equal(fork.ok, true)
assert.equal(sent.length, 2)

// #region replay
const candidate = agent({ name: 'desk-2', model: scriptedModel([toAda, 'Done.', toAll]), tools: [email] })
const turns: ReplayedTurn[] = []
for await (const turn of runtime.replayMany({ agent: candidate, filter: { agent: 'desk', limit: 2 } })) turns.push(turn)
console.log(replayReport(turns).summary)
for (const { conversationId, stopped, differences } of replayReport(turns).different)
  console.log(conversationId, stopped, JSON.stringify(differences[0]))
// #endregion
assert.equal(sent.length, 2, 'a replay sends nothing')

// #region export
const lines: string[] = []
for await (const line of runtime.export()) lines.push(JSON.stringify(line))
const elsewhere = await holdpoint({ store: memoryStore({ now: Date.now }), agents: [desk] })
const imported = await elsewhere.import(() => lines) // { ok: true, conversations: 3, events: …, existing: 0 }
const cut = await elsewhere.import(() => lines.slice(0, -1)) // { ok: false, line: …, message: 'Line …: the last line … is missing' }
// #endregion
assert.equal(imported.ok, true)
assert.equal(cut.ok, false)
await elsewhere.close()
await runtime.close()
