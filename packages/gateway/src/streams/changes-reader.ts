/**
 * One reader of what changes in a tenant. It is told which conversations did, each once however often it did meanwhile:
 * a hint to look again, so what is missed while a reader is slow costs nothing but that look.
 */
import type { Store } from '@holdpoint/core'
import { encodeRetry, encodeStream, SSE_HEARTBEAT, type StreamMessage } from '@holdpoint/protocol'

export interface ChangesReaderOptions {
  readonly store: Store
  readonly tenant: string
  /** Which conversations changed is told; else only that something did. */
  readonly named: boolean
  readonly lifeMs: number
  readonly now: () => number
  readonly closed: (reader: ChangesReader) => void
}

/** A turn is many writes: what comes within this time is told together. */
const TOGETHER_MS = 60
/** More than this is not told one by one. */
const MOST = 200

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
      if (this.#changed.size <= MOST) this.#changed.add(id)
      this.#wake()
    })
    this.stream = new ReadableStream({
      pull: (controller) => this.#pull(controller),
      cancel: () => this.#leave(),
    })
  }

  /** The reader is to come again in so many milliseconds. */
  end(retryMs: number = 1000 + Math.random() * 2000): void {
    if (this.#over) return
    this.#text += encodeRetry(retryMs)
    this.#leave()
    this.#wake()
  }

  beat(): void {
    if (this.#options.now() - this.#openedAt > this.#options.lifeMs) return this.end(0)
    if (!this.#wanted) return
    this.#text += SSE_HEARTBEAT
    this.#wake()
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (this.#text === '' && this.#changed.size === 0 && !this.#over)
      await new Promise<void>((resolve) => (this.#wanted = resolve))
    if (this.#changed.size > 0 && !this.#over) await new Promise((resolve) => setTimeout(resolve, TOGETHER_MS))
    controller.enqueue(encoder.encode(this.#taken()))
    if (this.#over) controller.close()
  }

  #taken(): string {
    const { size } = this.#changed
    const one = size > 0 && (size > MOST || !this.#options.named)
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
