/** Remembers the newest holds that ran on this page, so that no hold runs twice here. */
export class StartedHolds {
  readonly #keys = new Set<string>()
  readonly #most: number

  constructor(most = 10_000) {
    this.#most = most
  }

  /** True the first time it is called with a key. */
  first(key: string): boolean {
    if (this.#keys.has(key)) return false
    this.#keys.add(key)
    const [oldest] = this.#keys
    if (this.#keys.size > this.#most && oldest !== undefined) this.#keys.delete(oldest)
    return true
  }
}
