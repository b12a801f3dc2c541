/** Whoever wants to know. One that fails is reported to the host, like an event's listener, and the others are told. */
import { report } from './report.ts'

export class Listeners<T> {
  readonly #all = new Set<(told: T) => void>()

  get size(): number {
    return this.#all.size
  }

  add(listener: (told: T) => void): () => void {
    // A function of its own, so that the same listener may be there twice.
    const own = (told: T): void => listener(told)
    this.#all.add(own)
    return () => this.#all.delete(own)
  }

  tell(told: T): void {
    for (const listener of this.#all) {
      try {
        listener(told)
      } catch (error) {
        report(error)
      }
    }
  }

  clear(): void {
    this.#all.clear()
  }
}
