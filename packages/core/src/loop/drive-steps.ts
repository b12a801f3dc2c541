/** Small steps of the driver that need nothing of it. */
import type { EventBody } from '../log/log-event.ts'
import type { Decision } from '../turn/decide.ts'
import { evolve } from '../turn/turn.ts'
import type { Conversation, Effect } from '../turn/turn-state.ts'

export function firstOf<T, R>(items: readonly T[], look: (item: T) => readonly R[]): readonly R[] | undefined {
  for (const item of items) {
    const found = look(item)
    if (found.length > 0) return found
  }
  return undefined
}

export function eventsOf(decision: Decision): readonly EventBody[] {
  return decision.ok ? decision.events : []
}

/** A call that somebody else started, or started again, is another piece of work than the one that was begun here. */
export function isSame(a: Effect, b: Effect): boolean {
  if (a.key !== b.key) return false
  return !('call' in a && 'call' in b) || (a.do === b.do && a.call.attempt === b.call.attempt)
}

/** What the state would be; `at` plays no part in it. */
export function preview(state: Conversation, events: readonly EventBody[]): Conversation {
  return events.reduce((before, event) => evolve(before, { ...event, seq: before.seq + 1, at: 0 }), state)
}
