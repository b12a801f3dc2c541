import { memoryStore, proves } from '@holdpoint/testing'
import { Session, tool, type Resolution, type Store } from 'holdpoint'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  addressOf,
  call,
  desk,
  expectSound,
  idOf,
  outcomes,
  tick,
  types,
  until,
} from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const description = 'For a test'
const ran: string[] = []
const slow: { release: (() => void)[] } = { release: [] }
const tools = [
  tool({ name: 'pay', description, input, approval: 'required', run: ({ call: { id } }) => (ran.push(id), 'paid') }),
  tool({ name: 'person', description, input, executor: 'human' }),
  tool({
    name: 'slow',
    description,
    input,
    run: () => new Promise<string>((resolve) => slow.release.push(() => resolve('slow'))),
  }),
]

/** Two processes that share a store, with a call held. */
async function two(
  scripts: Parameters<typeof desk>[0],
  store: Store = memoryStore({ now: () => 0 }),
): Promise<[Session, Session]> {
  ran.length = 0
  slow.release.length = 0
  const one = await Session.open(desk(scripts, { tools }).agent, { store, id: 'c' })
  const other = await Session.open(desk(scripts.slice(1), { tools, process: 'q' }).agent, { store, id: 'c' })
  return [one, other]
}

test(
  proves(
    'hold.resolves-once',
    'hold.never-accepted-and-dropped',
    'of three contradictory answers at once one is accepted, and the others learn which',
  ),
  async () => {
    const [session] = await two([{ calls: [call('person')] }, 'Thanks.'])
    await session.send('Go')
    const callId = idOf(session, 'person')
    const values = ['red', 'green', 'blue']

    const verdicts = await Promise.all(values.map((value) => session.answer(callId, value, { by: value })))

    const winner = values[verdicts.findIndex(({ verdict }) => verdict === 'accepted')]
    expect(verdicts.map(({ verdict }) => verdict).toSorted()).toEqual(['accepted', 'conflict', 'conflict'])
    for (const { verdict, first } of verdicts) if (verdict === 'conflict') expect(first).toMatchObject({ by: winner })
    await session.continue()
    expect(outcomes(session)).toEqual({ person: { ok: true, value: winner } })
  },
)

test('three equal answers at once are one accepted and two duplicates', async () => {
  const [session] = await two([{ calls: [call('person')] }])
  await session.send('Go')

  const verdicts = await Promise.all([1, 2, 3].map(() => session.answer(idOf(session, 'person'), 'red')))

  expect(verdicts.map(({ verdict }) => verdict).toSorted()).toEqual(['accepted', 'duplicate', 'duplicate'])
})

test.each<[string, Resolution, Resolution, string]>([
  ['the same', { kind: 'approve' }, { kind: 'approve' }, 'duplicate'],
  ['the opposite', { kind: 'approve' }, { kind: 'reject' }, 'conflict'],
])(
  proves('hold.resolves-once', 'two processes that say %s about one hold at once: one is accepted, the other is told'),
  async (_what, a, b, lost) => {
    const store = memoryStore({ now: () => 0 })
    const [one] = await two([{ calls: [call('pay')] }, 'Done.'], store)
    await one.send('Go')
    const other = await Session.open(desk([], { tools, process: 'q' }).agent, { store, id: 'c' })
    const callId = idOf(one, 'pay')

    const verdicts = await Promise.all([one.resolve(callId, a, { by: 'a' }), other.resolve(callId, b, { by: 'b' })])

    expect(verdicts.map(({ verdict }) => verdict).toSorted()).toEqual(['accepted', lost].toSorted())
    expect(await store.read(addressOf('c'), 0)).toHaveLength(4)
    expect(one.events.length === 4 || other.events.length === 4).toBe(true)
  },
)

test('a process that opened the conversation before the call was held can answer it', async () => {
  const [one, other] = await two([{ calls: [call('pay')] }, 'Done.'])
  await one.send('Go')

  expect(await other.approve(idOf(one, 'pay'))).toMatchObject({ verdict: 'accepted' })
})

test('a process that has not heard of the answer elsewhere still tells the truth about it', async () => {
  const [one, other] = await two([{ calls: [call('person')] }, 'Done.'])
  await one.send('Go')
  const callId = idOf(one, 'person')
  await other.answer(callId, 'red', { by: 'b' })

  expect(await one.answer(callId, 'red')).toMatchObject({ verdict: 'duplicate', first: { by: 'b' } })
})

test('an answer given in another process is what continue goes on with', async () => {
  const [one, other] = await two([{ calls: [call('pay')] }, 'Done.'])
  await one.send('Go')
  await other.approve(idOf(one, 'pay'))

  expect(await one.continue()).toMatchObject({ status: 'done', text: 'Done.' })
  expect(ran).toHaveLength(1)
})

test('a turn cancelled elsewhere is not continued here, and one begun elsewhere can be cancelled here', async () => {
  const [one, other] = await two([{ calls: [call('pay')] }, 'Done.'])
  await one.send('Go')

  expect(await other.cancel()).toEqual({ ok: true })
  expect(await one.cancel()).toMatchObject({ ok: false, refusal: 'nothing-to-cancel' })
  expect(
    await one.approve(one.events.flatMap((event) => (event.type === 'call.held' ? [event.callId] : []))[0]!),
  ).toMatchObject({ verdict: 'stale' })
})

test(
  proves('log.no-gaps', 'a driver that meets the append of another process as a conflict takes it in and goes on'),
  async () => {
    const [one, other] = await two([{ calls: [call('slow'), call('pay')] }, 'Both done.'])
    const done = one.send('Go')
    await until(() => slow.release.length === 1)

    expect(await other.approve(idOf(one, 'pay'), { by: 'elsewhere' })).toMatchObject({ verdict: 'accepted' })
    for (const release of slow.release) release()

    expect(await done).toMatchObject({ status: 'done', text: 'Both done.' })
    expect(outcomes(one)).toEqual({ slow: { ok: true, value: 'slow' }, pay: { ok: true, value: 'paid' } })
    expect(types(one).filter((type) => type === 'call.started')).toHaveLength(2)
    expectSound(one)
  },
)

test('a running call that is cancelled in another process has the outcome that was written first', async () => {
  const [one, other] = await two([{ calls: [call('slow')] }, 'Never.'])
  const done = one.send('Go')
  await until(() => slow.release.length === 1)

  await other.cancel()
  for (const release of slow.release) release()

  expect(await done).toMatchObject({ status: 'stopped', reason: 'cancelled' })
  expect(outcomes(one)).toMatchObject({ slow: { ok: false, error: { code: 'cancelled' } } })
})

/** Every operation takes some turns of the event loop, in an order made by chance. */
function unsteady(store: Store, delays: Iterator<number, void>): Store {
  const wait = async (): Promise<void> => {
    for (let left = delays.next().value ?? 0; left > 0; left--) await tick()
  }
  const slowly = async <T>(work: () => Promise<T>): Promise<T> => {
    await wait()
    const done = await work()
    await wait()
    return done
  }
  return {
    ...store,
    append: (write) => slowly(() => store.append(write)),
    load: (from) => slowly(() => store.load(from)),
    read: (...given) => slowly(() => store.read(...given)),
  }
}

test(
  proves(
    'hold.resolves-once',
    'call.one-outcome',
    'log.no-gaps',
    'answers from two processes over an unsteady store: each hold takes one, each approved call runs once',
  ),
  async () => {
    let conflicts = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 4 }), { minLength: 80, maxLength: 80 }),
        fc.array(fc.tuple(fc.nat({ max: 2 }), fc.boolean(), fc.boolean()), { minLength: 2, maxLength: 6 }),
        async (delays, answers) => {
          const store = memoryStore({ now: () => 0 })
          const chance = delays.values()
          const scripts = [{ calls: [call('pay'), call('pay'), call('person')] }, 'Done.']
          ran.length = 0
          const [one, other] = await Promise.all(
            ['p', 'q'].map((process) =>
              Session.open(desk(scripts, { tools, process }).agent, { store: unsteady(store, chance), id: 'c' }),
            ),
          )
          const { holds } = await one!.send('Go')

          const verdicts = await Promise.all(
            answers.map(async ([which, here, yes]) => {
              const { callId, name } = holds[which]!
              const session = here ? one! : other!
              const { verdict } = await (name === 'person'
                ? session.answer(callId, yes)
                : yes
                  ? session.approve(callId)
                  : session.reject(callId))
              return [callId, verdict] as const
            }),
          )
          for (const { callId } of holds) {
            const own = verdicts.filter(([id]) => id === callId).map(([, verdict]) => verdict)
            expect(own.filter((verdict) => verdict === 'accepted')).toHaveLength(own.length > 0 ? 1 : 0)
            conflicts += own.filter((verdict) => verdict === 'conflict').length
          }
          await one!.continue()
          expectSound(one!)
          expect(new Set(ran).size).toBe(ran.length)
        },
      ),
      { numRuns: 150 },
    )
    expect(conflicts).toBeGreaterThan(10)
  },
)

test('continue is never lost, however it falls together with the end of the work before it', async () => {
  for (let delay = 0; delay < 60; delay++) {
    const [session] = await two([{ calls: [call('slow'), call('pay')] }, 'Done.'])
    const first = session.send('Go')
    await until(() => slow.release.length === 1 && session.holds.length === 1)
    const callId = idOf(session, 'pay')
    slow.release[0]!()
    for (let i = 0; i < delay; i++) await Promise.resolve()
    const second = session.approve(callId).then(() => session.continue())

    await Promise.all([first, second])

    expect([delay, session.status]).toEqual([delay, 'completed'])
  }
})
