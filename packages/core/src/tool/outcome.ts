/** What a call came to. Data: stored, told to the model, never thrown past the code that runs a call. */
import type { Json } from '../json.ts'

export type CallOutcome = { readonly ok: true; readonly value: Json } | FailedOutcome

export interface FailedOutcome {
  readonly ok: false
  readonly error: OutcomeError
}

export interface OutcomeError {
  readonly code: OutcomeCode
  readonly message: string
  readonly details?: Json
}

export type OutcomeCode =
  /** The tool threw, or said that it failed. */
  | 'failed'
  /** It took longer than its timeout to run. */
  | 'timed-out'
  /** The process died while it ran, and it may not be run again. */
  | 'lost'
  /** An approver rejected the call. */
  | 'rejected'
  /** No answer came in time. */
  | 'expired'
  /** No client was there that could carry it out, for longer than its grace. */
  | 'no-client'
  /** The turn was cancelled. */
  | 'cancelled'
  /** A newer message took the turn's place. */
  | 'superseded'
  /** The model's arguments do not fit the tool's schema, or are no JSON at all. */
  | 'invalid-input'
  /** The result does not fit the tool's output schema, or is no JSON at all. */
  | 'invalid-output'
  /** It is larger than results may be. */
  | 'too-large'
  /** The model called a tool it was not given. */
  | 'unknown-tool'
  /** A hook did not let it be made. */
  | 'vetoed'
  /** It would be shown in a space, and the agent is in none. */
  | 'not-in-space'
  /** What would have run is not what was approved. */
  | 'not-what-was-approved'

/** What the model reads of an async call while the real answer is on its way. */
export function pendingValue(callId: string): Json {
  return { status: 'pending', toolCallId: callId, pendingToolCallId: callId }
}

/** What the model reads when no result came in time. */
export function timedOut(ms: number): string {
  return `Tool timed out after ${ms}ms`
}

export function failed(code: OutcomeCode, message: string, details?: Json): FailedOutcome {
  return { ok: false, error: details === undefined ? { code, message } : { code, message, details } }
}
