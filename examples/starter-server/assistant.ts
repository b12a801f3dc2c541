/** An agent that writes e-mails after a person approved them, and asks the browser for its time zone. */
import { scriptedModel } from '@holdpoint/testing'
import { agent, tool } from 'holdpoint'
import { z } from 'zod'

/** What was really sent. */
export const outbox: string[] = []

const sendEmail = tool({
  name: 'sendEmail',
  description: 'Send an e-mail',
  input: z.object({ to: z.string() }),
  approval: { required: true, reason: 'It leaves the company.' },
  run: ({ input, call }) => {
    outbox.push(`${call.id} ${input.to}`)
    return { sent: true }
  },
})
const timeZone = tool({
  name: 'timeZone',
  description: 'The time zone of the person',
  executor: 'client',
  grace: '1 day',
  timeout: '1 day',
  input: z.object({}),
  output: z.object({ zone: z.string() }),
})

const model = scriptedModel(({ prompt }) => {
  const last = prompt.at(-1)
  const text = JSON.stringify(last)
  if (last?.role === 'tool' && text.includes('Rejected')) return 'Then I will not send it.'
  if (last?.role === 'tool') return text.includes('zone') ? 'I know your time zone now.' : 'The e-mail is out.'
  if (text.includes('write')) return { text: 'I am writing it.', calls: [{ name: 'sendEmail', input: { to: 'bo' } }] }
  return text.includes('time') ? { calls: [{ name: 'timeZone' }] } : 'Hello. What can I do?'
})

export const agents = [agent({ name: 'assistant', model, tools: [sendEmail, timeZone] })]
