/**
 * When not to stay awake for a message, at either end of the line. To wait for one in vain means that there is none, or
 * that somebody else has the processor, whom it keeps from it. So nobody does for a while afterwards: twice as long each
 * time that happens, half as long when it does not.
 */
const LEAST_MS = 1
const MOST_MS = 64

export class Rest {
  #ms = LEAST_MS
  #until = 0

  isOver(now: number): boolean {
    return now >= this.#until
  }

  /** It was worth to stay awake. */
  shorten(): void {
    this.#ms = Math.max(this.#ms / 2, LEAST_MS)
  }

  /** It was not. */
  begin(now: number, leastMs = 0): void {
    const ms = Math.max(this.#ms, leastMs)
    this.#until = now + ms
    this.#ms = Math.min(ms * 2, MOST_MS)
  }
}
