import { agent, chat, Session, tool } from 'holdpoint'
import { scriptedModel } from '@holdpoint/testing'
import { z } from 'zod'

const sendEmail = tool({
  name: 'email.send',
  description: 'Send an e-mail',
  input: z.object({ to: z.email(), body: z.string() }),
  approval: ({ input }) => ({ required: !input.to.endsWith('@acme.test'), reason: `${input.to} is outside the company` }),
  run: ({ input, call }) => `sent to ${input.to} under ${call.id.slice(-3)}`, // call.id is the idempotency key
})
const input = { to: 'ada@example.org', body: 'The report is ready.' }
const model = scriptedModel([{ calls: [{ name: 'email.send', input }] }, 'Ada knows.']) // or aiSdkModel(openai('gpt-5'))
const desk = agent({ name: 'desk', model, tools: [sendEmail] })

const first = await chat(desk, 'Tell Ada the report is ready')
console.log(first.status, first.holds.map(({ name, reason }) => `${name}: ${reason}`))

const saved = JSON.stringify(first.session) // a session is plain JSON: keep it for a week, open it anywhere
const session = await Session.open(desk, { data: JSON.parse(saved) })
const [hold] = session.holds
if (hold) console.log(await session.approve(hold.callId, { by: 'grace' }), await session.approve(hold.callId, { by: 'grace' }))

const last = await session.continue()
console.log(last.status, last.steps[0]?.calls[0]?.outcome, last.text)
