/**
 * Whether this process owns a log, by the newest answer of the store. Each answer to an append or a takeover names the owner.
 * The store does not tell a process that another one took over, so an append by another process to a log at rest is a reason
 * to ask.
 *
 * | state       | `epoch` | `uncertain` | may drive | entered by                                                   |
 * |---|---|---|---|---|
 * | `none`      | unset   | false       | no        | an answer that names another owner; `fenced`; the store lost events |
 * | `owned`     | set     | false       | yes       | an answer that names this node, asked after the last doubt   |
 * | `uncertain` | set     | true        | no        | `doubt`: another process appended to the log while at rest   |
 *
 * To ask, `Writes.confirmOwner` repeats an old append of this process (`proof`). That changes nothing, and the answer names
 * the owner. Events of other processes are a reason to ask and never an answer: a log that is read late, or during an
 * append, may look at rest although it was not.
 */
import type { Append } from '@holdpoint/core/internal/log/store'

export class Ownership {
  /** Set while this process is the owner, by the newest answer. */
  epoch: number | undefined
  uncertain = false
  /** An append of this process that was written, to ask with. */
  proof: Append | undefined
  /** Counts the reasons to doubt. An answer to an earlier question does not settle a later doubt. */
  doubts = 0
  /** A late answer may name an older epoch than this one. */
  #newest = 0

  /** The store's answer. `doubts` is the count at the time of the question. */
  answered(owner: { readonly epoch: number; readonly owned: boolean }, doubts: number, proof?: Append): void {
    this.proof = proof ?? this.proof
    if (owner.epoch < this.#newest) return
    this.#newest = owner.epoch
    this.epoch = owner.owned ? owner.epoch : undefined
    this.uncertain &&= doubts !== this.doubts
  }

  /**
   * The store lets this process take over under this epoch. A store that lost its newest writes may give out an epoch below one that
   * this process was fenced with.
   */
  mayTakeOver(epoch: number): void {
    if (this.epoch === undefined) this.#newest = epoch
  }

  /** The store refused an append under this epoch. */
  fenced(epoch: number | undefined): void {
    if (epoch === this.epoch) this.epoch = undefined
  }

  /** Without an append to ask with, the next append will show the owner. */
  doubt(): void {
    if (this.epoch === undefined || !this.proof) return
    this.doubts++
    this.uncertain = true
  }
}
