/**
 * The loop as something to iterate: frames as they come, events once they are written. Work begins when somebody
 * iterates or asks for the result; whoever asks only for the result pays nothing for the frames.
 */
import type { Frame } from '../live/frame.ts'
import type { LogEvent } from '../log/log-event.ts'

export type StreamItem = LogEvent | Frame

export class LiveStream<R> implements AsyncIterable<StreamItem> {
  readonly #work: (push: ((item: StreamItem) => void) | undefined) => Promise<R>
  readonly #items: StreamItem[] = []
  #waiting: (() => void) | undefined
  #result: Promise<R> | undefined
  #over = false

  constructor(work: (push: ((item: StreamItem) => void) | undefined) => Promise<R>) {
    this.#work = work
  }

  get result(): Promise<R> {
    return (this.#result ??= this.#work(undefined))
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamItem, void> {
    if (!this.#result) this.#start()
    let at = 0
    return {
      next: async () => {
        while (at >= this.#items.length && !this.#over) await this.#more()
        const value = this.#items[at++]
        if (value) return { done: false, value }
        await this.#result // what broke the work breaks the iteration
        return { done: true, value: undefined }
      },
    }
  }

  #start(): void {
    const work = this.#work((item) => {
      this.#items.push(item)
      this.#wake()
    })
    this.#result = work
    const over = (): void => {
      this.#over = true
      this.#wake()
    }
    work.then(over, over)
  }

  #more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#waiting
    this.#waiting = () => {
      before?.()
      resolve()
    }
    return promise
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.()
  }
}
