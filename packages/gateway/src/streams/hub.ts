/**
 * One conversation that is followed from here: one subscription for all its readers, each item made into text once. A
 * reader is live, and is handed what comes; or it is behind, and reads the store until it has caught up.
 */
import type { Frame, Json, LogEvent, Runtime, StreamItem } from '@holdpoint/core'
import { encodeStream } from '@holdpoint/protocol'
import type { Redact } from '../redact.ts'
import { ReplySoFar } from './reply-so-far.ts'
import { WorkerProgress } from './worker-progress.ts'
import { WritingSoFar } from './writing-so-far.ts'

export interface HubReader {
  /** Handed to it from the moment it said that it is live. */
  take(text: string, item: StreamItem): void
  /** Nothing more will come. */
  end(): void
}

export interface HubOptions {
  readonly runtime: Runtime
  readonly id: string
  readonly after: number
  /** Those that waited for workers then. */
  readonly calls: readonly string[]
  readonly progressOf: (callId: string) => Promise<Json | undefined>
  readonly redact: Redact
  readonly over: (error?: unknown) => void
}

export class Hub {
  /** The last event that was handed to the live readers. */
  seq: number
  readonly #live = new Set<HubReader>()
  readonly #reply = new ReplySoFar()
  readonly #writing = new WritingSoFar()
  readonly #workers: WorkerProgress
  readonly #redact: Redact
  readonly #left = new AbortController()
  /** Readers, live or not, and whoever else wants it kept. */
  #users = 0
  #quietSince: (() => void) | undefined

  constructor({ runtime, id, after, calls, progressOf, redact, over }: HubOptions) {
    this.seq = after
    this.#redact = redact
    this.#workers = new WorkerProgress(calls, progressOf, (frame) => this.show(frame))
    this.#follow(runtime.subscribe(id, { after, signal: this.#left.signal })).then(() => over(), over)
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

  /** From now on the reader is handed everything; what it must be shown of the reply in progress is told now. */
  join(reader: HubReader): string {
    this.#live.add(reader)
    return [...this.#reply.frames, ...this.#writing.frames].map((frame) => this.text(frame)).join('')
  }

  text(item: StreamItem): string {
    return this.#redact(encodeStream(isEvent(item) ? { kind: 'event', event: item } : { kind: 'frame', frame: item }))
  }

  /** Shown to those who follow it from here, like a frame of the runtime's own. */
  show(frame: Extract<Frame, { readonly type: 'call-progress' }>): void {
    this.#workers.shown(frame)
    this.#hand(frame)
  }

  /** Resolves when a turn has ended or waits for somebody. */
  rest(): Promise<void> {
    return new Promise((resolve) => {
      this.#quietSince = resolve
    })
  }

  async #follow(items: AsyncIterable<StreamItem>): Promise<void> {
    try {
      for await (const item of items) this.#hand(item)
    } finally {
      this.#workers.end()
      for (const reader of this.#live) reader.end()
      this.#quietSince?.()
    }
  }

  #hand(item: StreamItem): void {
    if (isEvent(item)) {
      this.seq = item.seq
      this.#reply.event(item)
      this.#writing.event(item)
      this.#workers.event(item)
      if (item.type === 'turn.ended' || (item.type === 'model.replied' && isLast(item))) this.#quietSince?.()
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
