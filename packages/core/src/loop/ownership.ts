/**
 * Whether this process owns a log, as the store said last. The store says so in its answer to every append and claim. It
 * does not say when another process takes over, so an append by another process to a log at rest is a reason to ask.
 *
 * | state       | `epoch` | `uncertain` | may drive | entered by                                                   |
 * |---|---|---|---|---|
 * | `none`      | unset   | false       | no        | an answer that names another owner; `fenced`                 |
 * | `owned`     | set     | false       | yes       | an answer that names this node, asked after the last doubt   |
 * | `uncertain` | set     | true        | no        | `doubt`: another process appended to the log while at rest   |
 *
 * To ask, `Writes.confirmOwner` gives the store an old append of ours again (`proof`). That changes nothing, and its answer
 * names the owner. What others appended is a reason to ask, never an answer: read late, or during an append, a log looks
 * at rest although it was not.
 */
import type { Append } from '../log/store.ts'

export class Ownership {
  /** Set while this process is the owner, or was when it last heard. */
  epoch: number | undefined
  uncertain = false
  /** An append of ours that happened, to ask with. */
  proof: Append | undefined
  /** Counts the reasons to doubt: an answer to a question from before the last one says nothing about it. */
  doubts = 0
  /** A late answer may name an older epoch than is known already. */
  #newest = 0

  /** The store's answer. `doubts` is what the count was when it was asked. */
  answered(owner: { readonly epoch: number; readonly owned: boolean }, doubts: number, proof?: Append): void {
    this.proof = proof ?? this.proof
    if (owner.epoch < this.#newest) return
    this.#newest = owner.epoch
    this.epoch = owner.owned ? owner.epoch : undefined
    this.uncertain &&= doubts !== this.doubts
  }

  /** The store refused an append under this epoch. */
  fenced(epoch: number | undefined): void {
    if (epoch === this.epoch) this.epoch = undefined
  }

  /** Without an append to ask with, the next append will tell. */
  doubt(): void {
    if (this.epoch === undefined || !this.proof) return
    this.doubts++
    this.uncertain = true
  }
}
