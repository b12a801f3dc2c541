import type { JsonObject } from './json.ts'

export type Checked = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string }

/**
 * Makes a checker of a raw JSON Schema; throws when the schema itself is wrong. One that checks elsewhere may find that
 * out with the first check.
 */
export type CompileJsonSchema = (schema: JsonObject) => (value: unknown) => Checked | Promise<Checked>

/** The first time after `after` that the line names; undefined when there is none. Throws for a line that is none. */
export type NextTime = (line: string, timeZone: string, after: number) => number | undefined

/** What the host supplies: time and chance, which the core can get nowhere else. A simulation or a test replaces them. */
export interface Ports {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds since some moment, that never go back or jump when the system clock is set. */
  monotonic(): number
  /**
   * Resolves after `ms`, or at once when the signal aborts. Never rejects. `background`: no caller waits for it, so it does
   * not keep the process alive.
   */
  sleep(ms: number, signal: AbortSignal, background?: 'background'): Promise<void>
  /** Keeps the process alive while something is under way, until the caller calls what it returns. */
  keepAlive?(): () => void
  /** A new unguessable id, safe in a URL. */
  id(): string
  /** A number in [0, 1), for jitter. */
  random(): number
  /** Told what went wrong in a session whose caller gave no `onProblem`. */
  problem?(error: unknown): void
  /** Checks raw JSON Schemas; without it only Standard Schemas can be used for output. */
  readonly compileJsonSchema?: CompileJsonSchema
  /** Reads cron lines; without it plans have one time each. */
  readonly nextTime?: NextTime
  /** How far apart the times of a cron line are at least; a plan that names closer ones is refused. */
  readonly planEveryMs?: number
  /** Why there may be no further plan; undefined when there may. */
  readonly admitPlan?: () => string | undefined
}

/** Why we stop something of our own. The reason that is made up for an abort without any costs more than a tool call. */
export const OVER = 'over'
