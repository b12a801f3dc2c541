/** When to ask a vendor again, and how long to wait before. Only before the first part of a reply: never mid-stream. */
import { ModelError } from './model.ts'
import type { Ports } from '../ports.ts'

export interface RetryPolicy {
  /** How often one model call is made at most. */
  readonly attempts: number
  readonly firstDelayMs: number
  readonly maxDelayMs: number
}

const DEFAULTS: RetryPolicy = { attempts: 3, firstDelayMs: 500, maxDelayMs: 30_000 }

/** How long to wait before the next attempt, or undefined when there shall be none. */
export function retryDelay(
  error: unknown,
  attempt: number,
  given: Partial<RetryPolicy>,
  ports: Ports,
): number | undefined {
  const { attempts, firstDelayMs, maxDelayMs } = { ...DEFAULTS, ...given }
  if (attempt >= attempts || !(error instanceof ModelError) || !error.retryable) return undefined
  // A vendor that names a time is believed, up to our patience; otherwise each wait doubles, and is spread so that
  // many callers do not come back together.
  if (error.retryAfterMs !== undefined && !Number.isNaN(error.retryAfterMs))
    return Math.min(Math.max(error.retryAfterMs, 0), maxDelayMs)
  const full = Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs)
  return full / 2 + (full / 2) * ports.random()
}
