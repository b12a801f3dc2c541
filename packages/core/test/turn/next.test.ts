import { expect, test } from 'vitest'
import { proves } from '@holdpoint/testing'
import { next, type Conversation, type EventBody } from '../../src/index.ts'
import { after, approved, held, hello, ok, plan, replied, running, settled, started } from './history.ts'

const todo = (state: Conversation): string[] =>
  next(state).map((effect) => ('call' in effect ? `${effect.do} ${effect.call.callId}` : effect.do))

test('an idle conversation has nothing to do, unless messages are queued', () => {
  expect(todo(after())).toEqual([])
  expect(todo(after({ type: 'message.queued', item: hello }))).toEqual(['start-turn'])
})

test('a message has the model called, and a reply without calls ends the turn', () => {
  expect(todo(after(started))).toEqual(['call-model'])
  expect(after(started, replied(1)).turn).toEqual({
    phase: 'rest',
    last: { turnId: 't1', askedBy: [{ via: 'message' }], reason: 'completed', message: undefined },
  })
})

test('each call is run, recovered or waited for, by where it is', () => {
  const state = after(started, replied(1, 'a', 'b', 'c', 'd'), held('b'), running('c'), settled('d'))
  expect(todo(state)).toEqual(['start-call a', 'expire-hold', 'run-call c'])
})

test(
  proves('round.model-waits-for-all', 'the model is called again when the last call of the round is settled'),
  () => {
    expect(todo(after(started, replied(1, 'a', 'b'), settled('b')))).toEqual(['start-call a'])
    const state = after(started, replied(1, 'a', 'b'), settled('b'), settled('a'))
    expect(todo(state)).toEqual(['call-model'])
    expect(state.turn).toMatchObject({ phase: 'model', step: 2, tokens: 5 })
  },
)

test('whatever id a log has for a call, its work is no other’s', () => {
  const keys = next(after(started, replied(1, 'expire:b', 'b'), held('b'))).map(({ key }) => key)
  expect(new Set(keys).size).toBe(2)
})

test('an approved call is ready to run, bound to what was approved', () => {
  const state = after(started, replied(1, 'a'), held('a'), approved('a'))
  expect(next(state)).toMatchObject([
    { do: 'start-call', call: { approved: { inputHash: 'hash', fingerprint: 'print' } } },
  ])
})

test('a call held again after its approval has lost the approval', () => {
  const state = after(started, replied(1, 'a'), held('a'), approved('a'), held('a'))
  expect(state.turn).toMatchObject({ phase: 'calls' })
  expect(state.turn.phase === 'calls' && state.turn.calls[0]?.approved).toBe(undefined)
})

test('a call held again after several approvals starts from zero approvals', () => {
  const endorsed: EventBody = { type: 'call.endorsed', callId: 'a', by: 'ann', inputHash: 'hash' }
  const state = after(started, replied(1, 'a'), held('a', { approvers: 2 }), endorsed, approved('a'), held('a'))
  expect(state.turn.phase === 'calls' && state.turn.calls[0]).toMatchObject({ endorsed: [], holds: 2 })
})

test('a turn that was told to halt ends when no call is open, and does not call the model', () => {
  const halted: EventBody = {
    type: 'call.settled',
    callId: 'a',
    outcome: ok,
    halt: { reason: 'halted', message: 'enough' },
  }
  expect(todo(after(started, replied(1, 'a', 'b'), halted))).toEqual(['start-call b'])
  expect(next(after(started, replied(1, 'a', 'b'), halted, settled('b')))).toMatchObject([
    { do: 'end-turn', reason: 'halted', message: 'enough' },
  ])
})

test('the first reason to halt is kept', () => {
  const halt = (callId: string, message: string): EventBody => ({
    type: 'call.settled',
    callId,
    outcome: ok,
    halt: { reason: 'halted', message },
  })
  expect(next(after(started, replied(1, 'a', 'b'), halt('a', 'first'), halt('b', 'second')))).toMatchObject([
    { message: 'first' },
  ])
})

test('a turn at its last step ends instead of calling the model', () => {
  const short: EventBody = { type: 'turn.started', ...plan, limits: { maxSteps: 1 }, items: [hello] }
  expect(todo(after(short))).toEqual(['call-model'])
  expect(next(after(short, replied(1, 'a'), settled('a')))).toMatchObject([{ do: 'end-turn', reason: 'max_steps' }])
})

test('a turn over its budget of tokens ends instead of calling the model', () => {
  const cheap = (maxTokens: number): EventBody => ({
    type: 'turn.started',
    ...plan,
    limits: { maxSteps: 8, maxTokens },
    items: [hello],
  })
  expect(next(after(cheap(5), replied(1, 'a'), settled('a')))).toMatchObject([{ do: 'end-turn', reason: 'budget' }])
  expect(todo(after(cheap(6), replied(1, 'a'), settled('a')))).toEqual(['call-model'])
})

test('a second pass follows the tool loop when the result is asked for in one, and only then', () => {
  const structured = (finalize: boolean): EventBody => ({
    type: 'turn.started',
    ...plan,
    limits: { maxSteps: 1 },
    items: [hello],
    output: { spec: { schema: {} }, finalize },
  })
  expect(after(structured(true), replied(1)).turn).toMatchObject({ phase: 'model', pass: 'finalize', step: 2 })
  expect(todo(after(structured(true), replied(1)))).toEqual(['call-model'])
  expect(after(structured(true), replied(1), replied(2)).turn.phase).toBe('rest')
  expect(after(structured(false), replied(1)).turn.phase).toBe('rest')
  expect(after(structured(true), { ...replied(1), ends: 'interrupted' } as EventBody).turn).toMatchObject({
    phase: 'rest',
    last: { reason: 'interrupted' },
  })
})

test('an async call waits on after its turn has gone on, and its answer is queued once', () => {
  const pending = after(
    started,
    replied(1, 'a'),
    held('a', { kind: 'external', accepts: ['answer'], async: true }),
    settled('a'),
  )
  expect([...pending.waiting.keys()]).toEqual(['a'])
  expect(todo(pending)).toEqual(['call-model', 'expire-hold'])
  const answered = after(
    started,
    replied(1, 'a'),
    held('a', { kind: 'external', accepts: ['answer'], async: true }),
    settled('a'),
    { type: 'answer.arrived', callId: 'a', name: 'email.send', outcome: ok },
  )
  expect(answered.waiting.size).toBe(0)
  expect(answered.queue).toEqual([{ seq: 5, item: { kind: 'answer', callId: 'a', name: 'email.send', outcome: ok } }])
})

test('an answer to a call that did not wait is queued, and not remembered as an answer to a hold', () => {
  const resolution = { kind: 'answer', value: 1 } as const
  const arrived: EventBody = { type: 'answer.arrived', callId: 'a', name: 'email.send', outcome: ok, resolution }
  const state = after(started, replied(1, 'a', 'b'), settled('a'), arrived)
  expect(state.queue).toHaveLength(1)
  expect(state.turn.phase === 'calls' && state.turn.calls[0]?.resolved).toEqual([])
})

test('a held call that failed to become pending does not wait on', () => {
  const failed: EventBody = {
    type: 'call.settled',
    callId: 'a',
    outcome: { ok: false, error: { code: 'cancelled', message: 'no' } },
  }
  expect(after(started, replied(1, 'a'), held('a', { async: true }), failed).waiting.size).toBe(0)
  const answered: EventBody = { ...settled('a'), resolution: { kind: 'answer', value: 1 } } as EventBody
  expect(after(started, replied(1, 'a'), held('a', { async: true }), answered).waiting.size).toBe(0)
})

test('a state of which nothing can be said is refused every time, and never told what is to be done in another', () => {
  for (let nth = 0; nth < 100; nth++) expect(todo(after(started, replied(1, 'a')))).toEqual(['start-call a'])
  const { limits: _limits, ...damaged } = started as Extract<EventBody, { type: 'turn.started' }>
  const state = after(damaged as EventBody)
  for (let nth = 0; nth < 2; nth++) expect(() => next(state)).toThrow(TypeError)
})
