/**
 * Spans and metrics of conversations for OpenTelemetry. They follow from the events that this process wrote, after each
 * append, so a span exists if and only if its event does. What a killed process had not exported is found again by `resume`.
 *
 * A mark beside each log says up to which event spans were exported. It is written after a flush, so after a kill some
 * spans may be exported again, always with the same ids: the receiver has each once.
 */
import type { MeterProvider, TracerProvider } from '@opentelemetry/api'
import type { Address, LogEvent, Store } from '@holdpoint/core'
import type { ObservedRun, Observer } from '@holdpoint/runtime'
import { ConversationTrace } from './conversation-trace.ts'
import { LogMetrics, type Price } from './log-metrics.ts'
import type { LogSpanIds } from './log-span-ids.ts'
import { runKey, spanIds, type LogSpan } from './log-span.ts'
import { writeSpan } from './span-writer.ts'
import { turnEvents } from './turn-events.ts'

export interface TelemetryOptions {
  /** The store of the runtime. */
  readonly store: Store
  /** The generator that the tracer provider was made with, and that watches its exporter. */
  readonly ids: LogSpanIds
  /** Default: the global one. */
  readonly tracerProvider?: TracerProvider
  /** Default: the global one. */
  readonly meterProvider?: MeterProvider
  /**
   * Exports content: messages, arguments, results, errors. Each passes through this function, which removes secrets. Default:
   * no content is exported.
   */
  readonly content?: (text: string) => string
  /** `forceFlush` of the tracer provider. With it, `resume` finds what a killed process did not export. */
  readonly flush?: () => Promise<void>
  /** How long spans may wait for the mark beside the log. Default: 5 seconds. */
  readonly flushMs?: number
  /** What a reply cost, in any currency. Undefined for a model without a price. */
  readonly price?: Price
  /** Called with errors of the store and of `flush`, which stop nothing. */
  readonly onProblem?: (error: unknown) => void
}

export interface Telemetry {
  readonly observer: Observer
  /** Exports what other processes wrote and did not export before they were killed. Call it once, when the process starts. */
  resume(): Promise<{ readonly conversations: number; readonly spans: number }>
  /** Waits for the spans of everything that was written, and flushes. */
  flush(): Promise<void>
  /** Flushes and stops. */
  close(): Promise<void>
}

const MARK = 'telemetry.exported'
const PAGE = 256
/** After so many losses, the spans are left to the `resume` of the next process. */
const MOST_LOSSES = 5

export function telemetry(options: TelemetryOptions): Telemetry {
  const made = new LogTelemetry(options)
  return {
    observer: {
      wrote: (address, events) => made.wrote(address, events),
      traceparent: (run) => traceparentOf(run),
    },
    resume: () => made.resume(),
    flush: () => made.flush(),
    close: () => made.close(),
  }
}

function traceparentOf({ address, turnId, callId, attempt, trace }: ObservedRun): string {
  const key = runKey(callId, attempt)
  const { traceId, spanId } = spanIds(address, { key, turnId, ...(trace !== undefined && { remote: trace }) })
  return `00-${traceId}-${spanId}-01`
}

interface Followed {
  readonly address: Address
  readonly trace: ConversationTrace
  /** The last event that was added. */
  seq: number
  /** Up to here, every span was given to the tracer. Undefined until the mark was read. */
  exported: number
}

class LogTelemetry {
  readonly #options: TelemetryOptions
  readonly #metrics: LogMetrics
  readonly #followed = new Map<string, Followed>()
  /** The work of each conversation, one append after the other. */
  readonly #queues = new Map<string, Promise<void>>()
  readonly #toMark = new Map<string, { readonly address: Address; readonly seq: number; readonly at: number }>()
  /** The spans of each conversation since the last flush. */
  #written = new Map<string, string[]>()
  /** How often the spans of a conversation were lost on the way, one time after the other. */
  readonly #losses = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> = Promise.resolve()

  constructor(options: TelemetryOptions) {
    this.#options = options
    this.#metrics = new LogMetrics(options.meterProvider, options.price)
  }

  wrote(address: Address, events: readonly LogEvent[]): void {
    this.#inOrder(address, () => this.#follow(address, events))
  }

  async resume(): Promise<{ readonly conversations: number; readonly spans: number }> {
    const { store } = this.#options
    let [conversations, spans] = [0, 0]
    for (let after: string | undefined; ;) {
      const page = await store.walk({ limit: PAGE, ...(after !== undefined && { after }) })
      for (const { tenant, id, seq } of page.items) {
        const found = await this.#resumeOne({ tenant, id }, seq)
        if (found > 0) conversations++
        spans += found
      }
      if (page.next === undefined) break
      after = page.next
    }
    await this.flush()
    return { conversations, spans }
  }

  async flush(): Promise<void> {
    while (this.#queues.size > 0) await Promise.all(this.#queues.values())
    clearTimeout(this.#timer)
    this.#timer = undefined
    await (this.#flushing = this.#flushing.then(() => this.#mark()))
  }

  async close(): Promise<void> {
    await this.flush()
    this.#metrics.close()
  }

  #inOrder(address: Address, work: () => Promise<void>): void {
    const key = keyOf(address)
    const before = this.#queues.get(key) ?? Promise.resolve()
    const mine = before.then(work).catch((error: unknown) => this.#options.onProblem?.(error))
    this.#queues.set(key, mine)
    void mine.then(() => {
      if (this.#queues.get(key) === mine) this.#queues.delete(key)
    })
  }

  async #follow(address: Address, events: readonly LogEvent[]): Promise<void> {
    const [first] = events
    if (!first) return
    const followed = await this.#upTo(address, first)
    for (const event of events) {
      if (event.seq <= followed.seq) continue
      this.#write(address, await this.#spans(followed, event))
      this.#metrics.event(event)
      followed.seq = event.seq
    }
    // Events of another process are that process's to export.
    if (followed.exported >= first.seq - 1) followed.exported = Math.max(followed.exported, followed.seq)
    this.#markLater(followed)
    if (!followed.trace.working) this.#followed.delete(keyOf(address))
  }

  /** The trace with every event before this one: another process may have written the last of them. */
  async #upTo(address: Address, { seq, type }: LogEvent): Promise<Followed> {
    const { store } = this.#options
    const known = this.#followed.get(keyOf(address))
    if (known) {
      while (known.seq < seq - 1) {
        const missed = await store.read(address, known.seq, seq - 1 - known.seq)
        if (missed.length === 0) break
        for (const event of missed) known.trace.add(event)
        known.seq = missed.at(-1)?.seq ?? known.seq
      }
      return known
    }
    const trace = new ConversationTrace(address.id)
    // A turn that begins needs nothing of the one before it.
    const before = type === 'turn.started' ? [] : await turnEvents(store, address, seq)
    for (const event of before) trace.add(event)
    const followed = { address, trace, seq: seq - 1, exported: await this.#exported(address) }
    this.#followed.set(keyOf(address), followed)
    return followed
  }

  async #spans({ address, trace }: Followed, event: LogEvent): Promise<readonly LogSpan[]> {
    if (!trace.misses(event)) return trace.add(event)
    // The answer to a call of an earlier turn.
    const { store } = this.#options
    const [made] = await store.readCall(address, event.callId)
    const earlier = new ConversationTrace(address.id)
    if (made) {
      for (const each of await turnEvents(store, address, made.seq)) earlier.add(each)
      for (let seq = made.seq - 1; seq < event.seq - 1;) {
        const page = await store.read(address, seq, Math.min(PAGE, event.seq - 1 - seq))
        if (page.length === 0) break
        for (const each of page) earlier.add(each)
        seq = page.at(-1)?.seq ?? event.seq
      }
    }
    trace.add(event)
    return earlier.add(event).filter(({ kind }) => kind === 'wait')
  }

  #write(address: Address, spans: readonly LogSpan[]): void {
    this.#export(address, spans)
    for (const span of spans) this.#metrics.span(span)
  }

  #export(address: Address, spans: readonly LogSpan[]): void {
    const { tracerProvider, ids, content, flush } = this.#options
    const keys = spans.flatMap((span) => writeSpan({ tracerProvider, ids, content }, address, span) ?? [])
    if (flush && keys.length > 0)
      this.#written.set(keyOf(address), [...(this.#written.get(keyOf(address)) ?? []), ...keys])
  }

  async #resumeOne(address: Address, head: number): Promise<number> {
    const { store } = this.#options
    const exported = await this.#exported(address)
    if (exported >= head) return 0
    let spans = 0
    const trace = new ConversationTrace(address.id)
    const followed: Followed = { address, trace, seq: exported, exported }
    for (const event of await turnEvents(store, address, exported + 1)) trace.add(event)
    while (followed.seq < head) {
      const page = await store.read(address, followed.seq, PAGE)
      if (page.length === 0) break
      for (const event of page) {
        const ended = await this.#spans(followed, event)
        this.#export(address, ended)
        spans += ended.length
        followed.seq = event.seq
      }
    }
    followed.exported = followed.seq
    this.#markLater(followed)
    return spans
  }

  async #exported(address: Address): Promise<number> {
    if (!this.#options.flush) return 0
    const waiting = this.#toMark.get(keyOf(address))
    if (waiting) return waiting.seq
    const [note] = await this.#options.store.notes(address, { kind: MARK, limit: 1 })
    return typeof note?.data === 'number' ? note.data : 0
  }

  #markLater({ address, exported, seq }: Followed): void {
    if (!this.#options.flush || exported < seq) return
    this.#toMark.set(keyOf(address), { address, seq: exported, at: Date.now() })
    if (this.#timer) return
    this.#timer = setTimeout(() => void this.flush(), this.#options.flushMs ?? 5000)
    this.#timer.unref()
  }

  /** First the spans leave the process, then the marks say so. */
  async #mark(): Promise<void> {
    const { flush, store, ids, onProblem } = this.#options
    const marks = [...this.#toMark]
    const written = this.#written
    this.#written = new Map()
    let left = true
    try {
      await flush?.()
    } catch (error) {
      onProblem?.(error)
      left = ids.watches
    }
    // The provider does not wait for an export that its own timer began.
    await ids.settled()
    for (const [key, mark] of marks) {
      const lost = (written.get(key) ?? []).filter((span) => ids.takeMissing(span))
      if (!left || lost.length > 0) {
        this.#exportAgain(key, mark.address)
        continue
      }
      try {
        await store.note(mark.address, { kind: MARK, seq: 1, at: mark.at, data: mark.seq })
        this.#losses.delete(key)
        if (this.#toMark.get(key) === mark) this.#toMark.delete(key)
      } catch (error) {
        onProblem?.(error)
      }
    }
  }

  /** Spans were lost between the tracer and the receiver. A mark of later events would hide that. */
  #exportAgain(key: string, address: Address): void {
    const losses = (this.#losses.get(key) ?? 0) + 1
    this.#losses.set(key, losses)
    this.#inOrder(address, async () => {
      this.#toMark.delete(key)
      this.#followed.delete(key)
      if (losses <= MOST_LOSSES) await this.#resumeOne(address, (await this.#options.store.heads([address]))[0] ?? 0)
    })
  }
}

function keyOf({ tenant, id }: Address): string {
  return JSON.stringify([tenant, id])
}
