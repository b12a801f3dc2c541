/**
 * Whether it is for this process to drive a conversation, as the store last said. The store says so with every write and
 * claim; that somebody else took over it does not say. So when others set going what was at rest, which makes it theirs,
 * nothing is begun here until the store was asked: by giving it an old write of ours again, which changes nothing and is
 * answered with who drives now. What others wrote is only ever a reason to ask, never an answer: read late, or in the
 * middle of a write, the log looks at rest where it was not.
 */
import type { Append } from '../log/store.ts'

export class Ownership {
  /** Set while this process is the one to drive. */
  epoch: number | undefined
  /** Somebody else may have taken over. */
  uncertain = false
  /** A write of ours that happened, to ask with. */
  proof: Append | undefined
  /** Counts the reasons to doubt: what was asked before the last one says nothing about it. */
  doubts = 0
  /** An answer that took its time may tell of an older epoch than is known already. */
  #newest = 0

  /** The store's answer to what was asked after so many doubts. */
  told(who: { readonly epoch: number; readonly owned: boolean }, doubts: number, proof?: Append): void {
    this.proof = proof ?? this.proof
    if (who.epoch < this.#newest) return
    this.#newest = who.epoch
    this.epoch = who.owned ? who.epoch : undefined
    this.uncertain &&= doubts !== this.doubts
  }

  /** The store did not take a write under this epoch. */
  fenced(epoch: number | undefined): void {
    if (epoch === this.epoch) this.epoch = undefined
  }

  /** Without anything to ask with, it comes out when something is written. */
  doubt(): void {
    if (this.epoch === undefined || !this.proof) return
    this.doubts++
    this.uncertain = true
  }
}
