/**
 * The id generator for the SDK's tracer provider. The API cannot set the ids of a span, and without them a process that goes
 * on after a kill could not link to the spans of the process before it. Spans that other code makes get random ids.
 *
 * It also knows which spans have arrived, if the exporter is given to `watch`. The provider's `forceFlush` does not: it does not
 * wait for an export that its timer began, and it does not know of an export that failed, or of spans that a full queue dropped.
 */
import { randomBytes } from 'node:crypto'
import type { SpanIds } from './log-span.ts'

/** The part of an exporter of the SDK that is needed here. */
export interface WatchedExporter {
  export(
    spans: readonly { spanContext(): { readonly traceId: string; readonly spanId: string } }[],
    done: (result: { readonly code: number; readonly error?: Error }) => void,
  ): void
}

/** `ExportResultCode.SUCCESS` of the SDK. */
const SUCCESS = 0

export class LogSpanIds {
  #next: SpanIds | undefined
  #watches = false
  readonly #exports = new Set<Promise<void>>()
  /** Written and not arrived. */
  readonly #missing = new Set<string>()

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

  /** The same exporter. From now on, a note beside a log says only what has arrived. */
  watch<E extends WatchedExporter>(exporter: E): E {
    this.#watches = true
    const send: WatchedExporter['export'] = (spans, done) => {
      const over = Promise.withResolvers<void>()
      this.#exports.add(over.promise)
      const ended = (): void => {
        this.#exports.delete(over.promise)
        over.resolve()
      }
      try {
        exporter.export(spans, (result) => {
          if (result.code === SUCCESS) for (const span of spans) this.#missing.delete(keyOf(span.spanContext()))
          ended()
          done(result)
        })
      } catch (error) {
        ended()
        throw error
      }
    }
    // A proxy, because an exporter is an object of a class with private fields.
    return new Proxy(exporter, {
      get: (target, name) => {
        if (name === 'export') return send
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? (value as () => unknown).bind(target) : value
      },
    })
  }

  get watches(): boolean {
    return this.#watches
  }

  /** This span was given to the tracer. */
  wrote(key: string): void {
    if (this.#watches) this.#missing.add(key)
  }

  /** Waits for the exports under way. */
  async settled(): Promise<void> {
    while (this.#exports.size > 0) await Promise.all(this.#exports)
  }

  /** Whether the span has not arrived. It is asked once for each span. */
  takeMissing(key: string): boolean {
    return this.#missing.delete(key)
  }
}

export function keyOf({ traceId, spanId }: SpanIds): string {
  return `${traceId}/${spanId}`
}
