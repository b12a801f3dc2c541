import { proves } from '@holdpoint/testing'
import { tool, type ResolveResult } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  asking,
  calls,
  count,
  expectSound,
  gated,
  heldId,
  outcomes,
  slow,
  timesAsked,
  types,
  World,
} from '../../../../test/kit/runtime-kit.ts'

const says = [calls('ask'), 'Done.']
const MINUTE = 60_000

test(
  proves(
    'expiry.at-its-time',
    'a call without an answer expires at its deadline, though polls are rare, and the turn continues automatically',
  ),
  async () => {
    const world = new World()
    const a = await world.process('a', {
      says,
      tools: [asking('ask', 'external', { timeout: '30s' })],
      lookMs: 10 * MINUTE,
    })
    await a.runtime.send('c', 'Ask')

    await world.pass(29_500)
    expect(count(await world.log(), 'call.settled')).toBe(0)
    await world.pass(500)

    expect(outcomes(await world.log())).toEqual({
      'a-2.1.1': { ok: false, error: { code: 'expired', message: 'Tool timed out after 30000ms' } },
    })
    expect(types(await world.log()).at(-1)).toBe('model.replied')
  },
)

test('a call expires at its time although a sibling of it runs all the while', async () => {
  const world = new World()
  const work = slow('work', { timeout: '1h' })
  const tools = [work.tool, asking('ask', 'client', { timeout: '5s' })]
  const a = await world.process('a', { says: [calls('work', 'ask')], tools, lookMs: 10 * MINUTE })
  await a.runtime.submit('c', 'Go')

  await world.pass(5500)

  expect(outcomes(await world.log())).toMatchObject({ 'a-2.1.2': { ok: false, error: { code: 'expired' } } })
  work.release()
  await world.calm()
  expectSound(await world.log(), a)
})

test(
  proves('expiry.survives-kill', 'a deadline holds although the process that set it died: another process keeps it'),
  async () => {
    const world = new World()
    const setup = { says, tools: [asking('ask', 'human', { timeout: '1h' })] }
    const a = await world.process('a', setup)
    await a.runtime.send('c', 'Ask')
    a.kill()
    const b = await world.process('b', setup)

    await world.pass(59 * MINUTE)
    expect(count(await world.log(), 'call.settled')).toBe(0)
    await world.pass(MINUTE)

    expect(count(await world.log(), 'call.settled')).toBe(1)
    expect(b.model.requests).toHaveLength(1)
  },
)

test('a deadline that passed while no process ran is kept when one starts', async () => {
  const world = new World()
  const setup = { says, tools: [asking('ask', 'human', { timeout: '1h' })] }
  const a = await world.process('a', setup)
  await a.runtime.send('c', 'Ask')
  a.kill()
  await world.clock.advance(5 * 60 * MINUTE)

  await world.process('b', setup)
  await world.calm()

  expect(types(await world.log()).slice(-2)).toEqual(['call.settled', 'model.replied'])
})

test.each([
  { onExpire: 'error', ends: { ok: false, error: { code: 'expired' } }, last: 'model.replied' },
  { onExpire: 'reject', ends: { ok: false, error: { code: 'rejected' } }, last: 'model.replied' },
  { onExpire: { answer: 'M' }, ends: { ok: true, value: 'M' }, last: 'model.replied' },
  { onExpire: 'cancel', ends: { ok: false, error: { code: 'expired' } }, last: 'turn.ended' },
])('a call that expires does what its tool says: $onExpire', async ({ onExpire, ends, last }) => {
  const world = new World()
  const a = await world.process('a', { says, tools: [asking('ask', 'human', { timeout: '30s', onExpire })] })
  await a.runtime.send('c', 'Ask')

  await world.pass(31_000)

  expect(outcomes(await world.log())).toMatchObject({ 'a-2.1.1': ends })
  expect(types(await world.log()).at(-1)).toBe(last)
  expectSound(await world.log(), a)
})

test('the time approvers take does not count: an approved tool has all its running time', async () => {
  const world = new World()
  const work = slow('ask', { ...gated, timeout: '10s', approvalTimeout: '7d' })
  const a = await world.process('a', { says, tools: [work.tool] })
  await a.runtime.send('c', 'Ask')
  await world.pass(2 * MINUTE)
  await a.runtime.approve('c', await heldId(a, 'ask'))
  await world.pass(9000)

  work.release('in time')
  await world.calm()

  expect(outcomes(await world.log())).toEqual({ 'a-2.1.1': { ok: true, value: 'in time' } })
})

test('a tool that runs too long is over at its time, in whatever process it runs', async () => {
  const world = new World()
  const work = slow('ask', { timeout: '10s' })
  const a = await world.process('a', { says, tools: [work.tool] })
  await a.runtime.submit('c', 'Ask')
  await world.pass(10_500)

  expect(outcomes(await world.log())).toMatchObject({ 'a-2.1.1': { ok: false, error: { code: 'timed-out' } } })
  expect(work.aborted).toHaveLength(1)
})

test(
  proves(
    'expiry.store-time',
    'a process whose wall clock is wrong expires nothing early, and makes no deadline that others find wrong',
  ),
  async () => {
    const world = new World()
    const setup = { says, tools: [asking('ask', 'human', { timeout: '1h' })] }
    const day = 24 * 60 * MINUTE
    const ahead = { now: () => world.clock.now() + day, monotonic: () => world.clock.now() % day }
    const a = await world.process('a', setup)
    await a.runtime.send('c', 'Ask')
    const wrong = await world.process('wrong', { ...setup, ports: ahead as never })
    await wrong.runtime.send('d', 'Ask')

    await world.pass(MINUTE)
    for (const id of ['c', 'd']) expect(count(await world.log(id), 'call.settled')).toBe(0)
    const [made] = (await a.runtime.pending({ conversationId: 'd' })).items
    expect(made!.expiresAt - world.clock.now()).toBe(59 * MINUTE)

    expect(await wrong.runtime.answer('c', await heldId(a, 'ask'), 'L')).toMatchObject({ verdict: 'accepted' })
    expect((await world.log('d')).every(({ at }) => at <= world.clock.now())).toBe(true)
  },
)

test(
  proves(
    'expiry.first-durable-wins',
    'an answer and the deadline at the same moment: one of them counts, and the caller is told which',
  ),
  async () => {
    const world = new World()
    const setup = { says, tools: [asking('ask', 'human', { timeout: '30s' })] }
    const [a, b] = [await world.process('a', setup), await world.process('b', setup)]
    const ids = ['c', 'd', 'e', 'f']
    for (const id of ids) await a.runtime.send(id, 'Ask')
    const calls = new Map(await Promise.all(ids.map(async (id) => [id, await heldId(b, 'ask', id)] as const)))
    await world.clock.advance(29_999)
    const answer = (id: string): Promise<ResolveResult> => b.runtime.answer(id, calls.get(id)!, 'L')
    const first = await answer('c')
    const second = answer('d')
    const passing = world.clock.advance(1)
    const told = [first, ...(await Promise.all([second, answer('e'), answer('f')]))]
    await passing
    await world.calm()

    expect(new Set(told.map(({ verdict }) => verdict))).toEqual(new Set(['accepted', 'expired']))
    for (const [n, id] of ids.entries()) {
      const [outcome] = Object.values(outcomes(await world.log(id))) as { ok: boolean }[]
      expect(outcome!.ok ? 'accepted' : 'expired').toBe(told[n]!.verdict)
      expectSound(await world.log(id), a, b)
    }
  },
)

test('a deadline that cannot be kept just now is tried again in a while, and not all the time', async () => {
  const world = new World()
  let broken = false
  let looks = 0
  const a = await world.process('a', {
    says,
    tools: [asking('ask', 'client', { timeout: '5s' })],
    before: (question) => {
      if (!broken) return
      if (question === 'follow') throw new Error('The disk has a bad day.')
      if (question === 'due' && ++looks > 200) throw new Error('It looks and looks.')
    },
  })
  await a.runtime.send('c', 'Ask')
  broken = true
  await world.pass(10_000)
  expect(looks).toBeLessThan(30)
  expect(a.problems.length).toBeGreaterThan(0)

  broken = false
  await world.pass(2000)
  expect(count(await world.log(), 'call.settled')).toBe(1)
})

test('a gated call that waits for a browser has a deadline for each of its two holds', async () => {
  const world = new World()
  const sign = tool({
    name: 'ask',
    description: 'Signs',
    input: z.object({}),
    executor: 'client',
    approval: 'required',
    approvalTimeout: '1h',
    timeout: '30s',
    grace: '30s',
  })
  const a = await world.process('a', { says, tools: [sign] })
  await a.runtime.send('c', 'Sign')
  await world.pass(10 * MINUTE)
  await a.runtime.approve('c', await heldId(a, 'ask'))
  await world.pass(29_000)
  expect(count(await world.log(), 'call.settled')).toBe(0)
  await world.pass(1500)

  expect(outcomes(await world.log())).toMatchObject({
    'a-2.1.1': { error: { message: 'Tool timed out after 30000ms' } },
  })
  expect(timesAsked(a, 'takeOver')).toBeLessThan(3)
})
