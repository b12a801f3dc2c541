import { principalOf } from '../../src/principal.ts'
import { expect, test } from 'vitest'
import { proves } from '@holdpoint/testing'
import { fold, type Call, type EventBody, type Resolution } from '../../src/index.ts'
import type { ResolveDecision } from '../../src/turn/verdict.ts'
import { decideResolve, type Resolve } from '../../src/turn/resolve.ts'
import { after, approved, held, replied, running, settled, stamped, started } from './history.ts'
import { findCall } from '../../src/turn/find-call.ts'

const approve: Resolution = { kind: 'approve' }
const reject: Resolution = { kind: 'reject', reason: 'no' }
const answer: Resolution = { kind: 'answer', value: 'yes' }
const second = { kind: 'client', cause: 'tool', timeoutMs: 50, onExpire: 'error', late: 'reject' } as const

/** The call "a" after these events, with a sibling that keeps the round open. */
function call(...events: readonly EventBody[]): Call | undefined {
  return findCall(after(started, replied(1, 'a', 'sibling'), ...events), 'a')
}

function resolve(
  target: Call | undefined,
  resolution: Resolution,
  by?: string,
  more: Partial<Resolve> = {},
): ResolveDecision {
  return decideResolve(target, { callId: 'a', resolution, by: principalOf(by), now: 2000, ...more })
}

/** The events a first resolution led to, as part of the log. */
function afterwards(given: readonly EventBody[], resolution: Resolution, by?: string): Call | undefined {
  return call(...given, ...resolve(call(...given), resolution, by).events)
}

test('approve lets the call run, bound to the hash and the definition it was shown with', () => {
  expect(resolve(call(held('a')), approve, 'ann')).toMatchObject({
    verdict: 'accepted',
    events: [
      { type: 'call.approved', callId: 'a', by: 'ann', resolution: approve, inputHash: 'hash', fingerprint: 'print' },
    ],
  })
})

test('approve with an edited input binds the yes to the edit', () => {
  const edited: Resolution = { kind: 'approve', input: { to: 'bob' } }
  expect(
    resolve(call(held('a')), edited, undefined, {
      edited: { effective: { to: 'BOB' }, inputHash: 'other', rule: { approvers: 1 } },
    }).events,
  ).toMatchObject([{ inputHash: 'other', resolution: edited, effective: { to: 'BOB' } }])
})

test('reject settles the call with the reason', () => {
  expect(resolve(call(held('a')), reject).events).toMatchObject([
    { type: 'call.settled', outcome: { error: { code: 'rejected', message: 'Rejected: no' } } },
  ])
  expect(resolve(call(held('a')), { kind: 'reject' }).events).toMatchObject([
    { outcome: { error: { message: 'Rejected.' } } },
  ])
})

test('an answer is the result, and may say that there is none', () => {
  const asked = held('a', { kind: 'elicitation', accepts: ['answer', 'reject'] })
  expect(resolve(call(asked), answer).events).toMatchObject([
    { type: 'call.settled', outcome: { ok: true, value: 'yes' } },
  ])
  expect(resolve(call(asked), { kind: 'answer', error: 'no idea' }).events).toMatchObject([
    { outcome: { error: { code: 'failed', message: 'no idea' } } },
  ])
})

test(
  proves(
    'hold.resolves-once',
    'the same answer again is a duplicate, a different one a conflict, and both name the first',
  ),
  () => {
    for (const first of [approve, reject]) {
      const done = afterwards([held('a')], first, 'ann')
      expect(resolve(done, first)).toMatchObject({
        verdict: 'duplicate',
        events: [],
        first: { by: 'ann', resolution: first },
      })
      expect(resolve(done, first === approve ? reject : approve)).toMatchObject({
        verdict: 'conflict',
        events: [],
        first: { by: 'ann' },
      })
      expect(resolve(done, { kind: 'reject', reason: 'another reason' }).verdict).toBe('conflict')
    }
  },
)

test('a gated client call is held twice, and each question has its own answer', () => {
  const gate = [held('a', { then: second })]
  const { events } = resolve(call(...gate), approve)
  expect(events).toMatchObject([
    { type: 'call.approved' },
    { type: 'call.held', hold: { kind: 'client', accepts: ['answer'], expiresAt: 2050, timeoutMs: 50 } },
  ])
  expect(events[1]).not.toHaveProperty('hold.then')
  const waiting = call(...gate, ...events)
  expect(resolve(waiting, approve).verdict).toBe('duplicate')
  expect(resolve(waiting, reject).verdict).toBe('conflict')
  expect(resolve(waiting, answer, undefined, { now: 2049 }).verdict).toBe('accepted')
  expect(resolve(call(...gate), answer).verdict).toBe('wrong-kind')
})

test('the second hold shows the edited input and its hash', () => {
  const edited: Resolution = { kind: 'approve', input: { to: 'bob' } }
  const { events } = resolve(call(held('a', { then: second })), edited, undefined, {
    edited: { effective: { to: 'BOB' }, inputHash: 'other', rule: { approvers: 1 } },
  })
  expect(events[1]).toMatchObject({ hold: { input: { to: 'BOB' }, inputHash: 'other', approvers: 1 } })
  const plain = resolve(call(held('a', { then: second })), approve)
  expect(plain.events[1]).toMatchObject({ hold: { input: {}, inputHash: 'hash' } })
})

test('an approved async call reads pending at once and is answered later, once', () => {
  const gate = [held('a', { then: { ...second, kind: 'external', async: true } })]
  const { events } = resolve(call(...gate), approve)
  expect(events.map((event) => event.type)).toEqual(['call.approved', 'call.held', 'call.settled'])
  expect(events[2]).toMatchObject({ outcome: { ok: true, value: { status: 'pending', toolCallId: 'a' } } })
  const pending = call(...gate, ...events)
  const arrived = resolve(pending, answer)
  expect(arrived).toMatchObject({
    verdict: 'accepted',
    events: [{ type: 'answer.arrived', outcome: { ok: true, value: 'yes' } }],
  })
  const state = fold(stamped(started, replied(1, 'a', 'sibling'), ...gate, ...events, ...arrived.events))
  expect(resolve(findCall(state, 'a'), answer).verdict).toBe('duplicate')
  expect(resolve(findCall(state, 'a'), { kind: 'answer', value: 'no' }).verdict).toBe('conflict')
})

test('several approvers must be different people who agree to the same input', () => {
  const gate = [held('a', { approvers: 2 })]
  expect(resolve(call(...gate), approve)).toMatchObject({
    verdict: 'invalid',
    message: expect.stringContaining('say who'),
  })
  const first = resolve(call(...gate), approve, 'ann')
  expect(first).toMatchObject({ verdict: 'accepted', remaining: 1, events: [{ type: 'call.endorsed', by: 'ann' }] })
  const once = call(...gate, ...first.events)
  expect(resolve(once, approve, 'ann')).toMatchObject({ verdict: 'duplicate', remaining: 1, events: [] })
  const edited: Resolution = { kind: 'approve', input: {} }
  expect(
    resolve(once, edited, 'bob', { edited: { effective: { to: 'BOB' }, inputHash: 'other', rule: { approvers: 1 } } }),
  ).toMatchObject({ verdict: 'accepted', remaining: 1, events: [{ type: 'call.endorsed' }] })
  expect(resolve(once, approve, 'bob')).toMatchObject({
    verdict: 'accepted',
    remaining: 0,
    events: [{ type: 'call.endorsed' }, { type: 'call.approved', by: 'bob' }],
  })
  expect(resolve(once, reject, 'bob').events).toMatchObject([{ type: 'call.settled' }])
})

test('an edit may ask for more approvers than what was proposed', () => {
  const edited: Resolution = { kind: 'approve', input: { euros: 9999 } }
  const more = { edited: { effective: { euros: 9999 }, inputHash: 'other', rule: { approvers: 2 } } }
  expect(resolve(call(held('a')), edited, 'ann', more)).toMatchObject({
    verdict: 'accepted',
    remaining: 1,
    events: [{ type: 'call.endorsed' }],
  })
})

test.each(['changed', 'lost'] as const)(
  'a repeated approval does not count for a call that was held again (%s)',
  (cause) => {
    const yes: EventBody = { ...approved('a'), by: 'ann' } as EventBody
    const again = call(held('a'), yes, held('a', { cause }))
    expect(resolve(again, approve, 'ann')).toMatchObject({
      verdict: 'duplicate',
      events: [],
      first: { nth: 1, by: 'ann' },
    })
    expect(resolve(again, approve, 'ann').message).toContain('hold 2')
    expect(resolve(again, approve, 'ann', { hold: 1 }).verdict).toBe('duplicate')
    expect(resolve(again, reject, 'ann', { hold: 1 }).verdict).toBe('conflict')
    expect(resolve(again, approve, 'ann', { hold: 2 }).verdict).toBe('accepted')
    expect(resolve(again, approve, 'bob').verdict).toBe('accepted')
    expect(resolve(again, reject, 'ann').verdict).toBe('accepted')
    expect(resolve(call(held('a'), yes, held('a')), approve, 'ann').verdict).toBe('accepted')
  },
)

test('an unknown call, and one that waits for no answer, are unknown', () => {
  expect(resolve(undefined, approve).verdict).toBe('unknown')
  expect(resolve(call(), approve).verdict).toBe('unknown')
  expect(resolve(call(running('a')), approve).verdict).toBe('unknown')
  expect(resolve(call(settled('a')), answer).verdict).toBe('unknown')
})

test('what a hold never took is of the wrong kind, before and after its answer', () => {
  expect(resolve(afterwards([held('a')], reject), answer).verdict).toBe('wrong-kind')
  expect(resolve(afterwards([held('a')], approve), answer).verdict).toBe('wrong-kind')
})

test('a hold takes only what it says it takes', () => {
  expect(resolve(call(held('a')), answer)).toMatchObject({
    verdict: 'wrong-kind',
    message: expect.stringContaining('approve or reject'),
  })
  expect(resolve(call(held('a', { kind: 'client', accepts: ['answer'] })), approve).verdict).toBe('wrong-kind')
})

test(
  proves(
    'expiry.first-durable-wins',
    'an answer at or after the deadline is expired, whether or not a process noticed the deadline',
  ),
  () => {
    expect(resolve(call(held('a')), approve, undefined, { now: 30_999 }).verdict).toBe('accepted')
    expect(resolve(call(held('a')), approve, undefined, { now: 31_000 })).toMatchObject({
      verdict: 'expired',
      events: [],
    })
    const noticed = call(held('a'), {
      type: 'call.settled',
      callId: 'a',
      outcome: { ok: false, error: { code: 'expired', message: 'late' } },
    })
    expect(resolve(noticed, approve).verdict).toBe('expired')
  },
)

test('a late answer reaches the agent as a message where the tool says so, once', () => {
  const late = { kind: 'external', accepts: ['answer'], late: 'inbox' } as const
  const expired: EventBody = {
    type: 'call.settled',
    callId: 'a',
    outcome: { ok: false, error: { code: 'expired', message: 'late' } },
  }
  const given = [held('a', late), expired]
  const first = resolve(call(...given), answer)
  expect(first).toMatchObject({
    verdict: 'accepted',
    message: expect.stringContaining('new message'),
    events: [{ type: 'answer.arrived', outcome: { ok: true, value: 'yes' } }],
  })
  expect(resolve(call(...given, ...first.events), answer).verdict).toBe('duplicate')
  expect(resolve(call(...given), approve).verdict).toBe('expired')
  expect(resolve(call(held('a', { ...late, accepts: ['approve', 'reject'] }), expired), answer).verdict).toBe('expired')
})

test.each(['cancelled', 'superseded'] as const)('an answer to a %s call is stale', (code) => {
  const gone = call(held('a'), {
    type: 'call.settled',
    callId: 'a',
    outcome: { ok: false, error: { code, message: code } },
  })
  expect(resolve(gone, approve)).toMatchObject({ verdict: 'stale', message: expect.stringContaining(code) })
})

test('a person may say of a lost call that it shall run again, be given up, or that this was its result', () => {
  const lost = [running('a'), held('a', { cause: 'lost', accepts: ['approve', 'reject', 'answer'] })]
  expect(resolve(call(...lost), approve).events).toMatchObject([{ type: 'call.approved' }])
  expect(resolve(call(...lost), reject).events).toMatchObject([{ type: 'call.settled', outcome: { ok: false } }])
  expect(resolve(call(...lost), answer).events).toMatchObject([{ type: 'call.settled', outcome: { ok: true } }])
  expect(resolve(afterwards(lost, approve), answer).verdict).toBe('conflict')
})
