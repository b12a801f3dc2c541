/** A request that did not go well, and was no ordinary no: those are values. */
import type { Problem, ProblemCode } from '@holdpoint/protocol'

export interface HttpErrorFacts {
  /** 0 when no answer came at all. */
  readonly status: number
  readonly problem?: Problem
  /** How long the gateway asks to wait. */
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

export class HoldpointHttpError extends Error {
  override readonly name = 'HoldpointHttpError'
  readonly status: number
  /** Undefined when nothing came, or nothing of ours: a proxy's own page, for instance. */
  readonly problem: Problem | undefined
  readonly retryAfterMs: number | undefined

  constructor(message: string, { status, problem, retryAfterMs, cause }: HttpErrorFacts) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.problem = problem
    this.retryAfterMs = retryAfterMs
  }

  /** The gateway's own word for it. */
  get code(): ProblemCode | undefined {
    return this.problem?.code
  }
}
