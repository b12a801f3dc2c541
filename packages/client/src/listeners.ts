/** A set of listeners. An error in one listener is reported to the host, and the other listeners are still called. */
import { reportUncaught } from './report-uncaught.ts'

export class Listeners<T> {
  readonly #all = new Set<(value: T) => void>()

  get size(): number {
    return this.#all.size
  }

  add(listener: (value: T) => void): () => void {
    // A new function for each, so that the same listener can be added twice.
    const own = (value: T): void => listener(value)
    this.#all.add(own)
    return () => this.#all.delete(own)
  }

  tell(value: T): void {
    for (const listener of this.#all) {
      try {
        listener(value)
      } catch (error) {
        reportUncaught(error)
      }
    }
  }

  clear(): void {
    this.#all.clear()
  }
}
