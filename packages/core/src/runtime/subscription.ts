/**
 * A conversation as it happens, from any seq on: first what is stored, then what comes. Every event once, in order, with
 * no gap, however slow the reader and wherever the conversation is driven; frames between them while the reader keeps up.
 */
import type { LogEvent } from '../log/log-event.ts'
import type { Address, Store } from '../log/store.ts'
import type { StreamItem } from '../loop/live-stream.ts'

/** More than this waiting for a slow reader is let go: frames are lost, events are read again from the store. */
const MOST_WAITING = 1000
const PAGE = 500

export class Subscription implements AsyncIterableIterator<StreamItem, undefined> {
  readonly address: Address
  readonly #store: Store
  readonly #leave: () => void
  /** The seq of the last event given out. */
  #seq: number
  /** What came since, not yet asked for. */
  #items: StreamItem[] = []
  /** The store has events that did not come here, up to this seq, as far as notifications told. */
  #behind = true
  #head = Infinity
  /** Until it has read to the end, frames wait: what is shown now came after what is stored. */
  #catchingUp = true
  #over = false
  #waiting: (() => void) | undefined

  constructor(address: Address, after: number, store: Store, leave: () => void) {
    this.address = address
    this.#seq = after
    this.#store = store
    this.#leave = leave
  }

  show(item: StreamItem): void {
    if (this.#items.length >= MOST_WAITING) {
      this.#items = []
      this.#behind = true
      this.#head = Infinity
      this.#catchingUp = true
    }
    this.#items.push(item)
    this.#wake()
  }

  /** The log has reached this seq. */
  behind(seq: number): void {
    if (seq <= this.#seq) return
    this.#behind = true
    this.#head = Math.max(this.#head, seq)
    this.#wake()
  }

  end(): void {
    this.#over = true
    this.#wake()
    this.#leave()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** To be awaited before it is called again, as `for await` does. When the store fails, it is over. */
  async next(): Promise<IteratorResult<StreamItem, undefined>> {
    while (!this.#over) {
      const item = this.#items.shift()
      if (item === undefined && !this.#behind) await this.#something()
      else if (item === undefined || gap(item, this.#seq) || (this.#catchingUp && !('seq' in item)))
        await this.#readOn(item)
      else if (!('seq' in item)) return { done: false, value: item }
      else if (item.seq > this.#seq) return this.#give(item)
    }
    return { done: true, value: undefined }
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.end()
    return Promise.resolve({ done: true, value: undefined })
  }

  /** Fetches what is missing and puts it before what came since. Frames from before it are of the past. */
  async #readOn(ahead: StreamItem | undefined): Promise<void> {
    this.#behind = false
    const events = await this.#store.read(this.address, this.#seq, PAGE).catch((error: unknown) => {
      this.end()
      throw error
    })
    const read = events.at(-1)?.seq ?? this.#seq
    // A store may give them a few at a time.
    if (events.length === 0) this.#head = read
    if (ahead && (events.length > 0 || !('seq' in ahead))) this.#items.unshift(ahead)
    this.#behind ||= read < this.#head
    this.#catchingUp &&= this.#behind
    const known = this.#items.findLastIndex((item) => 'seq' in item && item.seq <= read)
    this.#items = [...events, ...this.#items.slice(known + 1)]
  }

  #give(event: LogEvent): IteratorYieldResult<StreamItem> {
    this.#seq = event.seq
    return { done: false, value: event }
  }

  #something(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  #wake(): void {
    this.#waiting?.()
    this.#waiting = undefined
  }
}

function gap(item: StreamItem, seq: number): boolean {
  return 'seq' in item && item.seq > seq + 1
}
