import { expect, test } from 'vitest'
import { proves } from '@holdpoint/testing'
import type { Conversation, EventBody } from '../../src/index.ts'
import type { Decision } from '../../src/turn/decision.ts'
import { decideExpire } from '../../src/turn/expire-hold.ts'
import { decideCancel, decideQueued, decideSend } from '../../src/turn/decide.ts'
import { userMessage } from '../../src/log/message.ts'
import { after, held, hello, ok, plan, replied, running, settled, started } from './history.ts'

const next = { ...plan, turnId: 't2' }
const send = (state: Conversation, whileBusy: 'refuse' | 'queue' | 'supersede'): Decision =>
  decideSend(state, { item: hello, plan: next, whileBusy })
const goOn = (state: Conversation): Decision => decideSend(state, { item: undefined, plan: next, whileBusy: 'refuse' })
const busy = () => after(started, replied(1, 'a', 'b', 'c'), held('a'), running('b'), settled('c'))
const types = (decision: Decision): string[] =>
  decision.ok ? decision.events.map((event) => event.type) : [decision.refusal]

test('a message to an idle conversation starts a turn', () => {
  expect(send(after(), 'refuse')).toEqual({ ok: true, events: [{ type: 'turn.started', ...next, items: [hello] }] })
})

test('a message while a call is held is refused by default, saying why', () => {
  expect(send(busy(), 'refuse')).toMatchObject({
    ok: false,
    refusal: 'turn-in-progress',
    message: expect.stringContaining('1 call is held'),
  })
  expect(send(after(started), 'refuse')).toMatchObject({
    refusal: 'turn-in-progress',
    message: expect.stringContaining('a turn is in progress'),
  })
})

test('a message may be queued instead, and starts its own turn once the conversation is idle', () => {
  expect(send(busy(), 'queue')).toEqual({ ok: true, events: [{ type: 'message.queued', item: hello }] })
  const waiting = after({ type: 'message.queued', item: hello }, { type: 'message.queued', item: hello })
  expect(decideQueued(waiting, next)).toMatchObject({ ok: true, events: [{ items: [hello, hello], queued: 2 }] })
  expect(types(decideQueued(after(), next))).toEqual(['nothing-to-continue'])
  expect(types(decideQueued(after({ type: 'message.queued', item: hello }, started), next))).toEqual([
    'nothing-to-continue',
  ])
})

const from = (by?: string): EventBody => ({
  type: 'message.queued',
  item: { kind: 'message', message: userMessage('Hello', by) },
})

test('a turn takes the first of what waits and what follows from the same author, and leaves the rest', () => {
  const waiting = after(from('ada'), from('ada'), from('bob'), from('ada'))
  expect(decideQueued(waiting, next)).toMatchObject({ events: [{ items: { length: 2 }, queued: 2, upTo: 2 }] })
  expect(decideQueued(waiting, next, 1)).toMatchObject({ events: [{ items: { length: 1 }, queued: 1, upTo: 1 }] })
  expect(decideQueued(after(from(), from('ada')), next)).toMatchObject({ events: [{ queued: 1, upTo: 1 }] })
  expect(decideQueued(after(from('ada'), from()), next)).toMatchObject({ events: [{ queued: 1 }] })
  expect(decideQueued(after(from(), from()), next)).toMatchObject({ events: [{ queued: 2 }] })
})

test('a cycle takes everything that waits', () => {
  const waiting = after(from('ada'), from('bob'), from())
  expect(decideQueued(waiting, { ...next, cycle: true })).toMatchObject({
    events: [{ cycle: true, queued: 3, upTo: 3 }],
  })
})

test('a message that may wait is queued behind the waiting ones, also in an idle conversation', () => {
  expect(types(send(after(from('ada')), 'queue'))).toEqual(['message.queued'])
  expect(types(send(after(from('ada')), 'refuse'))).toEqual(['turn.started'])
  expect(types(send(after(from('ada')), 'supersede'))).toEqual(['turn.started'])
  expect(types(send(after(), 'queue'))).toEqual(['turn.started'])
})

test(
  proves('cancel.pairs-every-call', 'a message that supersedes settles every open call before it starts its turn'),
  () => {
    const decision = send(busy(), 'supersede')
    expect(types(decision)).toEqual(['call.settled', 'call.settled', 'turn.ended', 'turn.started'])
    expect(decision.ok && decision.events.slice(0, 3)).toMatchObject([
      { callId: 'a', outcome: { error: { code: 'superseded' } } },
      { callId: 'b', outcome: { error: { code: 'superseded' } } },
      { reason: 'superseded' },
    ])
  },
)

test('going on without a message takes up a turn that stopped early, and never asks the model about one that is done', () => {
  expect(types(goOn(after()))).toEqual(['nothing-to-continue'])
  expect(goOn(after(started, replied(1)))).toEqual({ ok: true, events: [] })
  expect(goOn(busy())).toEqual({ ok: true, events: [] })
  const stopped = after(started, { type: 'turn.ended', turnId: 't1', reason: 'max_steps' })
  expect(goOn(stopped)).toEqual({ ok: true, events: [{ type: 'turn.started', ...next, items: [] }] })
})

test(proves('cancel.pairs-every-call', 'a cancelled turn leaves a result behind every open call'), () => {
  const decision = decideCancel(busy(), 'never mind')
  expect(decision.ok && decision.events).toMatchObject([
    { type: 'call.settled', callId: 'a', outcome: { error: { code: 'cancelled', message: 'never mind' } } },
    { type: 'call.settled', callId: 'b', outcome: { error: { code: 'cancelled' } } },
    { type: 'turn.ended', reason: 'cancelled', message: 'never mind' },
  ])
  expect(types(decideCancel(after()))).toEqual(['nothing-to-cancel'])
  expect(types(decideCancel(after(started)))).toEqual(['turn.ended'])
})

test(
  proves('expiry.first-durable-wins', 'a hold expires at its deadline and not before, and only while it is open'),
  () => {
    expect(types(decideExpire(busy(), 'a', 30_999))).toEqual(['not-due'])
    expect(decideExpire(busy(), 'a', 31_000)).toMatchObject({
      ok: true,
      events: [
        { type: 'call.settled', callId: 'a', outcome: { error: { code: 'expired', message: 'No answer in 30 s.' } } },
      ],
    })
    for (const callId of ['b', 'c', 'z']) expect(types(decideExpire(busy(), callId, 99_999))).toEqual(['hold-not-open'])
  },
)

test('what expiry does is declared with the hold', () => {
  const expire = (onExpire: 'reject' | 'cancel' | { answer: number }): Decision =>
    decideExpire(after(started, replied(1, 'a', 'b'), held('a', { onExpire })), 'a', 31_000)
  expect(expire('reject')).toMatchObject({
    events: [{ type: 'call.settled', outcome: { error: { code: 'rejected' } } }],
  })
  expect(expire({ answer: 7 })).toMatchObject({ events: [{ type: 'call.settled', outcome: { ok: true, value: 7 } }] })
  expect(expire('cancel')).toMatchObject({
    events: [
      { callId: 'a', outcome: { error: { code: 'expired' } } },
      { callId: 'b', outcome: { error: { code: 'cancelled' } } },
      { type: 'turn.ended', reason: 'expired' },
    ],
  })
})

test('an async call without an answer tells the agent so', () => {
  const pending: EventBody = { type: 'call.settled', callId: 'a', outcome: ok }
  const state = after(
    started,
    replied(1, 'a'),
    held('a', { kind: 'external', async: true, accepts: ['answer'] }),
    pending,
    replied(2),
  )
  expect(decideExpire(state, 'a', 31_000)).toMatchObject({
    events: [{ type: 'answer.arrived', callId: 'a', outcome: { error: { message: 'No answer in 30 s.' } } }],
  })
})

test.each([
  ['an external tool', { kind: 'external' }, 'Tool timed out after 10000ms'],
  ['a client tool', { kind: 'client' }, 'Tool timed out after 10000ms'],
  ['a person', { kind: 'elicitation' }, 'No answer in 10 s.'],
  ['an approver', { kind: 'approval' }, 'No answer in 10 s.'],
  ['a caller who carries calls out', { kind: 'external', cause: 'manual' }, 'No answer in 10 s.'],
] as const)('the error of a wait for %s says what was waited for', (_who, hold, message) => {
  const state = after(started, replied(1, 'a'), held('a', { ...hold, timeoutMs: 10_000, expiresAt: 0 }))
  expect(decideExpire(state, 'a', 1)).toMatchObject({ events: [{ outcome: { error: { code: 'expired', message } } }] })
})

test.each([
  [500, '500 ms'],
  [30_000, '30 s'],
  [90_000, '1.5 min'],
  [7_200_000, '2 h'],
  [172_800_000, '2 d'],
])('a silence of %i ms reads %s', (timeoutMs, words) => {
  const state = after(started, replied(1, 'a'), held('a', { timeoutMs, expiresAt: 0 }))
  expect(decideExpire(state, 'a', 1)).toMatchObject({
    events: [{ outcome: { error: { message: `No answer in ${words}.` } } }],
  })
})
