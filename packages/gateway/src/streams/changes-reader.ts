/**
 * One reader of the changes in a tenant. It receives the ids of changed conversations, each once per batch. A change is
 * only a hint to read again, so merging changes for a slow reader loses nothing.
 */
import type { Store } from '@holdpoint/core'
import { encodeRetry, encodeStream, SSE_HEARTBEAT, type StreamMessage } from '@holdpoint/protocol'
import type { TextSink, TextStream } from '../http/text-stream.ts'

export interface ChangesReaderOptions {
  readonly store: Store
  readonly tenant: string
  /** Send the ids of changed conversations; otherwise only that something changed. */
  readonly named: boolean
  readonly maxAgeMs: number
  readonly now: () => number
  readonly closed: (reader: ChangesReader) => void
}

/** A turn is many writes. Changes within this time are sent together. */
const BATCH_MS = 60
/** With more changes than this, one message without an id is sent. */
const MAX_IDS = 200

export class ChangesReader implements TextStream {
  readonly #options: ChangesReaderOptions
  readonly #openedAt: number
  readonly #unlisten: () => void
  readonly #changed = new Set<string>()
  #sink: TextSink | undefined
  #text = encodeRetry(1000 + Math.random() * 1000)
  #over = false
  /** The client can take more. */
  #ready = false
  #batch: ReturnType<typeof setTimeout> | undefined

  constructor(options: ChangesReaderOptions) {
    this.#options = options
    this.#openedAt = options.now()
    this.#unlisten = options.store.listen(({ tenant, id }) => {
      if (tenant !== options.tenant || this.#over) return
      if (this.#changed.size <= MAX_IDS) this.#changed.add(id)
      this.#send()
    })
  }

  start(sink: TextSink): void {
    this.#sink = sink
    // The client may disconnect, or the gateway may close, before the response starts.
    if (this.#over) sink.end(this.#taken())
  }

  pull(): void {
    this.#ready = true
    this.#send()
  }

  cancel(): void {
    this.#leave()
  }

  /** Ends the stream. The reader reconnects after `retryMs`. */
  end(retryMs: number = 1000 + Math.random() * 2000): void {
    if (this.#over) return
    this.#text += encodeRetry(retryMs)
    this.#leave()
    this.#sink?.end(this.#taken())
  }

  beat(): void {
    if (this.#options.now() - this.#openedAt > this.#options.maxAgeMs) return this.end(0)
    if (!this.#ready || this.#batch) return
    this.#text += SSE_HEARTBEAT
    this.#send()
  }

  #send(): void {
    if (!this.#ready || this.#over || this.#batch) return
    if (this.#changed.size > 0) this.#batch = setTimeout(() => this.#write(), BATCH_MS)
    else if (this.#text !== '') this.#write()
  }

  #write(): void {
    this.#batch = undefined
    if (this.#sink && !this.#over) this.#ready = this.#sink.write(this.#taken())
  }

  #taken(): string {
    const { size } = this.#changed
    const one = size > 0 && (size > MAX_IDS || !this.#options.named)
    const ids = one ? [undefined] : [...this.#changed]
    const changes = ids.map((id): StreamMessage => ({
      kind: 'changed',
      ...(id !== undefined && { conversationId: id }),
    }))
    const text = this.#text + changes.map(encodeStream).join('')
    this.#changed.clear()
    this.#text = ''
    return text
  }

  #leave(): void {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#batch)
    this.#unlisten()
    this.#options.closed(this)
  }
}
