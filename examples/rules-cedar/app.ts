import { scriptedModel } from '@holdpoint/testing'
import { agent, tool } from 'holdpoint'
import { z } from 'zod'
// #region rules
import { cedarEvaluator } from '@holdpoint/rules-cedar'

export const rules = cedarEvaluator()
// #endregion

const pay = tool({
  name: 'invoice.pay',
  description: 'Pay an invoice',
  input: z.object({ to: z.string(), euros: z.number() }),
  approval: { required: true, rules: 'may-relax' },
  run: ({ input }) => `paid ${input.euros}`,
})
const model = scriptedModel([
  { calls: [{ name: 'invoice.pay', input: { to: 'Acme', euros: 99.5 } }] },
  'Paid.',
  { calls: [{ name: 'invoice.pay', input: { to: 'Acme', euros: 100.01 } }] },
  'Paid.',
])
export const agents = [agent({ name: 'desk', model, tools: [pay] })]
