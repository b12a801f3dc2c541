/** A failed request. Refusals and verdicts are returned as values and are not errors. */
import type { Problem, ProblemCode } from '@holdpoint/protocol'

export interface HttpErrorFacts {
  /** 0 if there was no response. */
  readonly status: number
  readonly problem?: Problem
  /** From the header `Retry-After`. */
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

export class HoldpointHttpError extends Error {
  override readonly name = 'HoldpointHttpError'
  readonly status: number
  /** Undefined if there was no response, or if it came from another server, for instance a proxy. */
  readonly problem: Problem | undefined
  readonly retryAfterMs: number | undefined

  constructor(message: string, { status, problem, retryAfterMs, cause }: HttpErrorFacts) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.problem = problem
    this.retryAfterMs = retryAfterMs
  }

  /** The problem code of the gateway. */
  get code(): ProblemCode | undefined {
    return this.problem?.code
  }
}
