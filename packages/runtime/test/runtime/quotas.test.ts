import { agent, HoldpointError, Runtime, tool, type Problem, type QuotaExceeded } from 'holdpoint'
import { memoryStore } from '@holdpoint/core'
import { scriptedModel, testPorts } from '@holdpoint/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { calls, count, World } from '../../../../test/kit/runtime-kit.ts'

const MINUTE = 60_000

test('model calls over the quota wait for the next minute, and none is lost', async () => {
  const world = new World()
  const problems: Problem[] = []
  const a = await world.process('a', {
    says: ['Done.'],
    quotas: { modelCallsPerMinute: 2 },
    onProblem: (problem) => void problems.push(problem),
  })
  for (const id of ['c1', 'c2', 'c3']) await a.runtime.submit(id, 'Go')
  await world.calm()
  expect(a.model.requests).toHaveLength(2)
  expect(await a.runtime.usage()).toMatchObject({
    modelCallsPerMinute: { used: 2, limit: 2 },
    modelCallsWaiting: 1,
  })
  expect(problems.map(({ error }) => (error as QuotaExceeded).quota)).toEqual(['modelCallsPerMinute'])

  await world.pass(MINUTE)
  expect(a.model.requests).toHaveLength(3)
  expect(count(await world.log('c3'), 'model.replied')).toBe(1)
})

test('processes on one store share the quota of model calls', async () => {
  const world = new World()
  const setup = { says: ['Done.'], quotas: { modelCallsPerMinute: 3 } }
  const a = await world.process('a', setup)
  const b = await world.process('b', setup)
  for (const id of ['a1', 'a2', 'a3']) await a.runtime.submit(id, 'Go')
  for (const id of ['b1', 'b2']) await b.runtime.submit(id, 'Go')
  await world.calm()
  expect(a.model.requests.length + b.model.requests.length).toBe(3)
  await world.pass(MINUTE)
  expect(a.model.requests.length + b.model.requests.length).toBe(5)
})

test('a message is refused while as many model calls wait as the quota allows per minute', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Done.'], quotas: { modelCallsPerMinute: 1 } })
  await a.runtime.submit('c1', 'Go')
  await a.runtime.submit('c2', 'Go')
  await world.calm()
  const refused = await a.runtime.submit('c3', 'Go').catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'quota-exceeded', quota: 'modelCallsPerMinute', limit: 1 })
  expect((refused as QuotaExceeded).retryAfterMs).toBeLessThanOrEqual(MINUTE)
  expect((refused as Error).message).toContain('Retry in the next minute')
  expect(await world.log('c3')).toEqual([])

  await world.pass(MINUTE)
  expect(await a.runtime.submit('c3', 'Go')).toMatchObject({ ok: true })
})

test('a cancelled turn does not wait for the quota', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Done.'], quotas: { modelCallsPerMinute: 0 } })
  const b = await world.process('b', { says: ['Done.'], drive: false })
  await b.runtime.submit('c', 'Go')
  await world.pass(2000)
  expect(await a.runtime.usage()).toMatchObject({ modelCallsWaiting: 1 })
  expect(await a.runtime.cancel('c')).toEqual({ ok: true })
  await world.calm()
  expect(await a.runtime.usage()).toMatchObject({ modelCallsWaiting: 0 })
  expect(a.model.requests).toHaveLength(0)
})

test('a tenant at its quota of conversations continues in those it has; other tenants are not affected', async () => {
  const world = new World()
  const a = await world.process('a', {
    says: ['Done.'],
    quotas: (tenant) => (tenant === 'acme' ? { conversations: 2 } : undefined),
  })
  const acme = a.runtime.tenant('acme')
  await world.soon(acme.send('c1', 'Go'))
  await acme.create({ id: 'c2' })
  for (const refused of [acme.create({ id: 'c3' }), acme.send('c3', 'Go'), acme.spaces.create({ id: 's', name: 'S' })])
    await expect(refused).rejects.toMatchObject({ code: 'quota-exceeded', quota: 'conversations', limit: 2 })
  expect(await world.soon(acme.send('c1', 'Again'))).toMatchObject({ status: 'done' })
  expect(await world.soon(a.runtime.tenant('umbrella').send('c3', 'Go'))).toMatchObject({ status: 'done' })
  expect(await acme.usage()).toMatchObject({ conversations: { used: 2, limit: 2 } })
})

test('a tenant at its quota of stored bytes is refused until something is erased', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Done.'], quotas: { storedBytes: 1000 } })
  await world.soon(a.runtime.send('c', 'x'.repeat(2000)))
  await world.pass(MINUTE)
  const refused = await a.runtime.send('c', 'More').catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'quota-exceeded', quota: 'storedBytes', retryAfterMs: undefined })
  expect(HoldpointError.is(refused) && refused.message).toContain('Erase conversations')
})

test('a quota that does not exist, or is no number, is refused when the runtime opens', async () => {
  const ports = testPorts()
  const store = memoryStore({ now: ports.now })
  const agents = [agent({ name: 'desk', model: scriptedModel([]) })]
  onTestFinished(() => store.close())
  for (const [quotas, why] of [
    [{ conversation: 1 }, 'there is no quota "conversation"'],
    [{ conversations: -1 }, '"conversations" must be a number from 0'],
    [5, '"quotas" must be an object of quotas'],
  ] as const)
    await expect(Runtime.open({ store, agents, ports, quotas: quotas as never })).rejects.toThrow(why)
})

test('plans of all agents of a tenant count, those that tools make too; one that is changed does not count again', async () => {
  const world = new World()
  const answers: unknown[] = []
  const plan = tool({
    name: 'plan',
    description: 'plan',
    input: z.object({}).loose(),
    run: ({ plans }) => {
      const made = plans.set({ id: `plan ${answers.length}`, what: 'Stretch', runAfter: '1 day' })
      answers.push(made.ok ? made.plan.id : made.why)
      return 'planned'
    },
  })
  const a = await world.process('a', {
    says: [calls('plan', 'plan'), 'Done.'],
    tools: [plan],
    agents: ['desk', 'sales'],
    quotas: { plans: 2 },
  })
  const { agents } = a.runtime
  const set = (name: string, id: string) => agents.setPlan(name, { id, what: 'Stretch', runAfter: '1 day' })
  expect(await set('sales', 'first')).toMatchObject({ ok: true })
  await world.soon(a.runtime.send('c', 'Plan', { agent: 'desk' }))
  const refused = 'The tenant reached its quota of 2 plans. Delete some, or ask the operator for a higher quota.'
  expect(answers).toEqual(['plan 0', refused])
  await expect(set('sales', 'second')).rejects.toMatchObject({
    code: 'quota-exceeded',
    quota: 'plans',
    message: refused,
  })
  expect(await set('sales', 'first')).toMatchObject({ ok: true })
  expect((await a.runtime.usage()).plans).toEqual({ used: 2, limit: 2 })

  await agents.removePlan('sales', 'first')
  await world.pass(MINUTE)
  expect((await a.runtime.usage()).plans).toEqual({ used: 1, limit: 2 })
  expect(await set('sales', 'second')).toMatchObject({ ok: true })
})
