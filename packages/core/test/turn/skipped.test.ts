/** A turn that was skipped, and what goes on beside turns: neither is in the way of what is read later. */
import { expect, test } from 'vitest'
import { evolve, fold, renderPrompt, type LogEvent } from '../../src/index.ts'
import { decideSend } from '../../src/turn/decide.ts'
import { resultOf } from '@holdpoint/runtime/internal/session/result'
import { Transcript } from '../../src/prompt/transcript.ts'
import { Walk } from '../../../../test/kit/walk.ts'

const limits = { maxSteps: 3 }
const item = { kind: 'event', id: 'e', at: 0, event: { type: 'trigger', name: 'it', data: null } } as const
const plan = { id: 'p', what: 'it', missed: 'once', nextAt: 7 } as const
const usage = { inputTokens: 1, outputTokens: 1 }
const reply = { parts: [{ type: 'text', text: 'Well.' }], finish: 'stop', usage } as const

function stamped(...bodies: readonly object[]): readonly LogEvent[] {
  return bodies.map((body, index) => ({ ...body, seq: index + 1, at: 0 }) as LogEvent)
}

const call = { type: 'call', callId: 'c', vendorId: 'v', name: 'skip', input: {} } as const
const said = (turnId: string) => [
  { type: 'turn.started', turnId, agent: 'a', limits, items: [item] },
  { type: 'model.replied', turnId, step: 1, reply },
]
const skipped = [
  { type: 'turn.started', turnId: 'none', agent: 'a', limits, items: [item] },
  { type: 'model.replied', turnId: 'none', step: 1, reply: { ...reply, parts: [call] } },
  { type: 'call.started', callId: 'c', attempt: 1 },
  { type: 'call.settled', callId: 'c', outcome: { ok: true, value: 1 }, halt: { reason: 'skipped', message: '' } },
  { type: 'turn.ended', turnId: 'none', reason: 'skipped' },
]

test('wherever pages end, a transcript that is read backwards drops the turns that were skipped', () => {
  const log = stamped(...said('t1'), ...skipped, ...said('t2'))
  const whole = Transcript.of(log).passages
  expect(whole.map(({ from }) => from)).toEqual([1, 8])
  for (let first = 0; first <= log.length; first++)
    for (let second = first; second <= log.length; second++) {
      const transcript = Transcript.of(log.slice(second))
      transcript.addOlder(log.slice(first, second))
      transcript.addOlder(log.slice(0, first))
      expect(transcript.passages, `pages end at ${first} and ${second}`).toEqual(whole)
    }
})

test('any log read backwards page by page is the same transcript as read from its beginning', async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const walk = new Walk(Array.from({ length: 300 }, (_, n) => (seed * 7919 + n * n * 31 + n * seed) % 1000))
    while (!walk.over) await walk.step()
    const whole = Transcript.of(walk.log)
    for (const page of [1, 2, 5]) {
      const transcript = new Transcript()
      for (let end = walk.log.length; end > 0; end -= page)
        transcript.addOlder(walk.log.slice(Math.max(0, end - page), end))
      expect(transcript.passages).toEqual(whole.passages)
    }
  }
})

test('there is nothing to continue after a turn that was skipped', () => {
  const state = fold(stamped(...skipped))
  const decision = decideSend(state, { item: undefined, plan: { turnId: 't', agent: 'a', limits }, whileBusy: 'queue' })
  expect(decision).toEqual({ ok: true, events: [] })
  expect(renderPrompt([], stamped(...skipped))).toEqual([])
})

test('what a turn came to is told although a plan fired and notices were told while it went on', () => {
  const spaces = { calls: [], current: 's' }
  const log = stamped(
    { type: 'conversation.opened', agent: 'a' },
    { type: 'plan.set', plan },
    { type: 'turn.started', turnId: 't0', agent: 'a', limits, items: [item] },
    { type: 'model.replied', turnId: 't0', step: 1, reply: { ...reply, parts: [call] }, spaces },
    { type: 'call.settled', callId: 'c', outcome: { ok: true, value: 1 } },
    { type: 'model.replied', turnId: 't0', step: 2, reply },
    { type: 'turn.started', turnId: 't1', agent: 'a', limits, items: [item] },
    { type: 'plan.fired', planId: 'p', what: 'it', due: [7], missed: 0 },
    { type: 'notices.delivered', count: 2 },
    { type: 'model.replied', turnId: 't1', step: 1, reply },
    { type: 'turn.started', turnId: 't2', agent: 'a', limits, items: [], queued: 1 },
  )
  const state = log.reduce(evolve, fold([]))
  expect(resultOf(log, state, 'auto', 't1')).toMatchObject({ status: 'done', text: 'Well.' })
})

test('a plan that is changed keeps when it is due, if its times are the same: it may have fired meanwhile', () => {
  const cron = { line: '* * * * *', timeZone: 'UTC' }
  const log = stamped(
    { type: 'conversation.opened', agent: 'a' },
    { type: 'plan.set', plan: { ...plan, cron } },
    { type: 'plan.fired', planId: 'p', what: 'it', due: [7], missed: 0, next: 60_000 },
    { type: 'plan.set', plan: { ...plan, cron, what: 'something else' } },
  )
  expect(fold(log).plans.get('p')).toEqual({ ...plan, cron, what: 'something else', nextAt: 60_000 })
  const moved = { ...plan, cron: { ...cron, timeZone: 'Europe/Paris' } }
  expect(evolve(fold(log), { type: 'plan.set', plan: moved, seq: 5, at: 0 }).plans.get('p')).toEqual(moved)
})
