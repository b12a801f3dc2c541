import { expect, test } from 'vitest'
import type { EventBody, LogEvent } from '../../src/log/log-event.ts'
import { userMessage } from '../../src/log/message.ts'
import { fromBase } from '../../src/turn/conversation-base.ts'
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

test('a turn is on behalf of the author of what it is about, and a cycle on behalf of no person', () => {
  expect(askedBy(started('t', 'ada', 'ada'))).toBe('ada')
  expect(askedBy(started('t', undefined))).toBeUndefined()
  expect(askedBy({ ...started('t', 'ada', 'bob'), cycle: true } as EventBody)).toBeUndefined()
})

test('a turn knows all of its authors, each once, and so does the one that takes it up again', () => {
  const authors = [{ via: 'message', by: 'ada' }, { via: 'message' }, { via: 'message', by: 'bob' }]
  const cycle = { ...started('t', 'ada', undefined, 'bob', 'ada'), cycle: true } as EventBody
  expect(fold(log(cycle)).turn).toMatchObject({ askedBy: authors })
  expect(fold(log(cycle, ended('t'))).turn).toMatchObject({ last: { askedBy: authors } })
  expect(fold(log(cycle, ended('t'), { ...started('u'), cycle: true } as EventBody)).turn).toMatchObject({
    by: undefined,
    askedBy: authors,
  })
  expect(fold(log(opened, started('t'))).turn).toMatchObject({ by: undefined, askedBy: [{ via: 'message' }] })
})

test('a resumed turn is still on behalf of its first author', () => {
  expect(askedBy(started('t', 'ada'), ended('t'), started('u'))).toBe('ada')
  expect(askedBy(started('t', 'ada'), ended('t'), started('u', undefined))).toBeUndefined()
})

test('a state that older code kept says who asked, and what waits', () => {
  const message = { kind: 'message', message: { parts: [{ type: 'text', text: 'Hello' }], by: 'bob' } } as const
  const last = { turnId: 't', reason: 'max_steps' } as const
  const named = fromBase(7, { agent: 'desk', last: { ...last, by: 'ada' }, queue: [message] })
  expect(named.turn).toMatchObject({ last: { askedBy: [{ via: 'message', by: 'ada' }] } })
  expect(named.queue).toEqual([{ seq: 0, item: message }])
  expect(fromBase(7, { agent: 'desk', last }).turn).toMatchObject({ last: { askedBy: [{ via: 'message' }] } })
})
