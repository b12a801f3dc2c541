/** Encodes an outcome for the model: `{ ok: true, result }` or `{ ok: false, error }`. An agent may have its own encoder. */
import type { Json } from '../json.ts'
import type { CallOutcome } from '../tool/outcome.ts'

export interface EncodedCall {
  readonly callId: string
  readonly name: string
  /** The input after an edit by a hook or an approver. */
  readonly editedInput?: Json
}

export type OutcomeEncoder = (outcome: CallOutcome, call: EncodedCall) => Json

export const encodeOutcome: OutcomeEncoder = (outcome, { editedInput }) => {
  const edited = editedInput === undefined ? {} : { inputWasEditedTo: editedInput }
  if (outcome.ok) return { ok: true, result: outcome.value, ...edited }
  const { code, message, details } = outcome.error
  return { ok: false, error: details === undefined ? { code, message } : { code, message, details }, ...edited }
}
