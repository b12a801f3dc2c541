/** Any log forks at any event. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { logged } from '../../src/log/batch.ts'
import type { LogEvent } from '../../src/log/log-event.ts'
import { callsOf } from '../../src/model/reply.ts'
import { forkOf, type ForkRequest } from '../../src/turn/fork.ts'
import { renamed } from '../../src/turn/renamed.ts'
import { evolve, fold, next, openCalls } from '../../src/turn/turn.ts'
import { emptyConversation, isDeadline } from '../../src/turn/turn-state.ts'
import { Walk } from '../../../../test/kit/walk.ts'

const walks = fc.array(fc.nat({ max: 1000 }), { minLength: 20, maxLength: 150, size: 'max' })

function forked(events: readonly LogEvent[], at: number, more: Partial<ForkRequest> = {}): readonly LogEvent[] {
  let ids = 0
  const newId = (): string => `copy${++ids}`
  const request = { events, conversationId: 'c', at, held: 'settled', by: undefined, now: 9e9, newId, ...more } as const
  return forkOf(request).map((event, index) => logged(event, index + 1, request.now))
}

/** Undoes the new ids of a fork. */
function original(fork: readonly LogEvent[], events: readonly LogEvent[]): readonly LogEvent[] {
  const before = new Map<string, string>()
  for (const [index, event] of fork.entries()) {
    const own = events[index]
    if (event.type === 'turn.started' && own?.type === 'turn.started') before.set(event.turnId, own.turnId)
    if (event.type === 'model.replied' && own?.type === 'model.replied')
      for (const [nth, { callId }] of callsOf(event.reply).entries())
        before.set(callId, callsOf(own.reply)[nth]?.callId ?? '')
  }
  const back = (id: string): string => before.get(id) ?? id
  return fork.map((event) => renamed(event, { turn: back, call: back }))
}

test('a fork at any event folds to what the log was there, and then nothing of it runs', async () => {
  let withHeld = 0
  await fc.assert(
    fc.asyncProperty(
      walks,
      fc.nat(),
      fc.constantFrom('held' as const, 'settled' as const),
      async (numbers, n, held) => {
        const walk = new Walk(numbers)
        while (!walk.over) await walk.step()
        const { log } = walk
        if (log.length === 0) return
        const at = 1 + (n % log.length)
        const fork = forked(log, at, { held })
        expect(original(fork.slice(0, at), log)).toEqual(log.slice(0, at))
        expect(fold(original(fork.slice(0, at), log))).toEqual(fold(log.slice(0, at)))

        const state = fold(fork)
        expect(next(state).filter((effect) => !isDeadline(effect))).toEqual([])
        const before = openCalls(fold(log.slice(0, at)).turn)
        const heldBefore = before.filter((call) => call.at === 'held' && call.endorsed.length === 0).length
        const open = openCalls(state.turn)
        expect(open.map((call) => call.at)).toEqual(held === 'held' ? Array(heldBefore).fill('held') : [])
        if (held === 'settled') expect(next(state)).toEqual([])
        withHeld += open.length
        // No call of the fork has an id of the original.
        const ids = new Set(log.flatMap((event) => ('callId' in event ? [event.callId] : [])))
        expect(fork.filter((event) => 'callId' in event && ids.has(event.callId))).toEqual([])
      },
    ),
    { numRuns: 300 },
  )
  expect(withHeld).toBeGreaterThan(10)
})

test('a fork of a fork, at every event, can be driven on', async () => {
  const walk = new Walk(Array.from({ length: 120 }, (_, index) => (index * 7919) % 1000))
  while (!walk.over) await walk.step()
  for (let at = 1; at <= walk.log.length; at++) {
    const fork = forked(walk.log, at)
    const again = forked(fork, fork.length)
    let state = emptyConversation
    for (const event of again) state = evolve(state, event)
    expect(state.turn.phase).toBe('rest')
  }
})

test('results of the log stand, and a call without one gets the result that it got later', async () => {
  const events = logOf(
    { type: 'turn.started', turnId: 't', agent: 'desk', items: [message('Pay')], limits: { maxSteps: 5 } },
    replied('t', 1, 't.1.1', 't.1.2', 't.1.3'),
    { type: 'call.started', callId: 't.1.1', attempt: 1 },
    { type: 'call.settled', callId: 't.1.1', outcome: { ok: true, value: 'first' } },
    { type: 'call.started', callId: 't.1.2', attempt: 1 },
    { type: 'call.settled', callId: 't.1.2', outcome: { ok: true, value: 'second' } },
  )
  const settled = forked(events, 5).flatMap((event) => (event.type === 'call.settled' ? [event] : []))
  expect(settled.map(({ callId, outcome }) => [callId, outcome.ok ? outcome.value : outcome.error.code])).toEqual([
    ['copy1.1.1', 'first'],
    ['copy1.1.2', 'second'],
    ['copy1.1.3', 'cancelled'],
  ])
  const state = fold(forked(events, 5))
  expect(state.turn).toMatchObject({ phase: 'rest', last: { turnId: 'copy1', reason: 'interrupted' } })
})

test('an approval of one of two approvers does not count in a fork', () => {
  const hold = {
    kind: 'approval',
    accepts: ['approve', 'reject'],
    approvers: 2,
    input: {},
    inputHash: 'h',
    expiresAt: 9e9,
  }
  const log = logOf(
    { type: 'turn.started', turnId: 't', agent: 'desk', limits: { maxSteps: 3 }, items: [message('Pay')] },
    replied('t', 1, 't.1.1', 't.1.2'),
    { type: 'call.held', callId: 't.1.1', hold },
    { type: 'call.held', callId: 't.1.2', hold },
    { type: 'call.endorsed', callId: 't.1.1', by: 'ann', inputHash: 'h' },
  )
  const state = fold(forked(log, 5, { held: 'held' }))
  expect(openCalls(state.turn)).toMatchObject([{ callId: 'copy1.1.2', at: 'held', endorsed: [] }])
  expect(openCalls(fold(forked(log, 4, { held: 'held' })).turn)).toHaveLength(2)
})

test('a fork belongs to the person who made it, and has no plans and no notices', async () => {
  const walk = new Walk(Array.from({ length: 150 }, (_, index) => (index * 31) % 1000))
  while (!walk.over) await walk.step()
  const fork = forked(walk.log, walk.log.length, { held: 'held', by: { id: 'ada', kind: 'person' } })
  const state = fold(fork)
  expect(state.people).toEqual({ owner: 'ada', participants: [] })
  expect(state.plans.size + state.outbox.length).toBe(0)
})

function logOf(...bodies: readonly object[]): readonly LogEvent[] {
  return bodies.map((body, index) => ({ ...body, seq: index + 1, at: 1000 + index }) as LogEvent)
}

function message(text: string): object {
  return { kind: 'message', message: { parts: [{ type: 'text', text }] } }
}

function replied(turnId: string, step: number, ...callIds: readonly string[]): object {
  const parts = callIds.map((callId) => ({ type: 'call', callId, vendorId: callId, name: 'pay', input: {} }))
  const usage = { inputTokens: 1, outputTokens: 1 }
  return { type: 'model.replied', turnId, step, reply: { parts, finish: 'calls', usage } }
}
