import { proves } from '@holdpoint/testing'
import type { Address } from 'holdpoint'
import { expect, test } from 'vitest'
import {
  calls,
  count,
  expectSound,
  gated,
  heldId,
  LEASE,
  noting,
  outcomes,
  slow,
  timesAsked,
  types,
  World,
  writesOf,
  type Process,
  type Setup,
} from '../../../../test/kit/runtime-kit.ts'
import type { Question } from '../../../../test/kit/mortal.ts'

const says = [calls('work'), 'Done.']

/** A store that can be away: it throws, or says that it could not write, or writes and then cannot say so. */
function weather(): { around: Setup; away: 'no' | 'throws' | 'failed' | 'unknown'; only?: Question } {
  const state: ReturnType<typeof weather> = {
    away: 'no',
    around: {
      before: (question) => {
        if (state.only !== undefined && question !== state.only) return undefined
        if (state.away === 'throws') throw new Error('The store is away.')
        return state.away === 'failed' && question === 'append' ? { result: 'failed', why: 'disk full' } : undefined
      },
      after: (question) => {
        if (state.only !== undefined && question !== state.only) return undefined
        if (state.away !== 'unknown') return undefined
        return question === 'append' ? { result: 'unknown', why: 'the line broke' } : undefined
      },
    },
  }
  return state
}

test.each(['throws', 'failed', 'unknown'] as const)(
  proves(
    'store.away-loses-nothing',
    'the store is away (%s) while a tool runs: its result is kept and written when the store is back',
  ),
  async (how) => {
    const world = new World()
    const store = weather()
    const work = slow('work')
    const a = await world.process('a', { says, tools: [work.tool], ...store.around })
    const sending = a.runtime.send('c', 'Work')
    await world.until(() => work.started.length === 1)
    store.away = how
    work.release()
    await world.pass(8000)

    store.away = 'no'

    expect(await world.soon(sending)).toMatchObject({ status: 'done', text: 'Done.' })
    expect(work.started).toHaveLength(1)
    expect(outcomes(await world.log())).toEqual({ 'a-2.1.1': { ok: true, value: 'work done' } })
    expectSound(await world.log(), a)
  },
)

test('a result that cannot be written is told of as a problem, after a while and then every minute', async () => {
  const world = new World()
  const store = weather()
  const work = slow('work')
  const a = await world.process('a', { says, tools: [work.tool], ...store.around })
  const sending = a.runtime.send('c', 'Work')
  await world.until(() => work.started.length === 1)
  store.only = 'append'
  store.away = 'failed'
  work.release()
  await world.pass(9000)
  expect(a.problems).toEqual([])

  await world.pass(4000)
  const problem = { error: { message: expect.stringContaining('disk full') }, conversation: { tenant: '', id: 'c' } }
  expect(a.problems).toMatchObject([problem])
  await world.pass(60_000)
  expect(a.problems).toMatchObject([problem, problem])

  store.away = 'no'
  expect(await world.soon(sending)).toMatchObject({ status: 'done' })
})

test('a store that is away is told of when that begins and then every minute, not with every heartbeat', async () => {
  const world = new World()
  const store = weather()
  const a = await world.process('a', { says, ...store.around })
  for (const minutes of [3, 1]) {
    const told = a.problems.length
    store.away = 'throws'
    await world.pass(minutes * 60_000)
    // Heartbeats and looks for due conversations both fail, about twice a second.
    expect(a.problems.length - told).toBeGreaterThan(0)
    expect(a.problems.length - told).toBeLessThanOrEqual(2 * (minutes + 1))
    store.away = 'no'
    await world.pass(LEASE)
  }
})

test('the store is away for longer than the lease: its only process goes on when it is back, and the tool ran once', async () => {
  const world = new World()
  const store = weather()
  const work = slow('work')
  const a = await world.process('a', { says, tools: [work.tool], ...store.around })
  const sending = a.runtime.send('c', 'Work')
  await world.until(() => work.started.length === 1)
  store.away = 'throws'
  await world.pass(2 * LEASE)
  work.release()
  await world.pass(LEASE)
  expect(a.problems.length).toBeGreaterThan(0)

  store.away = 'no'

  expect(await world.soon(sending)).toMatchObject({ status: 'done' })
  expect(work.started).toHaveLength(1)
  expectSound(await world.log(), a)
})

test('while the store is away nothing new is begun once the lease may be over', async () => {
  const world = new World()
  const store = weather()
  const work = slow('work')
  const ran: string[] = []
  const tools = [work.tool, noting(ran, 'second')]
  const a = await world.process('a', { says: [calls('work'), calls('second')], tools, ...store.around })
  await a.runtime.submit('c', 'Work')
  await world.until(() => work.started.length === 1)
  store.away = 'throws'
  store.only = 'beat'
  await world.pass(LEASE)

  work.release()
  await world.pass(2000)
  expect(count(await world.log(), 'call.settled')).toBe(1)
  expect([a.model.requests.length, ran.length]).toEqual([1, 0])

  store.away = 'no'
  await world.pass(4000)
  expect(ran).toHaveLength(1)
})

test.each([
  { how: 'throws', says: 'not known' },
  { how: 'failed', says: 'Nothing was written' },
  { how: 'unknown', says: 'not known' },
] as const)(
  'a caller that sends or answers while the store is unavailable ($how) is told the true outcome in the end',
  async ({ how, says: told }) => {
    const world = new World()
    const store = weather()
    const a = await world.process('a', { says, tools: [noting([], 'work', gated)], ...store.around })
    await a.runtime.send('c', 'Work')
    const id = await heldId(a, 'work')
    await a.runtime.create({ id: 'd' })
    store.away = how
    store.only = 'append'

    const both = [a.runtime.approve('c', id), a.runtime.submit('d', 'Hi')].map(async (each) =>
      each.catch((e: unknown) => e),
    )
    await world.pass(30_000)

    for (const each of await Promise.all(both))
      expect(each).toMatchObject({ code: 'store-unavailable', message: expect.stringContaining(told) })
  },
)

test('a write that may have been written is never said to be lost, though later tries surely failed', async () => {
  const world = new World()
  const store = weather()
  const a = await world.process('a', { says, tools: [noting([], 'work', gated)], ...store.around })
  await a.runtime.create({ id: 'c' })
  store.only = 'append'
  store.away = 'unknown'
  const sending = a.runtime.submit('c', 'Hi').catch((error: unknown) => error)
  await world.calm()
  store.away = 'failed'
  await world.pass(30_000)

  expect(await sending).toMatchObject({ message: expect.stringContaining('not known') })
})

test(
  proves(
    'store.away-loses-nothing',
    'a message that was written without an answer from the store is worked on when the store is back',
  ),
  async () => {
    const world = new World()
    const store = weather()
    const a = await world.process('a', { says: ['Hi.'], ...store.around })
    store.away = 'unknown'
    const sending = a.runtime.submit('c', 'Hello', { key: 'k' }).catch((error: unknown) => error)
    await world.pass(30_000)
    expect(await sending).toMatchObject({ code: 'store-unavailable' })
    expect(types(await world.log())).toEqual(['turn.started'])

    store.away = 'no'
    await world.pass(10_000)

    expect(types(await world.log())).toEqual(['turn.started', 'model.replied'])
    expect(await a.runtime.submit('c', 'Hello', { key: 'k' })).toMatchObject({ ok: true, repeated: true })
  },
)

test('an answer that was written without an answer from the store is acted on, and giving it again says duplicate', async () => {
  const world = new World()
  const store = weather()
  const ran: string[] = []
  const a = await world.process('a', { says, tools: [noting(ran, 'work', gated)], ...store.around })
  await a.runtime.send('c', 'Work')
  const id = await heldId(a, 'work')
  store.away = 'unknown'
  const answering = a.runtime.approve('c', id).catch((error: unknown) => error)
  await world.pass(30_000)
  expect(await answering).toMatchObject({ code: 'store-unavailable' })

  store.away = 'no'
  await world.pass(10_000)

  expect(ran).toEqual([`work ${id}`])
  expect(await a.runtime.approve('c', id)).toMatchObject({ verdict: 'duplicate' })
  expectSound(await world.log(), a)
})

test.each(['takeOver', 'read', 'load', 'heads'] as const)(
  'a process that takes over while the store falters (%s) succeeds in the end, without help from another process',
  async (only) => {
    const world = new World()
    const dead = await world.process('dead', { says: [() => (dead.kill(), 'x')] })
    void dead.runtime.submit('c', 'Hi')
    await world.calm()
    const store = weather()
    store.only = only
    store.away = 'throws'
    await world.process('b', { says: ['Hi.'], ...store.around })
    await world.pass(LEASE + 5000)

    store.away = 'no'
    await world.pass(LEASE + 5000)

    expect(types(await world.log())).toEqual(['turn.started', 'model.replied'])
  },
)

test('a takeover whose answer was lost is repeated: no other process would take over, since the owner has a valid lease', async () => {
  const world = new World()
  const dead = await world.process('dead', { says: [() => (dead.kill(), 'x')] })
  void dead.runtime.submit('c', 'Hi')
  await world.calm()
  let lost = 0
  const after: Setup['after'] = (question) => {
    if (question === 'takeOver' && ++lost <= 20) throw new Error('The line broke.')
    return undefined
  }
  await world.process('b', { says: ['Hi.'], after })
  await world.pass(2 * LEASE + 30_000)

  expect(lost).toBe(21)
  expect(types(await world.log())).toEqual(['turn.started', 'model.replied'])
})

test('a store that is unavailable when a runtime is opened: the caller gets an error, and nothing runs', async () => {
  const world = new World()
  const store = weather()
  store.away = 'throws'
  await expect(world.process('a', store.around)).rejects.toThrow('The store is away.')
})

test('a store that is away when a runtime closes: closing ends, and the store is let go of where that was asked for', async () => {
  const world = new World()
  const store = weather()
  const a = await world.process('a', { says: ['Hi.'], ...store.around, closeStore: true })
  await a.runtime.send('c', 'Hi')
  store.away = 'throws'
  store.only = 'leave'

  const closed = a.runtime.close().catch((error: unknown) => error)
  await world.pass(30_000)

  expect(await Promise.race([closed.then(() => 'over'), world.calm().then(() => 'still closing')])).toBe('over')
  expect(timesAsked(a, 'close')).toBe(1)
})

test('an unconfirmed write that was never made leaves memory, a while after the store is back', async () => {
  const world = new World()
  const store = lossy()
  const a = await world.process('a', { says: ['Hi.'], idleMs: 1000, keepIdle: 0, ...store.around })
  const ids = Array.from({ length: 20 }, (_, n) => `c${n}`)
  const submits = ids.map((id) => a.runtime.submit(id, 'Hello').catch(() => 'not known'))
  expect(new Set(await world.soon(Promise.all(submits)))).toEqual(new Set(['not known']))
  store.loses = false
  await world.pass(5000)
  expect(followed(a)).toBe(ids.length)

  await world.pass(65_000)

  expect(followed(a)).toBe(0)
  expect((await a.runtime.list()).items).toEqual([])
})

test('a write that lands after its caller gave up is found by a retry', async () => {
  const world = new World()
  const store = lossy()
  const a = await world.process('a', { says: ['Hi.'], idleMs: 1000, keepIdle: 0, ...store.around })
  const said = { key: 'once' }
  const submit = a.runtime.submit('c', 'Hello', said).catch(() => 'not known')
  expect(await world.soon(submit)).toBe('not known')
  store.loses = false
  await world.pass(70_000)

  await (await world.store).append(writesOf(a)[0]!)

  expect(await world.soon(a.runtime.send('c', 'Hello', said))).toMatchObject({ status: 'done', text: 'Hi.' })
  expect(count(await world.log(), 'turn.started')).toBe(1)
})

/** A store that loses what is written, and cannot say so. */
function lossy(): { around: Setup; loses: boolean } {
  const state: ReturnType<typeof lossy> = {
    loses: true,
    around: {
      before: (question) =>
        state.loses && question === 'append' ? { result: 'unknown', why: 'the line broke' } : undefined,
    },
  }
  return state
}

/** Of how many conversations the store was last asked how far they are, in the last seconds. */
function followed({ asked }: Process): number {
  const [last] = asked.filter(({ question }) => question === 'heads' || question === 'due').slice(-1)
  return last?.question === 'heads' ? (last.given[0] as readonly Address[]).length : 0
}
