/**
 * Conversations that are due by their row, but have nothing to do yet: the grace of a call is over, and a client is
 * connected. They are due at every look, and are skipped until the client may have been away for the grace.
 */
import type { Address } from '@holdpoint/core/internal/log/store'
import { keyOf } from './active-logs.ts'

/** The longest time at once: the conversation may become due for another reason, without a notification. */
const LONGEST_MS = 5000

export class PostponedConversations {
  #until = new Map<string, number>()

  /** Returns when the conversation is looked at again. */
  put(address: Address, at: number, now: number): number {
    const until = Math.min(at, now + LONGEST_MS)
    this.#until.set(keyOf(address), until)
    return until
  }

  /** The conversation has changed, so it may have work. */
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
