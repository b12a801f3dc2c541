/** What a caller may answer is part of the decision, on the state that the answer would be written to. */
import { principalOf } from '../../src/principal.ts'
import { expect, test } from 'vitest'
import type { Call, CallOutcome, EventBody } from '../../src/index.ts'
import type { ResolveDecision } from '../../src/turn/verdict.ts'
import { decideResolve, type Resolve } from '../../src/turn/resolve.ts'
import { findCall } from '../../src/turn/find-call.ts'
import { after, held, replied, running, started } from './history.ts'

const answer = { kind: 'answer', value: 'yes' } as const
const question = held('a', { kind: 'elicitation', accepts: ['answer', 'reject'] })
const work = held('a', { kind: 'external', accepts: ['answer'] })
const asked = held('a', { kind: 'elicitation', accepts: ['answer', 'reject'], cause: 'asked', resumes: 'answer' })
const waits = held('a', { kind: 'external', accepts: ['answer'], cause: 'asked', resumes: 'deadline' })

function call(...events: readonly EventBody[]): Call | undefined {
  return findCall(after(started, replied(1, 'a', 'sibling'), ...events), 'a')
}

function resolve(
  target: Call | undefined,
  { by = 'w', ...more }: Partial<Omit<Resolve, 'by'>> & { readonly by?: string },
): ResolveDecision {
  return decideResolve(target, { callId: 'a', resolution: answer, by: principalOf(by), now: 2000, ...more })
}

function settled(outcome: CallOutcome): Extract<EventBody, { type: 'call.settled' }> {
  return { type: 'call.settled', callId: 'a', outcome }
}

const resumed: EventBody = { type: 'call.resumed', callId: 'a', resolution: answer, by: 'ann' }
const expired = settled({ ok: false, error: { code: 'expired', message: 'No answer.' } })

test('a hold is answered by a caller that may answer its kind, and by no other', () => {
  expect(resolve(call(question), { kinds: ['elicitation'] }).verdict).toBe('accepted')
  expect(resolve(call(question), {}).verdict).toBe('accepted')
  expect(resolve(call(question), { kinds: [] }).message).toMatch(/is not for this caller\.$/)
  for (const kinds of [['external'], ['approval', 'client'], []] as const) {
    const { verdict, events, message } = resolve(call(question), { kinds })
    expect([verdict, events]).toEqual(['not-allowed', []])
    expect(message).not.toContain('elicitation')
  }
})

test('a hold kind that this version does not know is closed to callers with limited rights', () => {
  const unheard = held('a', { kind: 'oracle' as 'external', accepts: ['answer'] })
  expect(resolve(call(unheard), { kinds: ['external', 'client', 'elicitation', 'approval'] }).verdict).toBe(
    'not-allowed',
  )
})

test('a caller is not told of an answer to a hold that it may not answer', () => {
  const done = call(question, { ...settled({ ok: true, value: 'yes' }), resolution: answer, by: 'ann' })
  expect(resolve(done, {})).toMatchObject({ verdict: 'duplicate', first: { by: 'ann' } })
  expect(resolve(done, { kinds: ['elicitation'] })).toMatchObject({ verdict: 'duplicate' })
  for (const value of ['yes', 'no']) {
    const told = resolve(done, { kinds: ['external'], resolution: { kind: 'answer', value } })
    expect(told.verdict).toBe('not-allowed')
    expect(JSON.stringify(told)).not.toContain('ann')
  }
})

test('nor by saying the same to the next hold of the call', () => {
  const next = call(asked, resumed, running('a'), waits)
  expect(resolve(next, { by: 'ann' }).verdict).toBe('duplicate')
  expect(resolve(next, { by: 'ann', kinds: ['elicitation', 'external'] }).verdict).toBe('duplicate')
  expect(resolve(next, { by: 'ann', kinds: ['external'] }).verdict).toBe('accepted')
})

test('the hold that is open decides, not one that the call had before', () => {
  const looked = call(running('a'), waits, { type: 'call.resumed', callId: 'a' }, running('a', 2), asked)
  expect(resolve(looked, { kinds: ['external'] }).verdict).toBe('not-allowed')
  expect(resolve(looked, { kinds: ['external'], hold: 1 }).verdict).toBe('expired')
  expect(resolve(looked, { kinds: ['external'], hold: 2 }).verdict).toBe('not-allowed')
  expect(resolve(looked, { kinds: ['elicitation'], hold: 2 }).verdict).toBe('accepted')
})

test('another kind of resolution than the hold takes is not allowed before it is wrong', () => {
  expect(resolve(call(work), { kinds: ['client'], resolution: { kind: 'approve' } }).verdict).toBe('not-allowed')
  expect(resolve(call(work), { kinds: ['external'], resolution: { kind: 'approve' } }).verdict).toBe('wrong-kind')
})

test('a late answer is taken from a caller that may, for the hold that it names', () => {
  const late = call(held('a', { kind: 'external', accepts: ['answer'], late: 'inbox' }), expired)
  expect(resolve(late, { kinds: ['client'] }).verdict).toBe('not-allowed')
  expect(resolve(late, { kinds: ['external'] }).events).toMatchObject([{ type: 'answer.arrived' }])
  expect(resolve(late, { kinds: ['external'], hold: 1 }).verdict).toBe('accepted')
  expect(resolve(late, { hold: 2 }).verdict).toBe('expired')
})

test('of a call that was cancelled a caller is told what it may know', () => {
  const cancelled = call(question, settled({ ok: false, error: { code: 'cancelled', message: 'Stop.' } }))
  expect(resolve(cancelled, { kinds: ['external'] }).verdict).toBe('not-allowed')
  expect(resolve(cancelled, { kinds: ['elicitation'] }).verdict).toBe('stale')
})

test('a call that never waited is unknown to every caller', () => {
  expect(resolve(call(running('a')), { kinds: ['external'] }).verdict).toBe('unknown')
  expect(resolve(undefined, { kinds: [] }).verdict).toBe('unknown')
})
