/** Groups, routes over time, assignment and comments, in a runtime with a store. */
import { tool, type Principal } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, count, expectSound, heldId, types, World, type Process } from '../../../../test/kit/runtime-kit.ts'

const HOUR = 3_600_000
const ann: Principal = { id: 'ann', kind: 'person', groups: ['finance'] }
const bob: Principal = { id: 'bob', kind: 'person', groups: ['finance'] }
const kim: Principal = { id: 'kim', kind: 'person', groups: ['board'] }

const approval = {
  required: true,
  approvers: { anyOf: ['group:finance'], count: 2 },
  remindAfter: '1 h',
  escalate: { after: '4 h', to: ['group:board'] },
} as const

const refund = tool({
  name: 'refund',
  description: 'Pays money back.',
  input: z.object({}),
  approval,
  run: () => 'paid',
})

async function asked(world: World, name = 'a'): Promise<Process> {
  const a = await world.process(name, { says: [calls('refund'), 'Done.'], tools: [refund], lookMs: 24 * HOUR })
  await a.runtime.send('c', 'Pay it back', { by: 'ann' })
  return a
}

test('two people of the group approve, and the requester is none of them', async () => {
  const world = new World()
  const a = await asked(world)
  const { runtime } = a
  const callId = await heldId(a, 'refund')

  expect((await runtime.approve('c', callId, { by: ann })).verdict).toBe('not-allowed')
  expect((await runtime.approve('c', callId, { by: 'bob' })).verdict).toBe('not-allowed')
  expect(await runtime.approve('c', callId, { by: bob })).toMatchObject({ verdict: 'accepted', remaining: 1 })
  expect((await runtime.approve('c', callId, { by: kim })).verdict).toBe('not-allowed')
  const zoe = { id: 'zoe', kind: 'person', groups: ['finance'], via: 'key:slack' } as const
  expect(await runtime.approve('c', callId, { by: zoe })).toMatchObject({ verdict: 'accepted', remaining: 0 })
  await world.calm()

  const log = await world.log()
  expect(log.filter(({ type }) => type === 'call.endorsed')).toMatchObject([
    { by: 'bob' },
    { by: 'zoe', via: 'key:slack' },
  ])
  expect(types(log).at(-1)).toBe('model.replied')
})

test('approvers are reminded and then others are asked, once each, at their time and in any process', async () => {
  const world = new World()
  const first = await asked(world)
  const callId = await heldId(first, 'refund')
  await world.pass(HOUR - 500)
  expect(count(await world.log(), 'hold.reminded')).toBe(0)
  await world.pass(1000)
  expect(count(await world.log(), 'hold.reminded')).toBe(1)

  first.kill()
  const second = await world.process('b', { says: [calls('refund'), 'Done.'], tools: [refund] })
  const third = await world.process('d', { says: [calls('refund'), 'Done.'], tools: [refund] })
  await world.clock.advance(3 * HOUR)
  await world.pass(2000)

  const log = await world.log()
  expect([count(log, 'hold.reminded'), count(log, 'hold.escalated')]).toEqual([1, 1])
  expect((await second.runtime.approve('c', callId, { by: kim })).verdict).toBe('accepted')
  expect((await third.runtime.approve('c', callId, { by: bob })).verdict).toBe('accepted')
  await world.soon(world.until(async () => types(await world.log()).at(-1) === 'model.replied'))
  expectSound(await world.log(), second)
})

test('after an escalation, the people who were asked then may also edit', async () => {
  const world = new World()
  const pay = tool({ name: 'pay', description: 'Pays.', input: z.looseObject({}), approval, run: () => 'paid' })
  const a = await world.process('a', { says: [calls('pay'), 'Done.'], tools: [pay], lookMs: 24 * HOUR })
  await a.runtime.send('c', 'Pay it back', { by: 'ann' })
  const callId = await heldId(a, 'pay')
  const edit = { by: kim, input: { euros: 5 } }
  expect((await a.runtime.approve('c', callId, edit)).verdict).toBe('not-allowed')
  await world.clock.advance(4 * HOUR)
  await world.soon(world.until(async () => count(await world.log(), 'hold.escalated') === 1))
  expect((await a.runtime.approve('c', callId, edit)).verdict).toBe('accepted')
})

test('a hold is taken on, commented on and set free, and every reader sees it', async () => {
  const world = new World()
  const a = await asked(world)
  const { runtime } = a
  const callId = await heldId(a, 'refund')

  expect(await runtime.assign('c', callId, { by: kim })).toMatchObject({ ok: false, refusal: 'not-allowed' })
  expect(await runtime.assign('c', callId, { by: bob })).toEqual({ ok: true })
  expect(await runtime.comment('c', callId, 'I called the bank.', { by: bob })).toEqual({ ok: true })
  const shown = { assignee: 'bob', comments: [{ text: 'I called the bank.', by: 'bob' }] }
  expect((await runtime.pending()).items).toMatchObject([shown])
  expect((await runtime.view('c'))?.turns[0]?.steps[0]?.calls[0]).toMatchObject({ hold: shown })
  expect(await runtime.release('c', callId, { by: ann })).toEqual({ ok: true })
  expect((await runtime.pending()).items[0]).not.toHaveProperty('assignee')
  await expect(runtime.comment('c', callId, '  ', { by: bob })).rejects.toThrow('A comment must be a string')
  expect(await runtime.comment('c', 'other', 'Hello', { by: bob })).toMatchObject({ refusal: 'hold-not-open' })
})

test('a principal with a wrong shape is refused before anything is written', async () => {
  const world = new World()
  const a = await asked(world)
  const { runtime } = a
  const callId = await heldId(a, 'refund')
  const { length } = await world.log()
  for (const by of [5, {}, { id: 'x' }, { id: 'x', kind: 'god' }, { id: 'x', kind: 'person', groups: 'finance' }]) {
    expect((await runtime.approve('c', callId, { by } as never)).verdict).toBe('invalid')
    await expect(runtime.send('d', 'Hi', { by } as never)).rejects.toThrow('"by" must be the id of a person')
  }
  expect(await world.log()).toHaveLength(length)
  expect(await world.log('d')).toHaveLength(0)
})
