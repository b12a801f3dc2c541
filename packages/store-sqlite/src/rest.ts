/**
 * When not to stay awake for a message, at either end of the line. To wait for one in vain means that there is none, or
 * that somebody else has the processor, whom it keeps from it. So nobody does for a while afterwards: twice as long each
 * time that happens, half as long when it does not. And who waited in vain twice in a row does not until a message is seen
 * to come soon: where they are far apart, each would cost a wait otherwise.
 */
const LEAST_MS = 1
const MOST_MS = 64
const ENOUGH_IN_VAIN = 2

export class Rest {
  #ms = LEAST_MS
  #until = 0
  #inVain = 0

  isOver(now: number): boolean {
    return this.#inVain < ENOUGH_IN_VAIN && now >= this.#until
  }

  /** One came soon, whether or not anybody stayed awake for it. */
  cameSoon(): void {
    this.#inVain = 0
  }

  /** It was worth to stay awake. */
  shorten(): void {
    this.cameSoon()
    this.#ms = Math.max(this.#ms / 2, LEAST_MS)
  }

  /** It was not. */
  begin(now: number): void {
    this.#until = now + this.#ms
    this.#ms = Math.min(this.#ms * 2, MOST_MS)
    this.#inVain++
  }
}
