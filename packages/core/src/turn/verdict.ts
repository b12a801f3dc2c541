/**
 * The answer to a resolution. `accepted` is returned together with the events that carry the resolution, so that it is true
 * as soon as they are in the log.
 */
import type { EventBody } from '../log/log-event.ts'
import type { Resolved } from './hold.ts'

export type Verdict =
  | 'accepted'
  /** The same answer was already taken. */
  | 'duplicate'
  /** A different answer came first. */
  | 'conflict'
  /** The deadline came first. */
  | 'expired'
  /** The call was cancelled, or a newer message took the turn's place. */
  | 'stale'
  /** There is no such call, or it was never held. */
  | 'unknown'
  /** The answer or the edited input does not fit the tool's schema. */
  | 'invalid'
  /** This hold does not take this kind of resolution. */
  | 'wrong-kind'
  /** The caller may not answer this kind of hold, or is not among the people that this hold is for. */
  | 'not-allowed'

export interface ResolveResult {
  readonly verdict: Verdict
  readonly message: string
  /** The resolution that was accepted before, and who gave it. */
  readonly first?: Resolved
  /** How many more approvers must agree. */
  readonly remaining?: number
}

export type ResolveDecision = ResolveResult & { readonly events: readonly EventBody[] }

export function accepted(...events: readonly EventBody[]): ResolveDecision {
  return { verdict: 'accepted', message: 'Accepted.', events }
}

export function notAccepted(verdict: Verdict, message: string): ResolveDecision {
  return { verdict, message, events: [] }
}
