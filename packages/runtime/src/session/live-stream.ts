/**
 * A turn to iterate over: frames as they arrive, and events once they are written. Work begins when a caller iterates or
 * reads `result`. Each reader gets all items from the start.
 */
import type { Frame } from '@holdpoint/core/internal/live/frame'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'

export type StreamItem = LogEvent | Frame
export type Watch = (item: StreamItem) => void

type Next = IteratorResult<StreamItem, void>

export class LiveStream<R> implements AsyncIterable<StreamItem> {
  readonly #work: (watch: Watch) => Promise<R>
  readonly #items: StreamItem[] = []
  /** Readers that have read all items and wait for more. */
  #waiting: (() => void)[] = []
  #result: Promise<R> | undefined
  #over = false

  constructor(work: (watch: Watch) => Promise<R>) {
    this.#work = work
  }

  get result(): Promise<R> {
    return this.#result ?? this.#start()
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamItem, void> {
    const { result } = this
    let at = 0
    const take = (): Next | Promise<Next> => {
      const value = this.#items[at++]
      return value === undefined ? result.then(ended) : { done: false, value }
    }
    // Not an async generator: this runs for each piece of text, and a generator takes several times as long.
    const settle = (resolve: (next: Next | Promise<Next>) => void): void => {
      if (at < this.#items.length || this.#over) resolve(take())
      else this.#waiting.push(() => settle(resolve))
    }
    return { next: () => new Promise(settle) }
  }

  #start(): Promise<R> {
    const result = this.#work((item) => this.#push(item))
    this.#result = result
    const over = (): void => {
      this.#over = true
      this.#wake()
    }
    result.then(over, over)
    return result
  }

  #push(item: StreamItem): void {
    this.#items.push(item)
    this.#wake()
  }

  #wake(): void {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}

function ended(): Next {
  return { done: true, value: undefined }
}

/** When a watcher throws, its own caller gets the error after the work (`check`). Other callers are not affected. */
export function watcher(watch: Watch | undefined): { readonly show: Watch; check(): void } | undefined {
  let broke: { readonly error: unknown } | undefined
  return (
    watch && {
      show: (item) => {
        try {
          if (!broke) watch(item)
        } catch (error) {
          broke = { error }
        }
      },
      check: () => {
        if (broke) throw broke.error
      },
    }
  )
}
