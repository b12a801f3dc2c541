/** Which failures pass by themselves, so that asking again is worth it. */
import { HoldpointHttpError } from './http-error.ts'

/** A stream that broke off, fell silent, or said what cannot be. What was missed comes again. */
export class StreamBroken extends Error {
  override readonly name = 'StreamBroken'
}

/** No answer, too many requests, shutting down; a proxy that found nobody behind it. Every write carries its key. */
export function passes(error: unknown): boolean {
  if (error instanceof StreamBroken) return true
  if (!(error instanceof HoldpointHttpError)) return false
  const { status, problem } = error
  if (status === 0 || status === 429 || status === 503) return true
  return (!problem && (status === 502 || status === 504)) || problem?.code === 'same-key-in-progress'
}
