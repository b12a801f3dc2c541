/** Decides which failures are temporary, so that a retry can succeed. */
import { HoldpointHttpError } from './http-error.ts'

/** A stream that ended, was silent for too long, or sent invalid data. A reconnect continues after the last event. */
export class StreamBroken extends Error {
  override readonly name = 'StreamBroken'
}

/** No response, rate limit, shutdown, or a proxy without a server. A retry of a write is safe because of its key. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof StreamBroken) return true
  if (!(error instanceof HoldpointHttpError)) return false
  const { status, problem } = error
  if (status === 0 || status === 429 || status === 503) return true
  return (!problem && (status === 502 || status === 504)) || problem?.code === 'same-key-in-progress'
}
