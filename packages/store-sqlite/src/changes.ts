/**
 * Finds writes of other processes and of other handles in this process. Positions of batches follow the order of commits,
 * so every batch after the last known position is new. While this connection has a transaction open, no other can write:
 * batches after the known position at its start are foreign, and those it adds are our own. `append` reports our own.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Change } from './writer-messages.ts'

/** Rows per read. */
const PAGE = 1000

export class Changes {
  #newest: StatementSync | undefined
  #after: StatementSync | undefined
  #known: number | undefined
  #found: Change[] = []

  /** Uses another connection. The known position stays. */
  attach(db: DatabaseSync): void {
    this.#newest = db.prepare('select max(pos) as pos from batches')
    this.#after = db.prepare(
      `select pos, seq, tenant, id, status = 'running' and not exists(select 1 from nodes where nodes.id = owner) as unowned
       from batches join conversations on k = conv where pos > ? order by pos limit ${PAGE}`,
    )
  }

  /** Reports changes after this position. Default: after the newest batch. */
  listen(after?: number): void {
    this.#known = after ?? (this.#newest?.get() as { pos: number | null } | undefined)?.pos ?? 0
  }

  stop(): void {
    this.#known = undefined
    this.#found = []
  }

  poll(): void {
    for (let more = this.#known !== undefined; more;) {
      const found = (this.#after?.all(this.#known ?? 0) ?? []) as unknown as Change[]
      this.#found.push(...found)
      this.#known = found.at(-1)?.pos ?? this.#known
      more = found.length === PAGE
    }
  }

  /** Skips our own batches up to this position. */
  ownWriteAt(pos: number): void {
    if (this.#known !== undefined) this.#known = Math.max(this.#known, pos)
  }

  take(): readonly Change[] {
    const found = this.#found
    this.#found = []
    return found
  }
}
