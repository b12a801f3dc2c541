import type { EventBody } from '../log/log-event.ts'
import { pendingValue } from '../tool/outcome.ts'

/** The result that the model reads of an async call until its answer arrives. */
export function pendingResult(callId: string): EventBody {
  return { type: 'call.settled', callId, outcome: { ok: true, value: pendingValue(callId) } }
}
