/** Which holds were taken up on this page, so that none is run twice here. Only the newest are remembered. */
export class Ran {
  readonly #keys = new Set<string>()
  readonly #most: number

  constructor(most = 10_000) {
    this.#most = most
  }

  /** Whether it is the first time. */
  first(key: string): boolean {
    if (this.#keys.has(key)) return false
    this.#keys.add(key)
    const [oldest] = this.#keys
    if (this.#keys.size > this.#most && oldest !== undefined) this.#keys.delete(oldest)
    return true
  }
}
