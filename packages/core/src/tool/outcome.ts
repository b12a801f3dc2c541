/** The outcome of a call. It is data: stored, read by the model, and never thrown. */
import type { Json } from '../json.ts'
import type { FileFacts } from '../log/file-store.ts'

export type CallOutcome = SucceededOutcome | FailedOutcome

export interface SucceededOutcome {
  readonly ok: true
  readonly value: Json
  /** The whole result, as JSON. It is larger than the limit, and `value` is a preview of it. */
  readonly file?: { readonly id: string; readonly mediaType: string } & FileFacts
}

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
  /** The tool threw, or returned an error. */
  | 'failed'
  /** The call ran longer than its timeout. */
  | 'timed-out'
  /** The process died while the call ran, and the call may not run again. */
  | 'lost'
  /** An approver rejected the call. */
  | 'rejected'
  /** No answer came in time. */
  | 'expired'
  /** No client that could run the call was connected for its grace. */
  | 'no-client'
  /** The turn was cancelled. */
  | 'cancelled'
  /** A newer message replaced the turn. */
  | 'superseded'
  /** The model's arguments do not match the tool's schema, or are not JSON. */
  | 'invalid-input'
  /** The result does not match the tool's output schema, or is not JSON. */
  | 'invalid-output'
  /** The result is larger than the limit. */
  | 'too-large'
  /** The model called a tool that was not in the request. */
  | 'unknown-tool'
  /** A rule denied the call. */
  | 'denied'
  /** A hook vetoed the call. */
  | 'vetoed'
  /** The tool is visible, and the agent is in no space. */
  | 'not-in-space'
  /** The input that would have run is not the approved one. */
  | 'not-what-was-approved'

/** The result that the model reads of an async call until its answer arrives. */
export function pendingValue(callId: string): Json {
  return { status: 'pending', toolCallId: callId, pendingToolCallId: callId }
}

/** The message for the model when a call timed out. */
export function timedOut(ms: number): string {
  return `Tool timed out after ${ms}ms`
}

export function failed(code: OutcomeCode, message: string, details?: Json): FailedOutcome {
  return { ok: false, error: details === undefined ? { code, message } : { code, message, details } }
}
