/** A runtime whose rules are judged with Cedar. */
import { memoryStore } from '@holdpoint/core'
import { cedarEvaluator } from '@holdpoint/rules-cedar'
import { manualClock, scriptedModel, testPorts } from '@holdpoint/testing'
import { agent, Runtime, tool, type RuleText } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

const pay = tool({
  name: 'pay',
  description: 'Pay',
  input: z.object({ euros: z.number() }),
  approval: { required: true, rules: 'may-relax' },
  run: ({ input }) => `paid ${input.euros}`,
})

async function runtimeOn(
  store: ReturnType<typeof memoryStore>,
  rules: true | ReturnType<typeof cedarEvaluator>,
): Promise<Runtime> {
  const model = scriptedModel(
    Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? { calls: [{ name: 'pay', input: { euros: 5 } }] } : 'Done.')),
  )
  const ports = testPorts({ prefix: rules === true ? 'a-' : 'b-' })
  const runtime = await Runtime.open({ store, agents: [agent({ name: 'desk', model, tools: [pay] })], ports, rules })
  onTestFinished(() => runtime.close())
  return runtime
}

const about = (more: Partial<RuleText> = {}): RuleText => ({
  effect: 'allow',
  tool: 'pay',
  fingerprint: pay.fingerprint,
  when: [{ at: '/euros', range: { max: 10 } }],
  ...more,
})

test('a rule is saved, used, revoked and tried as with the built-in evaluator', async () => {
  const runtime = await runtimeOn(memoryStore({ now: manualClock().now }), cedarEvaluator())
  const saved = await runtime.rules.save(about({ uses: 2 }), { by: 'grace' })
  expect(await runtime.send('c1', 'Pay')).toMatchObject({ status: 'done' })
  const [step] = (await runtime.explain('c1'))?.steps ?? []
  expect(step?.calls).toMatchObject([{ decidedBy: 'rule', why: 'Allow pay when euros is at most 10, for 2 calls.' }])
  expect(await runtime.rules.backtest([about({ effect: 'deny' })])).toMatchObject({ calls: 1, would: { deny: 1 } })
  await runtime.rules.revoke(saved.ok ? saved.rule.id : '', { by: 'grace' })
  expect(await runtime.send('c2', 'Pay')).toMatchObject({ status: 'held' })
})

test('what Cedar cannot say is not saved, and not tried', async () => {
  const runtime = await runtimeOn(memoryStore({ now: manualClock().now }), cedarEvaluator())
  const half = about({ when: [{ at: '/euros', range: { max: 0.5 } }] })
  expect(await runtime.rules.save(half, { by: 'grace' })).toMatchObject({ ok: false, refusal: 'rule-invalid' })
  await expect(runtime.rules.backtest([half])).rejects.toThrow('Cedar has no fractions')
})

test('a rule of the store that Cedar cannot say holds the call', async () => {
  const store = memoryStore({ now: manualClock().now })
  const before = await runtimeOn(store, true)
  await before.rules.save(about({ when: [{ at: '/euros', range: { max: 9.5 } }] }), { by: 'grace' })
  const after = await runtimeOn(store, cedarEvaluator())
  expect(await after.send('c', 'Pay')).toMatchObject({ status: 'held' })
  expect((await after.pending()).items[0]?.reason).toContain('Cedar has no fractions')
})
