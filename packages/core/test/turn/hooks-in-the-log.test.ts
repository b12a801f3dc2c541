/** What hooks leave in the log, and what the machine makes of it. */
import { expect, test } from 'vitest'
import { next } from '../../src/turn/turn.ts'
import type { EventBody } from '../../src/index.ts'
import { after, replied, started } from './history.ts'

const sentBack = (step: number): EventBody =>
  ({ ...replied(step), again: { hook: 'polite', feedback: 'Say please.' } }) as EventBody

test('a reply that is sent back is followed by another step of the same turn, and counted', () => {
  const state = after(started, sentBack(1), sentBack(2))
  expect(state.turn).toMatchObject({ phase: 'model', turnId: 't1', step: 3, repliesSentBack: 2 })
  expect(next(state)).toMatchObject([{ do: 'call-model', key: 'model:t1:3' }])
  expect(after(started, sentBack(1), replied(2)).turn).toMatchObject({ phase: 'rest', last: { reason: 'completed' } })
})

test('what hooks keep of a message changes nothing but that it was looked at', () => {
  const state = after(started, {
    type: 'message.changed',
    turnId: 't1',
    added: [{ type: 'text', text: 'x' }],
    hooks: ['m'],
  })
  expect(state.turn).toMatchObject({ phase: 'model', step: 1, messageChanged: true })
  expect(next(state)).toMatchObject([{ do: 'call-model', key: 'model:t1:1' }])
})

test('a call that a hook rewrote runs with what the hook made of it', () => {
  const state = after(started, replied(1, 'a'), { type: 'call.rewritten', callId: 'a', input: { n: 1 }, hooks: ['l'] })
  expect(next(state)).toMatchObject([{ do: 'start-call', call: { callId: 'a', edited: { n: 1 }, at: 'ready' } }])
})

test('where the last prompt began is remembered until another begins elsewhere', () => {
  const shown = (step: number, from: number): EventBody =>
    ({ ...replied(step, `c${step}`), shown: { from } }) as EventBody
  const settled = (callId: string): EventBody => ({ type: 'call.settled', callId, outcome: { ok: true, value: 1 } })
  const state = after(started, shown(1, 1), settled('c1'), replied(2, 'c2'), settled('c2'))
  expect(state.shown).toEqual({ from: 1 })
  expect(after(started, shown(1, 1), settled('c1'), shown(2, 5)).shown).toEqual({ from: 5 })
})
