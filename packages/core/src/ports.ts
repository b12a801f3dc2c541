import type { JsonObject } from './json.ts'

export type Checked = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string }

/** Makes a checker of a raw JSON Schema; throws when the schema itself is wrong. */
export type CompileJsonSchema = (schema: JsonObject) => (value: unknown) => Checked

/** The first time after `after` that the line names; undefined when there is none. Throws for a line that is none. */
export type NextTime = (line: string, timeZone: string, after: number) => number | undefined

/** What the host supplies: time and chance, which the core can get nowhere else. A simulation or a test replaces them. */
export interface Ports {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds since some moment, that never go back or jump when somebody sets the clock. */
  monotonic(): number
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /**
   * Resolves once everything that can go on without waiting has gone on. Without it, what is to be written is written
   * before anything is done that follows from it.
   */
  soon?(): Promise<void>
  /** A new unguessable id, safe in a URL. */
  id(): string
  /** A number in [0, 1), for jitter. */
  random(): number
  /** Checks raw JSON Schemas; without it only Standard Schemas can be used for output. */
  readonly compileJsonSchema?: CompileJsonSchema
  /** Reads cron lines; without it plans have one time each. */
  readonly nextTime?: NextTime
}

/** Why we stop something of our own. The reason that is made up for an abort without any costs more than a tool call. */
export const OVER = 'over'
