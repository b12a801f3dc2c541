/**
 * What others have written: other processes, and other handles in this one. Batches have positions in the order they
 * were committed, so whatever lies behind the last known one is new. Nobody can come in between while a transaction of
 * our own is open: what is behind the last known position when it begins is foreign, and what it adds is ours. Our own
 * writes are told by who asked for them.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Change } from './wire.ts'

/** Read at once; the rest is read after. */
const PAGE = 1000

export class Changes {
  #newest: StatementSync | undefined
  #behind: StatementSync | undefined
  #known: number | undefined
  #found: Change[] = []

  /** The connection may change; what is known stays. */
  attach(db: DatabaseSync): void {
    this.#newest = db.prepare('select max(pos) as pos from batches')
    this.#behind = db.prepare(
      `select pos, seq, tenant, id, status = 'running' and not exists(select 1 from nodes where nodes.id = owner) as left
       from batches join conversations on k = conv where pos > ? order by pos limit ${PAGE}`,
    )
  }

  /** From here on, or from now. */
  listen(after?: number): void {
    this.#known = after ?? (this.#newest?.get() as { pos: number | null } | undefined)?.pos ?? 0
  }

  stop(): void {
    this.#known = undefined
    this.#found = []
  }

  look(): void {
    for (let more = this.#known !== undefined; more;) {
      const found = (this.#behind?.all(this.#known ?? 0) ?? []) as unknown as Change[]
      this.#found.push(...found)
      this.#known = found.at(-1)?.pos ?? this.#known
      more = found.length === PAGE
    }
  }

  /** Our own batches reach to here. */
  wrote(pos: number): void {
    if (this.#known !== undefined) this.#known = Math.max(this.#known, pos)
  }

  take(): readonly Change[] {
    const found = this.#found
    this.#found = []
    return found
  }
}
