/** SIGSTOP past the lease: one process is paused in the middle of a tool, another takes over, and the first continues. */
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { effectsIn } from '../../crash/campaign.ts'
import { nap } from '../../crash/desk.ts'
import type { Place } from './places.ts'
import { callsTo, has, isOver, openStation, type Station } from './station.ts'

/** The lease of the stations. */
const LEASE_MS = 400
/** From its end to the takeover. A machine that is busy with other things takes much longer than one that is not. */
const TIMEOUT_MS = 30_000

/**
 * `charge` may run once. A side effect cannot be undone: a process that is paused right before its effect still has that
 * effect when it continues, after another process has recorded the call as lost. So the outcome says "may or may not have
 * done its work". There must be no second start, no second result and no second effect.
 */
export async function stopInTheMiddle({ place, effects }: Place, where: 'before' | 'after'): Promise<Once> {
  const first = await openStation({ place, effects, env: { PAUSE_AT: `charge:${where}` } })
  await first.ask('submit', 'c', 'order one')
  await first.child.line('at')
  await first.ask('events', 'c') // no request is pending
  await stop(first, place)
  const stoppedAt = performance.now()
  const done = effectsIn(effects).filter(({ tool }) => tool === 'charge').length
  expect(done).toBe(where === 'before' ? 0 : 1)

  const second = await openStation({ place, effects })
  const taken = await second.until('c', has('call.settled', 'charge'))
  expect(performance.now() - Math.max(stoppedAt + LEASE_MS, second.readyAt)).toBeLessThan(TIMEOUT_MS)
  expect(callsTo('charge', taken).at(-1)).toMatchObject({ outcome: { ok: false, error: { code: 'lost' } } })
  const held = await second.until('c', has('call.held', 'ship'))

  first.go()
  first.child.signal('SIGCONT')
  // The first process has continued, had its effect, and noticed that it is no longer the owner.
  while (effectsIn(effects).every(({ tool }) => tool !== 'charge')) await nap(10)
  await nap(LEASE_MS)
  expect(await first.log('c')).toEqual(held)

  await finish(first)
  const events = await second.until('c', isOver)
  const settled = (tool: string): number => callsTo(tool, events).filter(({ type }) => type === 'call.settled').length
  return {
    charge: callsTo('charge', events).map(({ type }) => type),
    results: ['note', 'charge', 'email', 'ship'].map(settled),
    effects: effectsIn(effects).filter(({ tool }) => tool === 'charge').length,
  }
}

/**
 * The first process continues while the second one runs the call. A driver treats a running call that it did not start as
 * interrupted. So the first process must not drive any more.
 */
export async function wakeInTheMiddle({ place, effects }: Place): Promise<readonly string[]> {
  const first = await openStation({ place, effects, env: { PAUSE_AT: 'note:before' } })
  await first.ask('submit', 'c', 'quick order one')
  await first.child.line('at')
  await first.until('c', has('call.settled', 'charge'))
  await stop(first, place)
  const second = await openStation({ place, effects, env: { PAUSE_AT: 'note:after' } })
  await second.child.line('at')

  first.go()
  first.child.signal('SIGCONT')
  while (notes(effects).length < 2) await nap(10)
  await nap(2 * LEASE_MS)
  expect(callsTo('note', await first.log('c')).map(({ type }) => type)).toEqual(['call.started', 'call.started'])

  second.go()
  const events = await second.until('c', isOver)
  expect(notes(effects).toSorted((a, b) => a - b)).toEqual([1, 2])
  return callsTo('note', events).map(({ type }) => type)
}

/** The attempts that had an effect, in order. */
function notes(effects: string): number[] {
  return effectsIn(effects).flatMap(({ tool, attempt }) => (tool === 'note' ? [attempt] : []))
}

interface Once {
  readonly charge: readonly string[]
  readonly results: readonly number[]
  readonly effects: number
}

/**
 * One result of each call, one start and one effect of `charge`. Not of `email`, which runs later: if a machine is so
 * busy that a lease of 400 ms expires, that call may be lost before it had an effect.
 */
export const ONCE: Once = {
  charge: ['call.cleared', 'call.started', 'call.settled'],
  results: [1, 1, 1, 1],
  effects: 1,
}

/** Uses the process that was paused: it works normally. */
async function finish(station: Station): Promise<void> {
  const { items } = await station.ask('pending')
  const [email, ship] = ['email', 'ship'].map((tool) => items.find(({ name }) => name === tool)?.callId ?? '')
  for (const by of ['ann', 'bob'])
    expect(await station.ask('approve', 'c', email ?? '', { by })).toMatchObject({ verdict: 'accepted' })
  expect(await station.ask('answer', 'c', ship ?? '', 'sent')).toMatchObject({ verdict: 'accepted' })
}

/**
 * Not during a commit. A process that is paused in the middle of a commit keeps SQLite's lock, and every other process of
 * that file waits until it continues or dies. Holdpoint cannot change that.
 */
async function stop(station: Station, place: string): Promise<void> {
  for (;;) {
    station.child.signal('SIGSTOP')
    if (place.startsWith('postgres') || isFree(place)) return
    station.child.signal('SIGCONT')
    await nap(30)
  }
}

function isFree(file: string): boolean {
  const db = new DatabaseSync(file, { timeout: 20 })
  try {
    db.exec('begin immediate; rollback')
    return true
  } catch {
    return false
  } finally {
    db.close()
  }
}
