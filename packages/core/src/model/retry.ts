/** When to retry a model call, and how long to wait. A call is retried only before the first part of its reply. */
import { ModelError } from './model.ts'
import type { Ports } from '../ports.ts'

export interface RetryPolicy {
  /** The most attempts of one model call. */
  readonly attempts: number
  readonly firstDelayMs: number
  readonly maxDelayMs: number
}

const DEFAULTS: RetryPolicy = { attempts: 3, firstDelayMs: 500, maxDelayMs: 30_000 }

/** The delay before the next attempt. Undefined: no retry. */
export function retryDelay(
  error: unknown,
  attempt: number,
  given: Partial<RetryPolicy>,
  ports: Ports,
): number | undefined {
  const { attempts, firstDelayMs, maxDelayMs } = { ...DEFAULTS, ...given }
  if (attempt >= attempts || !(error instanceof ModelError) || !error.retryable) return undefined
  // The vendor's own delay has priority, up to the maximum. Otherwise each delay doubles, with jitter, so that many callers do
  // not retry at the same moment.
  if (error.retryAfterMs !== undefined && !Number.isNaN(error.retryAfterMs))
    return Math.min(Math.max(error.retryAfterMs, 0), maxDelayMs)
  const full = Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs)
  return full / 2 + (full / 2) * ports.random()
}
