import type { CompileJsonSchema } from './tool/schema.ts'

/** What the host supplies: time and chance, which the core can get nowhere else. A simulation or a test replaces them. */
export interface Ports {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** A new unguessable id, safe in a URL. */
  id(): string
  /** A number in [0, 1), for jitter. */
  random(): number
  /** Checks raw JSON Schemas; without it only Standard Schemas can be used for output. */
  readonly compileJsonSchema?: CompileJsonSchema
}
