/** SIGSTOP past the lease: one process stands still in the middle of a tool, another takes over, the first wakes up. */
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { effectsIn } from '../../crash/campaign.ts'
import { nap } from '../../crash/desk.ts'
import type { Place } from './places.ts'
import { callsTo, has, isOver, openStation, type Station } from './station.ts'

/** Of the stations; and what a busy machine may need besides. */
const LEASE_MS = 400
const TIMEOUT_MS = 4000

/**
 * `charge` may run once. An effect that no process recorded cannot be undone: stopped right before its effect, the
 * first process still lets it out when it wakes, long after the second one wrote that the call is lost. That is why the
 * outcome says "may or may not have done its work". What must not be is a second start, a second result, a second effect.
 */
export async function stopInTheMiddle({ place, effects }: Place, where: 'before' | 'after'): Promise<Once> {
  const first = await openStation({ place, effects, env: { PAUSE_AT: `charge:${where}` } })
  await first.ask('submit', 'c', 'order one')
  await first.child.line('at')
  await first.ask('events', 'c') // nothing it was asked for is on its way
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
  // It is awake, has let its effect out, and has found out that it no longer drives.
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
 * The second process is in the middle of the call itself when the first one wakes up. A driver that meets a running call
 * it did not start takes it for one whose process died; so the first must not even think that it drives.
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

/** The attempts that did something, in the order they did. */
function notes(effects: string): number[] {
  return effectsIn(effects).flatMap(({ tool, attempt }) => (tool === 'note' ? [attempt] : []))
}

interface Once {
  readonly charge: readonly string[]
  readonly results: readonly number[]
  readonly effects: number
}

/**
 * One result of each call, one start and one effect of `charge`. Not of `email`, which runs later: where a machine is so
 * busy that a lease of 400 ms expires, the call may rightly be lost before it did anything.
 */
export const ONCE: Once = {
  charge: ['call.cleared', 'call.started', 'call.settled'],
  results: [1, 1, 1, 1],
  effects: 1,
}

/** By the one that was stopped: it is as good as new. */
async function finish(station: Station): Promise<void> {
  const { items } = await station.ask('pending')
  const [email, ship] = ['email', 'ship'].map((tool) => items.find(({ name }) => name === tool)?.callId ?? '')
  for (const by of ['ann', 'bob'])
    expect(await station.ask('approve', 'c', email ?? '', { by })).toMatchObject({ verdict: 'accepted' })
  expect(await station.ask('answer', 'c', ship ?? '', 'sent')).toMatchObject({ verdict: 'accepted' })
}

/**
 * Not while it commits. A process that stands still in the middle of a commit keeps SQLite's lock, and with it every
 * other process of that file waits until it goes on or dies: that is SQLite's way, and not ours to change.
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
