import { expect, test } from 'vitest'
import type { CallOutcome, EventBody } from '../../src/index.ts'
import { callStatus, type CallStatus } from '../../src/turn/call-status.ts'
import { findCall } from '../../src/turn/find-call.ts'
import { after, held, replied, running, started } from './history.ts'

function status(...events: readonly EventBody[]): CallStatus {
  return callStatus(findCall(after(started, replied(1, 'a', 'sibling'), ...events), 'a')!)
}

function settled(outcome: CallOutcome, more: object = {}): EventBody {
  return { type: 'call.settled', callId: 'a', outcome, ...more }
}

const no = (code: 'expired' | 'cancelled' | 'superseded'): EventBody =>
  settled({ ok: false, error: { code, message: '' } })
const external = { kind: 'external', accepts: ['answer'] } as const
const inbox = held('a', { ...external, late: 'inbox' })

test('a call is waiting while its turn waits for it', () => {
  expect(status(inbox)).toBe('waiting')
  expect(status(running('a'))).toBe('waiting')
})

test('it is pending when the turn went on and an answer still reaches the agent', () => {
  expect(status(held('a', { ...external, async: true }), settled({ ok: true, value: 'pending' }))).toBe('pending')
  expect(status(inbox, no('expired'))).toBe('pending')
})

test('it is resolved when it waits for nothing any more', () => {
  expect(status(held('a', external), no('expired'))).toBe('resolved')
  expect(status(held('a', { late: 'inbox' }), no('expired'))).toBe('resolved')
  expect(status(inbox, no('cancelled'))).toBe('resolved')
  expect(status(inbox, no('superseded'))).toBe('resolved')
  expect(status(inbox, settled({ ok: true, value: 1 }, { resolution: { kind: 'answer', value: 1 } }))).toBe('resolved')
  expect(status(running('a'), settled({ ok: true, value: 1 }))).toBe('resolved')
})
