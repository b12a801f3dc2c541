/**
 * One reader of a conversation over HTTP.
 *
 * | state | what the reader gets |
 * |---|---|
 * | catching up | pages of events from the store, at its own pace |
 * | live | items from the hub, through a queue of limited size |
 * | over | nothing; the stream has ended or was cut off |
 *
 * A reader that lets its queue overflow is disconnected. It reconnects with the last event id and loses only frames.
 */
import type { LogEvent } from '@holdpoint/core'
import type { StreamItem } from '@holdpoint/runtime'
import type { Runtime } from '@holdpoint/spaces'
import { encodeRetry, encodeStream, SSE_HEARTBEAT } from '@holdpoint/protocol'
import type { Limits } from '../gateway-options.ts'
import type { Peer } from '../http/route.ts'
import type { TextSink, TextStream } from '../http/text-stream.ts'
import type { Hub, HubReader, Wire } from './hub.ts'

export interface StreamConnectionOptions {
  readonly runtime: Runtime
  readonly id: string
  readonly after: number
  /** The reader has a later event id than the log: it must drop its state and start over. */
  readonly reset: boolean
  readonly hub: Hub
  readonly limits: Limits
  readonly now: () => number
  readonly peer: Peer | undefined
  /** Whether this event is the last one for the reader. */
  readonly until: ((event: LogEvent) => boolean) | undefined
  /**
   * The conversation did not exist when the stream was opened. The stream ends when it does, without any of its events.
   */
  readonly notCreated: boolean
  /**
   * The protocol of the reader, if it is not our own. Its stream has an end, which says that the answer is complete. A stream
   * that ends before is cut off instead, so that the reader does not take the end for that.
   */
  readonly wire: Wire | undefined
  readonly closed: (connection: StreamConnection) => void
  /** The store could not be read. */
  readonly failed: (error: unknown) => void
}

const PAGE = 200
const MAX_CHUNK = 65_536

export class StreamConnection implements HubReader, TextStream {
  readonly #options: StreamConnectionOptions
  readonly #openedAt: number
  #sink: TextSink | undefined
  #seq: number
  #live = false
  #reading = false
  #over = false
  #queue: string[] = []
  #queued = 0
  /** The client can take more. */
  #ready = false
  #scheduled = false
  /** When the client last took something. */
  #takenAt: number

  constructor(options: StreamConnectionOptions) {
    this.#options = options
    this.#seq = options.after
    this.#openedAt = options.now()
    this.#takenAt = this.#openedAt
    if (options.wire) this.#put(options.hub.beginning(options.wire))
    else this.#put(encodeRetry(1000 + Math.random() * 1000))
    if (options.reset)
      this.#put(encodeStream({ kind: 'reset', why: 'The log is shorter than the last event id that you sent.' }))
  }

  start(sink: TextSink): void {
    this.#sink = sink
    // The client may disconnect, or the gateway may close, before the response starts.
    if (this.#over) sink.end(this.#taken())
    else if (this.#options.wire?.over) this.end()
  }

  pull(): void {
    this.#ready = true
    this.#takenAt = this.#options.now()
    this.#flush()
  }

  cancel(): void {
    this.#leave()
  }

  take(text: string, item: StreamItem): void {
    if (this.#options.notCreated) return this.end(0)
    // The store may have been ahead of the hub.
    if ('seq' in item && item.seq <= this.#seq) return
    if ('seq' in item) this.#seq = item.seq
    const { hub, wire, until, limits } = this.#options
    const own = wire ? hub.text(item, wire) : text
    if (this.#queued + own.length > limits.streamQueueBytes) this.#cutOff()
    else this.#put(own)
    if (wire?.over || ('seq' in item && until?.(item))) this.end()
  }

  /** Ends the stream. The reader reconnects after `retryMs`. */
  end(retryMs: number = 1000 + Math.random() * 2000): void {
    const { wire } = this.#options
    if (this.#over) return
    if (wire && !wire.over) return this.#cutOff()
    if (!wire) this.#put(encodeRetry(retryMs))
    this.#leave()
    this.#sink?.end(this.#taken())
  }

  /** Called at each heartbeat: sends one, and disconnects a reader that stalled. */
  beat(): void {
    const { now, limits } = this.#options
    if (now() - this.#openedAt > limits.streamLifeMs) this.end(0)
    else if (this.#ready && this.#queued === 0) this.#put(SSE_HEARTBEAT)
    else if (now() - this.#takenAt > limits.streamStallMs) this.#cutOff()
  }

  /** Sends queued text until the client is busy. When the queue is empty, reads the next page for a reader that is not live. */
  readonly #flush = (): void => {
    this.#scheduled = false
    while (this.#sink && this.#ready && this.#queued > 0 && !this.#over) {
      this.#takenAt = this.#options.now()
      this.#ready = this.#sink.write(this.#taken())
    }
    if (this.#ready && !this.#live && !this.#reading && !this.#over) void this.#catchUp()
  }

  /** Queues the next page from the store. At the end of the log it queues the reply in progress and goes live. */
  async #catchUp(): Promise<void> {
    const { hub, runtime, id, notCreated, wire, failed } = this.#options
    if (wire?.over) return this.end()
    if (this.#seq >= hub.seq) {
      this.#live = true
      for (const frame of hub.join(this)) this.#put(hub.text(frame, wire))
      return
    }
    if (notCreated) return this.end(0)
    this.#reading = true
    try {
      const events = await runtime.events(id, this.#seq, PAGE)
      // The log cannot become shorter. If it did, the reader gets a reset when it reconnects.
      if (events.length === 0) return this.end()
      for (const event of events) this.#put(hub.text(event, wire))
      this.#seq = events.at(-1)?.seq ?? this.#seq
    } catch (error) {
      this.#leave()
      this.#sink?.fail(error)
      failed(error)
    } finally {
      this.#reading = false
    }
    this.#flush()
  }

  /** Queues text. All text of one tick is sent together. */
  #put(text: string): void {
    if (text === '' || this.#over) return
    this.#queue.push(text)
    this.#queued += text.length
    if (!this.#ready || this.#scheduled) return
    this.#scheduled = true
    queueMicrotask(this.#flush)
  }

  /** The next chunk of the queue. Text in the socket no longer counts against the queue, so chunks are limited. */
  #taken(): string {
    let size = 0
    let count = 0
    while (count < this.#queue.length && (count === 0 || size < MAX_CHUNK)) size += this.#queue[count++]?.length ?? 0
    this.#queued -= size
    return this.#queue.splice(0, count).join('')
  }

  #cutOff(): void {
    if (this.#over) return
    this.#leave()
    const { peer } = this.#options
    // The socket buffer is full: a normal end would wait for the slow reader again.
    if (peer) peer.disconnect()
    else this.#sink?.fail(new Error('The reader of this stream is too slow.'))
  }

  #leave(): void {
    if (this.#over) return
    this.#over = true
    this.#options.hub.leave(this)
    this.#options.closed(this)
  }
}
