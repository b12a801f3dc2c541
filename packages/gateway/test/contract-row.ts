/** One row of the contract: how to call an operation, and what to expect. */
import type { Fixtures } from './fixtures.ts'

interface Ask {
  readonly path: string
  readonly body?: unknown
}

export interface Row {
  valid(scene: Fixtures): Ask
  readonly status: number
  /** Undefined when no request can be invalid. */
  invalid?(scene: Fixtures): Ask
  /** Default: 422. */
  readonly invalidStatus?: number
  /** The status for another tenant with the same request: 404, or `own` when each tenant has its own object. */
  readonly other: 404 | 409 | 'own'
  /** A different request, for the reuse of an idempotency key. */
  another?(scene: Fixtures): Ask
}

export const at = (...segments: readonly string[]): string => ['/api', ...segments.map(encodeURIComponent)].join('/')

export function read(path: string, bad: string): Row {
  return { valid: () => ({ path }), status: 200, other: 'own', invalid: () => ({ path: bad }) }
}
