/** A space is a machine of its own: what cannot happen in one. */
import { fold, type EventBody, type LogEvent } from '@holdpoint/core'
import { spaceMachine, type SpaceState } from '@holdpoint/spaces'
import { expect, test } from 'vitest'

const ada = { kind: 'human', id: 'ada' } as const
const opened: EventBody = { type: 'space.opened', name: 'Trip', agentMessages: 2 }
const joined: EventBody = { type: 'member.joined', member: ada, role: 'owner' }
const desk: EventBody = { type: 'member.joined', member: { kind: 'agent', id: 'desk' }, role: 'member' }
const posted: EventBody = { type: 'message.posted', from: ada, text: 'Hi' }
const started: EventBody = { type: 'turn.started', turnId: 't1', agent: 'desk', limits: { maxSteps: 8 }, items: [] }

function inSpace(...bodies: readonly EventBody[]): SpaceState {
  return bodies.reduce(
    (state, body) => spaceMachine.evolve(state, { ...body, seq: state.seq + 1, at: 0 }),
    spaceMachine.empty,
  )
}

function numbered(body: EventBody, index: number): LogEvent {
  return { ...body, seq: index + 1, at: 0 }
}

test('a space and a conversation are machines of their own: an event of one is impossible in the other', () => {
  const space = inSpace(opened, joined, desk, posted)
  expect(space.space?.members.size).toBe(2)
  expect(space.outbox).toHaveLength(1)
  expect(inSpace(opened, joined, desk, posted, { type: 'notices.delivered', count: 1 }).outbox).toEqual([])
  expect(() => inSpace(opened, started)).toThrow('no event of a space')
  expect(() => fold([started, joined].map(numbered))).toThrow('a space is no conversation')
  expect(() => inSpace(opened, joined, desk, posted, { type: 'notices.delivered', count: 2 })).toThrow(
    'more notices were delivered',
  )
  expect(() => fold([started, { type: 'notices.delivered', count: 1 } as const].map(numbered))).toThrow(
    'more notices were delivered',
  )
})
