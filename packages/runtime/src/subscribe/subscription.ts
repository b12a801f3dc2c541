/**
 * One subscriber of a conversation, from any seq on: first stored events, then new ones. The reader gets each event once, in
 * order and without a gap, however slow it is and whichever process drives the conversation. It gets frames while it keeps up.
 */
import type { Address, Store } from '@holdpoint/core/internal/log/store'
import { isTombstone } from '@holdpoint/core/internal/turn/erased'
import type { StreamItem } from '../session/live-stream.ts'

/** The longest queue of a slow reader. Beyond it the queue is dropped: frames are lost, and events are read from the store. */
const MOST_WAITING = 1000
const PAGE = 500

export interface ItemStream extends AsyncIterableIterator<StreamItem, undefined> {
  /** Like `for await`, with one promise for everything that comes in one tick, instead of several for each item. */
  forEach(take: (item: StreamItem) => void): Promise<void>
}

export class Subscription implements ItemStream {
  readonly address: Address
  readonly #store: Store
  readonly #leave: () => void
  /** The seq of the last event that the reader got. */
  #seq: number
  /** The newest seq that the log is known to have had. */
  #known = 0
  /** Items that the reader has not read yet. */
  #items: StreamItem[] = []
  /** Whether the store has events that are not in `#items`, and up to which seq (`#head`), by the notifications. */
  #behind = true
  #head = Infinity
  /** While it reads stored events, frames wait: they belong after those events. */
  #catchingUp = true
  #over = false
  #failed: { readonly error: unknown } | undefined
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

  /** The newest seq that the log is known to have had: the reader may ask for events after one that it never had. */
  get known(): number {
    return this.#known
  }

  /** The log has reached this seq. */
  behind(seq: number): void {
    this.#known = Math.max(this.#known, seq)
    if (seq <= this.#seq) return
    this.#behind = true
    this.#head = Math.max(this.#head, seq)
    this.#wake()
  }

  /** Ends with an error: the reader has events that do not exist any more. */
  fail(error: unknown): void {
    this.#failed ??= { error }
    this.end()
  }

  end(): void {
    if (this.#over) return
    this.#over = true
    this.#wake()
    this.#leave()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Await each call before the next one, as `for await` does. When the store fails, the subscription ends. */
  async next(): Promise<IteratorResult<StreamItem, undefined>> {
    while (!this.#over) {
      const value = this.#takeItem()
      if (value) return { done: false, value }
      await this.#moreItems()
    }
    if (this.#failed) throw this.#failed.error
    return { done: true, value: undefined }
  }

  async forEach(take: (item: StreamItem) => void): Promise<void> {
    try {
      while (!this.#over) {
        const item = this.#takeItem()
        if (item) take(item)
        else await this.#moreItems()
      }
      if (this.#failed) throw this.#failed.error
    } finally {
      this.end()
    }
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.end()
    return Promise.resolve({ done: true, value: undefined })
  }

  /** The next item, if it can be given out without reading the store. */
  #takeItem(): StreamItem | undefined {
    for (let item = this.#items[0]; item; item = this.#items[0]) {
      if (gap(item, this.#seq) || (this.#catchingUp && !('seq' in item))) return undefined
      this.#items.shift()
      if (!('seq' in item)) return item
      if (item.seq <= this.#seq) continue
      this.#seq = item.seq
      this.#known = Math.max(this.#known, item.seq)
      return item
    }
    return undefined
  }

  #moreItems(): Promise<void> {
    const item = this.#items.shift()
    return item === undefined && !this.#behind ? this.#something() : this.#readOn(item)
  }

  /** Reads missing events and puts them before the queue. Frames from before those events are dropped. */
  async #readOn(ahead: StreamItem | undefined): Promise<void> {
    this.#behind = false
    const events = await this.#store.read(this.address, this.#seq, PAGE).catch((error: unknown) => {
      this.end()
      throw error
    })
    const read = events.at(-1)?.seq ?? this.#seq
    // A store may return a few events at a time.
    if (events.length === 0) this.#head = read
    if (ahead && (events.length > 0 || !('seq' in ahead))) this.#items.unshift(ahead)
    this.#behind ||= read < this.#head
    this.#catchingUp &&= this.#behind
    const known = this.#items.findLastIndex((item) => 'seq' in item && item.seq <= read)
    this.#items = [...events, ...this.#items.slice(known + 1)]
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
  // The events before a tombstone are gone.
  return 'seq' in item && !isTombstone(item) && item.seq > seq + 1
}
