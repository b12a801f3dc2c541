/**
 * One reader of the changes in a tenant. It receives the ids of changed conversations, each once per batch. A change is
 * only a hint to read again, so merging changes for a slow reader loses nothing.
 */
import type { Store } from '@holdpoint/core'
import { encodeRetry, encodeStream, SSE_HEARTBEAT, type StreamMessage } from '@holdpoint/protocol'

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

export class ChangesReader {
  readonly stream: ReadableStream<Uint8Array>
  readonly #options: ChangesReaderOptions
  readonly #openedAt: number
  readonly #unlisten: () => void
  readonly #changed = new Set<string>()
  #text = encodeRetry(1000 + Math.random() * 1000)
  #over = false
  #wanted: (() => void) | undefined

  constructor(options: ChangesReaderOptions) {
    this.#options = options
    this.#openedAt = options.now()
    this.#unlisten = options.store.listen(({ tenant, id }) => {
      if (tenant !== options.tenant || this.#over) return
      if (this.#changed.size <= MAX_IDS) this.#changed.add(id)
      this.#wake()
    })
    this.stream = new ReadableStream({
      pull: (controller) => this.#pull(controller),
      cancel: () => this.#leave(),
    })
  }

  /** Ends the stream. The reader reconnects after `retryMs`. */
  end(retryMs: number = 1000 + Math.random() * 2000): void {
    if (this.#over) return
    this.#text += encodeRetry(retryMs)
    this.#leave()
    this.#wake()
  }

  beat(): void {
    if (this.#options.now() - this.#openedAt > this.#options.maxAgeMs) return this.end(0)
    if (!this.#wanted) return
    this.#text += SSE_HEARTBEAT
    this.#wake()
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (this.#text === '' && this.#changed.size === 0 && !this.#over)
      await new Promise<void>((resolve) => (this.#wanted = resolve))
    if (this.#changed.size > 0 && !this.#over) await new Promise((resolve) => setTimeout(resolve, BATCH_MS))
    controller.enqueue(encoder.encode(this.#taken()))
    if (this.#over) controller.close()
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
    this.#unlisten()
    this.#options.closed(this)
  }

  #wake(): void {
    this.#wanted?.()
    this.#wanted = undefined
  }
}

const encoder = new TextEncoder()
