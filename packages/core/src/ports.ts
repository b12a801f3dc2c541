import type { JsonObject } from './json.ts'

export type Checked = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string }

/**
 * Compiles a raw JSON Schema to a validator. Throws if the schema is invalid. A validator in another thread may report that at the
 * first check.
 */
export type CompileJsonSchema = (schema: JsonObject) => (value: unknown) => Checked | Promise<Checked>

/** The first time of a cron line after `after`; undefined if there is none. Throws for an invalid line. */
export type NextTime = (line: string, timeZone: string, after: number) => number | undefined

/** What the core needs from its host: time, ids, randomness. Simulations and tests replace it. */
export interface Ports {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds since any fixed moment. A change of the system clock has no effect on them. */
  monotonic(): number
  /**
   * Resolves after `ms`, or at once when the signal aborts. Never rejects. `background`: no caller waits for it, so it does
   * not keep the process alive.
   */
  sleep(ms: number, signal: AbortSignal, background?: 'background'): Promise<void>
  /** Keeps the process alive until the returned function is called. */
  keepAlive?(): () => void
  /** A new id that cannot be guessed, safe in a URL. */
  id(): string
  /** A number in [0, 1), for jitter. */
  random(): number
  /** Called with an error of a session that has no `onProblem`. */
  problem?(error: unknown): void
  /** Validates raw JSON Schemas. Without it, only Standard Schemas can be used for output. */
  readonly compileJsonSchema?: CompileJsonSchema
  /** Reads cron lines. Without it, each plan has one time. */
  readonly nextTime?: NextTime
  /** The least time between two due times of a cron line. A plan with closer ones is refused. */
  readonly planEveryMs?: number
  /** Returns why no further plan is allowed; undefined if one is. */
  readonly admitPlan?: () => string | undefined
}

/** The reason for aborting our own work. Without a reason, `abort()` creates an error, which costs more than a tool call. */
export const OVER = 'over'
