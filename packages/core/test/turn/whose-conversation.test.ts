import { expect, test } from 'vitest'
import type { EventBody, LogEvent } from '../../src/log/log-event.ts'
import { userMessage } from '../../src/log/message.ts'
import { fold } from '../../src/turn/turn.ts'

const opened: EventBody = { type: 'conversation.opened', agent: 'desk' }

function started(turnId: string, ...by: readonly (string | undefined)[]): EventBody {
  const items = by.map((who) => ({ kind: 'message', message: userMessage('Hello', who) }) as const)
  return { type: 'turn.started', turnId, agent: 'desk', items, limits: { maxSteps: 8 } }
}

function ended(turnId: string): EventBody {
  return { type: 'turn.ended', turnId, reason: 'cancelled' }
}

function log(...events: readonly EventBody[]): LogEvent[] {
  return events.map((event, index) => ({ ...event, seq: index + 1, at: 0 }))
}

function askedBy(...events: readonly EventBody[]): string | undefined {
  const { turn } = fold(log(...events))
  return turn.phase === 'rest' ? undefined : turn.by
}

test('a conversation is opened before anything else is said, or not at all', () => {
  expect(fold(log(opened))).toMatchObject({ seq: 1, agent: 'desk', turn: { phase: 'rest' } })
  expect(() => fold(log(started('t'), ended('t'), opened))).toThrow('it was open already')
})

test('a turn is on behalf of whoever said the newest of what it is about', () => {
  expect(askedBy(started('t', 'ada', 'bob'))).toBe('bob')
  expect(askedBy(started('t', undefined))).toBeUndefined()
})

test('a turn that is taken up again is still on behalf of whoever asked at first', () => {
  expect(askedBy(started('t', 'ada'), ended('t'), started('u'))).toBe('ada')
  expect(askedBy(started('t', 'ada'), ended('t'), started('u', undefined))).toBeUndefined()
})
