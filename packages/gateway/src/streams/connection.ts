/**
 * One reader of a conversation over HTTP. While it is behind it is given what the store has, at its own pace; once it has
 * caught up it is handed what comes, and a queue of limited size stands between. A reader that lets the queue run
 * full is cut off: it comes again with the last id it saw, and loses nothing but frames.
 */
import type { LogEvent, Runtime, StreamItem } from '@holdpoint/core'
import { encodeRetry, encodeStream, SSE_HEARTBEAT } from '@holdpoint/protocol'
import type { Limits } from '../gateway-options.ts'
import type { Peer } from '../http/route.ts'
import type { Hub, HubReader } from './hub.ts'

export interface ConnectionOptions {
  readonly runtime: Runtime
  readonly id: string
  readonly after: number
  /** The reader knows more than there is: it is told so, and begins anew. */
  readonly reset: boolean
  readonly hub: Hub
  readonly limits: Limits
  readonly now: () => number
  readonly peer: Peer | undefined
  /** Whether the reader is given nothing after this event. */
  readonly until: ((event: LogEvent) => boolean) | undefined
  readonly closed: (connection: Connection) => void
}

const PAGE = 200
const AT_ONCE = 65_536

export class Connection implements HubReader {
  readonly stream: ReadableStream<Uint8Array>
  readonly #options: ConnectionOptions
  readonly #openedAt: number
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #seq: number
  #live = false
  #over = false
  #queue: string[] = []
  #queued = 0
  #wanted: (() => void) | undefined
  #takenAt: number

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#seq = options.after
    this.#openedAt = options.now()
    this.#takenAt = this.#openedAt
    this.#put(encodeRetry(1000 + Math.random() * 1000))
    if (options.reset) this.#put(encodeStream({ kind: 'reset', why: 'This log is shorter than what you have seen.' }))
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller
      },
      pull: (controller) => this.#pull(controller),
      cancel: () => this.#leave(),
    })
  }

  take(text: string, item: StreamItem): void {
    // The store may have been ahead of what comes here.
    if ('seq' in item && item.seq <= this.#seq) return
    if ('seq' in item) this.#seq = item.seq
    if (this.#queued + text.length > this.#options.limits.streamQueueBytes) this.#cutOff()
    else this.#put(text)
    if ('seq' in item && this.#options.until?.(item)) this.end()
  }

  /** The reader is to come again in so many milliseconds. */
  end(retryMs: number = 1000 + Math.random() * 2000): void {
    if (this.#over) return
    this.#put(encodeRetry(retryMs))
    this.#leave()
    try {
      this.#controller?.enqueue(encoder.encode(this.#taken()))
      this.#controller?.close()
    } catch {
      // It is closed already.
    }
    this.#wake()
  }

  /** Called now and then: says that we are here, and looks whether the reader is. */
  beat(): void {
    const { now, limits } = this.#options
    if (now() - this.#openedAt > limits.streamLifeMs) this.end(0)
    else if (this.#wanted) this.#put(SSE_HEARTBEAT)
    else if (now() - this.#takenAt > limits.streamStallMs) this.#cutOff()
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#takenAt = this.#options.now()
    try {
      while (this.#queued === 0 && !this.#over) {
        if (this.#live) await this.#something()
        else await this.#catchUp()
      }
      if (this.#over) return
      controller.enqueue(encoder.encode(this.#taken()))
    } catch (error) {
      this.#leave()
      throw error
    }
  }

  /** The next page of what is stored; at its end, the reply in progress, and from then on what comes. */
  async #catchUp(): Promise<void> {
    const { hub, runtime, id } = this.#options
    if (this.#seq >= hub.seq) {
      this.#put(hub.join(this))
      this.#live = true
      return
    }
    const events = await runtime.events(id, this.#seq, PAGE)
    // The log cannot have become shorter; should it have, the reader finds out when it comes again.
    if (events.length === 0) return this.end()
    for (const event of events) this.#put(hub.text(event))
    this.#seq = events.at(-1)?.seq ?? this.#seq
  }

  #put(text: string): void {
    if (text === '' || this.#over) return
    this.#queue.push(text)
    this.#queued += text.length
    this.#wake()
  }

  /** What waits, but not all of it at once: what is handed on no longer counts as waiting. */
  #taken(): string {
    let size = 0
    let count = 0
    while (count < this.#queue.length && (count === 0 || size < AT_ONCE)) size += this.#queue[count++]?.length ?? 0
    this.#queued -= size
    return this.#queue.splice(0, count).join('')
  }

  #cutOff(): void {
    if (this.#over) return
    this.#leave()
    const { peer } = this.#options
    // What was handed on waits in the socket: ending in good order would wait for the reader once more.
    if (peer) peer.hangUp()
    else this.#controller?.error(new Error('The reader of this stream is too slow.'))
    this.#wake()
  }

  #leave(): void {
    if (this.#over) return
    this.#over = true
    this.#options.hub.leave(this)
    this.#options.closed(this)
  }

  #something(): Promise<void> {
    return new Promise((resolve) => {
      this.#wanted = resolve
    })
  }

  #wake(): void {
    this.#wanted?.()
    this.#wanted = undefined
  }
}

const encoder = new TextEncoder()
