import assert from 'node:assert/strict'
// #region program
import { agent, chat, Session, tool } from 'holdpoint'
import { scriptedModel } from '@holdpoint/testing'
import { z } from 'zod'

const sendEmail = tool({
  name: 'email.send',
  description: 'Send an e-mail',
  input: z.object({ to: z.email(), body: z.string() }),
  approval: ({ input: { to } }) => ({ required: !to.endsWith('@acme.test'), reason: `${to} is outside the company` }),
  run: ({ input }) => `sent to ${input.to}`,
})
const wanted = { name: 'email.send', input: { to: 'ada@example.org', body: 'The report is ready.' } }
const model = scriptedModel([{ calls: [wanted] }, 'Ada knows.']) // for a real one: aiSdkModel(openai('gpt-5'))
const desk = agent({ name: 'desk', model, tools: [sendEmail] })

const first = await chat(desk, 'Tell Ada the report is ready')
for (const { name, reason } of first.holds) console.log(`${first.status}: ${name}, because ${reason}`)
const saved = JSON.stringify(first.session) // plain JSON, to keep where you like

const session = await Session.open(desk, { data: JSON.parse(saved) }) // another process, days later
for (const { callId } of session.holds) {
  console.log('Grace approves:', (await session.approve(callId, { by: 'grace' })).verdict)
  console.log('Bob rejects:', (await session.reject(callId, 'Too early', { by: 'bob' })).message)
}
const last = await session.continue()
console.log(`${last.status}: ${last.text}`)
// #endregion
assert.equal(last.status, 'done')
assert.deepEqual(last.steps[0]?.calls[0]?.outcome, { ok: true, value: 'sent to ada@example.org' })
