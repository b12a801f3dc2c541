/**
 * The id generator for the SDK's tracer provider. The API cannot set the ids of a span, and without them a process that goes
 * on after a kill could not link to the spans of the process before it. Spans that other code makes get random ids.
 */
import { randomBytes } from 'node:crypto'
import type { SpanIds } from './log-span.ts'

export class LogSpanIds {
  #next: SpanIds | undefined

  /** The next span that is started in `work` gets these ids. */
  use<T>(ids: SpanIds, work: () => T): T {
    this.#next = ids
    try {
      return work()
    } finally {
      this.#next = undefined
    }
  }

  // Arrow functions: the SDK may call them without the object.
  readonly generateTraceId = (): string => this.#next?.traceId ?? randomBytes(16).toString('hex')
  readonly generateSpanId = (): string => this.#next?.spanId ?? randomBytes(8).toString('hex')
}
