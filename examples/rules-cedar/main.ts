import assert from 'node:assert/strict'
import { cedarEvaluator, cedarText } from '@holdpoint/rules-cedar'
import { scriptedModel, testPorts } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, tool, type RuleText } from 'holdpoint'
import { z } from 'zod'

const ports = testPorts()
const store = memoryStore({ now: ports.now })
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
const desk = agent({ name: 'desk', model, tools: [pay], ports })

// #region open
const hp = await holdpoint({ store, agents: [desk], rules: cedarEvaluator(), ports })
const rule: RuleText = {
  effect: 'allow',
  tool: 'invoice.pay',
  fingerprint: pay.fingerprint,
  when: [
    { at: '/to', equals: 'Acme' },
    { at: '/euros', range: { max: 100 } },
  ],
}
await hp.rules.save(rule, { by: 'grace' })
console.log((await hp.send('c1', 'Pay 99.50 €')).status)
console.log((await hp.send('c2', 'Pay 100.01 €')).status)
// #endregion

// #region refused
const each: RuleText = { ...rule, when: [{ at: '/lines/*', equals: 'paper' }] }
const refused = await hp.rules.save(each, { by: 'grace' })
console.log(refused.ok ? 'saved' : refused.message)
// #endregion
assert.equal(refused.ok, false)

// #region text
console.log(cedarText({ ...rule, when: [{ at: '/to', equals: 'Acme' }] }))
// #endregion
await hp.close()
