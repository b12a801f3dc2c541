/**
 * Reports a failure of work that is repeated every second or so: when it begins, and every minute while it lasts. A report of each
 * attempt would bury all others while the store is away.
 */
const TELL_EVERY_MS = 60_000

export class RepeatedProblem {
  readonly #tell: (error: unknown) => void
  readonly #monotonic: () => number
  #toldAt = -Infinity

  constructor(tell: (error: unknown) => void, monotonic: () => number) {
    this.#tell = tell
    this.#monotonic = monotonic
  }

  failed(error: unknown): void {
    const now = this.#monotonic()
    if (now - this.#toldAt < TELL_EVERY_MS) return
    this.#toldAt = now
    this.#tell(error)
  }

  worked(): void {
    this.#toldAt = -Infinity
  }
}
