/**
 * One conversation that is streamed from this process: one subscription for all readers, and each item is encoded once.
 * A reader is live and receives items from the hub, or it is catching up and reads the store.
 */
import type { Frame, Json, LogEvent } from '@holdpoint/core'
import type { StreamItem } from '@holdpoint/runtime'
import type { Runtime } from '@holdpoint/spaces'
import { encodeStream } from '@holdpoint/protocol'
import type { Redact } from '../redact.ts'
import { ReplySoFar } from './reply-so-far.ts'
import { WorkerProgress } from './worker-progress.ts'
import { WritingSoFar } from './writing-so-far.ts'

/** Another protocol than our own, for one reader. */
export interface Wire {
  /** What the reader gets first. */
  begin(): string
  take(item: StreamItem): string
  /** The protocol has no more for this reader. */
  readonly over: boolean
}

export interface HubReader {
  /** Receives each item after the reader joined. */
  take(text: string, item: StreamItem): void
  /** No more items will follow. */
  end(): void
}

export interface HubOptions {
  readonly runtime: Runtime
  readonly id: string
  readonly after: number
  /** The calls that waited for workers at the event `after`. */
  readonly calls: readonly string[]
  readonly progressOf: (callId: string) => Promise<Json | undefined>
  readonly redact: Redact
  readonly onEnd: (error?: unknown) => void
}

export class Hub {
  /** The last event that the live readers received. */
  seq: number
  readonly #live = new Set<HubReader>()
  readonly #reply = new ReplySoFar()
  readonly #writing = new WritingSoFar()
  readonly #workers: WorkerProgress
  readonly #redact: Redact
  readonly #left = new AbortController()
  /** Readers, live or not, and other users that keep the hub open. */
  #users = 0
  #onIdle: (() => void) | undefined

  constructor({ runtime, id, after, calls, progressOf, redact, onEnd }: HubOptions) {
    this.seq = after
    this.#redact = redact
    this.#workers = new WorkerProgress(calls, progressOf, (frame) => this.show(frame))
    this.#follow(runtime.subscribe(id, { after, signal: this.#left.signal })).then(() => onEnd(), onEnd)
  }

  get inUse(): boolean {
    return this.#users > 0
  }

  enter(): void {
    this.#users++
  }

  leave(reader?: HubReader): void {
    if (reader) this.#live.delete(reader)
    if (--this.#users === 0) this.#left.abort()
  }

  /** Makes the reader live. Returns the frames of the reply in progress, which it has missed. */
  join(reader: HubReader): readonly Frame[] {
    this.#live.add(reader)
    return [...this.#reply.frames, ...this.#writing.frames]
  }

  /** Default: in our own protocol. */
  text(item: StreamItem, wire?: Wire): string {
    if (wire) return this.#redact(wire.take(item))
    return this.#redact(encodeStream(isEvent(item) ? { kind: 'event', event: item } : { kind: 'frame', frame: item }))
  }

  /** What another protocol begins with. */
  beginning(wire: Wire): string {
    return this.#redact(wire.begin())
  }

  /** Sends a progress frame to the live readers, like a frame of the runtime. */
  show(frame: Extract<Frame, { readonly type: 'call-progress' }>): void {
    this.#workers.shown(frame)
    this.#send(frame)
  }

  /** Resolves when a turn ends. */
  untilIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve
    })
  }

  async #follow(items: ReturnType<Runtime['subscribe']>): Promise<void> {
    try {
      await items.forEach((item) => this.#send(item))
    } finally {
      this.#workers.end()
      for (const reader of this.#live) reader.end()
      this.#onIdle?.()
    }
  }

  #send(item: StreamItem): void {
    if (isEvent(item)) {
      this.seq = item.seq
      this.#reply.event(item)
      this.#writing.event(item)
      this.#workers.event(item)
      if (item.type === 'turn.ended' || (item.type === 'model.replied' && isLast(item))) this.#onIdle?.()
    } else {
      this.#reply.frame(item)
      this.#writing.frame(item)
    }
    if (this.#live.size === 0) return
    const text = this.text(item)
    for (const reader of this.#live) reader.take(text, item)
  }
}

/** A reply without calls ends its turn. */
function isLast({ reply }: Extract<LogEvent, { readonly type: 'model.replied' }>): boolean {
  return !reply.parts.some(({ type }) => type === 'call')
}

function isEvent(item: StreamItem): item is LogEvent {
  return 'seq' in item
}
