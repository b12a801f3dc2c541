/**
 * The loop as something to iterate: frames as they come, events once they are written. Work begins when somebody
 * iterates or asks for the result; whoever asks only for the result pays nothing for the frames.
 */
import type { Frame } from '../live/frame.ts'
import type { LogEvent } from '../log/log-event.ts'

export type StreamItem = LogEvent | Frame
export type Watch = (item: StreamItem) => void

type Next = IteratorResult<StreamItem, void>

export class LiveStream<R> implements AsyncIterable<StreamItem> {
  readonly #work: (watch: Watch | undefined) => Promise<R>
  readonly #items: StreamItem[] = []
  /** Readers that have seen everything and wait for more. */
  #waiting: (() => void)[] = []
  #result: Promise<R> | undefined
  #over = false

  constructor(work: (watch: Watch | undefined) => Promise<R>) {
    this.#work = work
  }

  get result(): Promise<R> {
    return this.#result ?? this.#start(undefined)
  }

  /** Each reader sees everything from the start; there is nothing to see if the result was asked for first. */
  [Symbol.asyncIterator](): AsyncIterator<StreamItem, void> {
    const result = this.#result ?? this.#start((item) => this.#push(item))
    let at = 0
    const take = (): Next | Promise<Next> => {
      const value = this.#items[at++]
      return value === undefined ? result.then(ended) : { done: false, value }
    }
    // Written by hand: this runs once for every piece of text, and an async generator costs several times as much.
    const next = (): Promise<Next> => {
      if (at < this.#items.length || this.#over) return Promise.resolve(take())
      return new Promise((resolve) => {
        this.#waiting.push(() => resolve(take()))
      })
    }
    return { next }
  }

  #start(watch: Watch | undefined): Promise<R> {
    const result = this.#work(watch)
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
