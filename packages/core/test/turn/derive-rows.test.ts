import { proves } from '@holdpoint/testing'
import fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { evolve, fold, next, type Conversation, type EventBody, type HoldRow, type LogEvent } from '../../src/index.ts'
import { openHolds } from '@holdpoint/runtime/internal/session/result'
import { callsOf } from '../../src/model/reply.ts'
import { fromBase, toBase } from '../../src/turn/conversation-base.ts'
import { evolveCall, newCall } from '../../src/turn/call.ts'
import { findCall } from '../../src/turn/find-call.ts'
import { deriveRows } from '../../src/turn/derive-rows.ts'
import type { Call } from '../../src/turn/turn-state.ts'
import { after, approved, held, replied, running, settled, stamped, started } from './history.ts'
import { Walk } from '../../../../test/kit/walk.ts'

const choices = fc.array(fc.nat({ max: 1000 }), { minLength: 20, maxLength: 400, size: 'max' })

async function walked(numbers: readonly number[]): Promise<Walk> {
  const walk = new Walk(numbers)
  while (!walk.over) await walk.step()
  return walk
}

/** The state of each prefix of a log, the empty one first. */
function states(log: readonly LogEvent[]): readonly Conversation[] {
  const all = [fold([])]
  for (const event of log) all.push(evolve(all.at(-1)!, event))
  return all
}

test(
  proves('log.fold-equals-live', 'folding on from the state that was kept at any rest is folding the whole log'),
  async () => {
    const met = { bases: 0, waiting: 0, queued: 0 }
    await fc.assert(
      fc.asyncProperty(choices, async (numbers) => {
        const { log } = await walked(numbers)
        const whole = states(log)
        for (const [seq, state] of whole.entries()) {
          const base = toBase(state)
          expect(base !== undefined).toBe(state.turn.phase === 'rest')
          if (base === undefined) continue
          met.bases++
          met.waiting += state.waiting.size
          met.queued += state.queue.length
          let restored = fromBase(seq, JSON.parse(JSON.stringify(base)))
          for (const [index, live] of whole.slice(seq).entries()) {
            if (index > 0) restored = evolve(restored, log[seq + index - 1]!)
            expectSame(restored, live)
            expectSame(next(restored), next(live))
          }
        }
      }),
      { numRuns: 700, seed: 5 },
    )
    expect(met.bases).toBeGreaterThan(500)
    expect(met.waiting).toBeGreaterThan(100)
    expect(met.queued).toBeGreaterThan(20)
  },
  240_000,
)

/** `toStrictEqual`, which is slow, only to tell what differs. */
function expectSame(given: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(given, wanted)) expect(given).toStrictEqual(wanted)
}

/** What stands beside the log, as a store has it after each write. */
class Beside {
  state: Conversation = fold([])
  readonly log: LogEvent[] = []
  readonly holds = new Map<string, HoldRow>()

  write(events: readonly EventBody[]): ReturnType<typeof deriveRows> {
    const before = this.state
    for (const body of events) {
      const event: LogEvent = { ...body, seq: this.state.seq + 1, at: 0 }
      this.log.push(event)
      this.state = evolve(this.state, event)
    }
    const rows = deriveRows(
      before,
      this.state,
      events,
      events.flatMap((event) => this.recall(event)),
    )
    for (const row of rows.holds) this.holds.set(row.callId, row)
    return rows
  }

  /** As a store gives it back: from the events its row tells of, and nothing else. */
  call(callId: string): Call | undefined {
    let call: Call | undefined
    for (const seq of this.holds.get(callId)?.seqs ?? []) {
      const event = this.log[seq - 1]!
      const part = event.type === 'model.replied' && callsOf(event.reply).find((each) => each.callId === callId)
      if (event.type === 'model.replied' && part) call = newCall(part, seq, event)
      else if ('callId' in event) call = evolveCall(call!, event)
    }
    return call
  }

  recall(event: EventBody): Call[] {
    const call = 'callId' in event ? this.call(event.callId) : undefined
    return call ? [call] : []
  }
}

test(
  proves('log.fold-equals-live', 'what is derived write by write is at any time what the whole log says'),
  async () => {
    const met = { running: 0, held: 0, idle: 0, asleep: 0, closed: 0, recalled: 0, started: 0 }
    await fc.assert(
      fc.asyncProperty(choices, async (numbers) => {
        const beside = new Beside()
        const walk = await walked(numbers)
        for (const events of walk.writes) {
          met.recalled += events.filter((event) => 'callId' in event && isForgotten(event.callId, beside)).length
          const rows = beside.write(events)
          const { state, log, holds } = beside
          met[rows.status]++
          expect(rows.status).toBe(statusOf(state))
          const deadlines = [...openHolds(state).map(({ expiresAt }) => expiresAt), ...dueTimes(state)]
          expect(rows.wakeAt).toBe(deadlines.toSorted((a, b) => a - b)[0])
          if (rows.status === 'idle' && rows.wakeAt !== undefined) met.asleep++
          expect(rows.agent).toBe('walker')
          expectSame(rows.base, toBase(state))

          const open = [...holds.values()].filter((row) => row.open)
          expect(
            new Set(open.map(({ callId, tool, kind, expiresAt }) => [callId, tool, kind, expiresAt].join())),
          ).toEqual(
            new Set(
              openHolds(state).map(({ callId, name, kind, expiresAt }) => [callId, name, kind, expiresAt].join()),
            ),
          )
          met.closed += holds.size - open.length

          const everHeld = log.flatMap((event) => (event.type === 'call.held' ? [event.callId] : []))
          expect(new Set(holds.keys())).toEqual(new Set(everHeld))
          for (const { callId, seqs, open: isOpen, heldAt } of holds.values()) {
            const newest = seqs.findLast((seq) => log[seq - 1]?.type === 'call.held')!
            if (isOpen) expect(heldAt).toBe(walk.log[newest - 1]?.at)
            const about = log.filter((event) => isAbout(event, callId))
            // Of a start the row tells together with what came of it.
            const told = about.slice(0, about.findLastIndex(({ type }) => type !== 'call.started') + 1)
            met.started += about.length - told.length
            expect(seqs).toEqual(told.map(({ seq }) => seq))
            const live = findCall(state, callId)
            if (live && told.length === about.length) expectSame(beside.call(callId), live)
          }
        }
      }),
      { numRuns: 1500, seed: 6 },
    )
    for (const [what, times] of Object.entries(met)) expect(times, what).toBeGreaterThan(10)
  },
  240_000,
)

/** The events are about a call that waited, and of which the state knows nothing any more. */
function isForgotten(callId: string, { state, holds }: Beside): boolean {
  return holds.has(callId) && !findCall(state, callId)
}

/** Read off the turn, and not off its effects as `deriveRows` does it. */
function statusOf({ turn, queue, outbox }: Conversation): string {
  if (outbox.length > 0) return 'running'
  if (turn.phase === 'rest') return queue.length > 0 ? 'running' : 'idle'
  const open = turn.phase === 'calls' ? turn.calls.filter(({ at }) => at !== 'settled') : []
  return open.length > 0 && open.every(({ at }) => at === 'held') ? 'held' : 'running'
}

function dueTimes({ plans }: Conversation): readonly number[] {
  return Array.from(plans.values(), ({ nextAt }) => nextAt)
}

function isAbout(event: LogEvent, callId: string): boolean {
  if (event.type === 'model.replied') return callsOf(event.reply).some((part) => part.callId === callId)
  return 'callId' in event && event.callId === callId
}

const job = held('c1', { kind: 'external', accepts: ['answer'], async: true, timeoutMs: 500, expiresAt: 1500 })

function rowsOf(...writes: readonly (readonly EventBody[])[]): ReturnType<typeof deriveRows> {
  const beside = new Beside()
  return writes.map((events) => beside.write(events)).at(-1)!
}

test('a conversation that waits for an async answer alone is idle, and is to be woken at its deadline', () => {
  const rows = rowsOf([started], [replied(1, 'c1'), job, settled('c1')], [replied(2)])

  expect(rows).toMatchObject({ agent: 'desk', status: 'idle', wakeAt: 1500, holds: [] })
})

test('a call that is held as it is made has its row at once, and one that never waits has none', () => {
  const rows = rowsOf([started, replied(1, 'c1', 'c2'), held('c2')])

  const row = { callId: 'c2', tool: 'email.send', kind: 'approval', open: true, heldAt: 1000, expiresAt: 31_000 }
  expect(rows).toMatchObject({ status: 'running', wakeAt: 31_000, holds: [{ ...row, seqs: [2, 3] }] })
  expect(rows.holds).toHaveLength(1)
})

test('a call that was answered keeps its row through everything that happens to it, for later answers', () => {
  const before = [[started], [replied(1, 'c1'), held('c1')], [approved('c1')]] as const

  expect(rowsOf(...before).holds).toMatchObject([{ kind: 'approval', open: false, seqs: [2, 3, 4] }])
  // A start is not reported on its own: the outcome reports it.
  expect(rowsOf(...before, [running('c1')]).holds).toEqual([])
  expect(rowsOf(...before, [running('c1')], [settled('c1')]).holds).toMatchObject([
    { kind: 'approval', open: false, seqs: [2, 3, 4, 5, 6] },
  ])
})

test('a turn in progress is no place to start folding from', () => {
  expect(toBase(after(started))).toBeUndefined()
  expect(toBase(after(started, replied(1, 'c1'), held('c1')))).toBeUndefined()
  expect(fromBase(2, toBase(after(started, replied(1)))!)).toEqual(fold(stamped(started, replied(1))))
})

test('whose conversation it is and what plugins remember is part of what is kept', () => {
  const remembered: EventBody = { type: 'state.changed', plugin: 'notes', value: { open: ['a'] } }
  const state = after({ type: 'conversation.opened', agent: 'desk' }, remembered)

  expect(fromBase(2, toBase(state)!)).toStrictEqual(state)
  expect(state).toMatchObject({ agent: 'desk', plugins: { notes: { open: ['a'] } } })
})

test('an answer to a call of an earlier turn is not written without that call: its row would not tell of it', () => {
  const before = after(started, replied(1, 'c1'), held('c1'), settled('c1'), replied(2))
  const arrived: EventBody = {
    type: 'answer.arrived',
    callId: 'c1',
    name: 'email.send',
    outcome: { ok: true, value: 1 },
  }

  const writing = (): unknown => deriveRows(before, evolve(before, { ...arrived, seq: 6, at: 0 }), [arrived], [])

  expect(writing).toThrow('Event 6 is about a call, c1, that is not known.')
})
