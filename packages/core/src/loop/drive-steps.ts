/** Small steps of the driver that need nothing of it. */
import type { EventBody } from '../log/log-event.ts'
import type { Decision } from '../turn/decide.ts'
import type { Effect } from '../turn/turn-state.ts'

export function eventsOf(decision: Decision): readonly EventBody[] {
  return decision.ok ? decision.events : []
}

/** A call that somebody else started, or started again, is another piece of work than the one that was begun here. */
export function isSame(a: Effect, b: Effect): boolean {
  if (a.key !== b.key) return false
  return !('call' in a && 'call' in b) || (a.do === b.do && a.call.attempt === b.call.attempt)
}
