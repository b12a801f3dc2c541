/** An agent with a question for the user, and a refund that a person of the company must approve. */
import { scriptedModel } from '@holdpoint/testing'
import { agent, tool } from 'holdpoint'
import { z } from 'zod'

const askSize = tool({
  name: 'size.ask',
  description: 'Ask the customer for their size',
  executor: 'human',
  timeout: '1 day',
  input: z.object({}),
  output: z.enum(['S', 'M', 'L']),
})
const refund = tool({
  name: 'refund',
  description: 'Give money back',
  approval: { required: true, approvers: { anyOf: ['group:finance'] } },
  input: z.object({}),
  run: () => 'paid',
})
const model = scriptedModel(({ prompt }) => {
  const last = prompt.at(-1)
  if (last?.role === 'tool') return 'Noted.'
  const text = JSON.stringify(last)
  if (text.includes('shirt')) return { calls: [{ name: 'size.ask' }] }
  return text.includes('money') ? { calls: [{ name: 'refund' }] } : 'Hello.'
})

export const agents = [agent({ name: 'assistant', model, tools: [askSize, refund] })]
