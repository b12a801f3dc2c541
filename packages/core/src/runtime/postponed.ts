/**
 * Conversations that are due by their row although there is nothing to do for a while: a call may be given up from then on,
 * and its client is there. They come up at every look, and are left alone until it may have gone.
 */
import type { Address } from '../log/store.ts'
import { keyOf } from './active-logs.ts'

/** No longer than this at a time: it may be due for another reason by then, without a notification. */
const LONGEST_MS = 5000

export class Postponed {
  #until = new Map<string, number>()

  /** When it is looked at again. */
  put(address: Address, at: number, now: number): number {
    const until = Math.min(at, now + LONGEST_MS)
    this.#until.set(keyOf(address), until)
    return until
  }

  /** Something happened there. */
  forget(address: Address): void {
    if (this.#until.size > 0) this.#until.delete(keyOf(address))
  }

  without(due: readonly Address[], now: number): readonly Address[] {
    if (this.#until.size === 0) return due
    const still = new Map<string, number>()
    for (const address of due) {
      const until = this.#until.get(keyOf(address)) ?? -Infinity
      if (until > now) still.set(keyOf(address), until)
    }
    this.#until = still
    return due.filter((address) => !still.has(keyOf(address)))
  }
}
