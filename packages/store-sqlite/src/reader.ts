/**
 * Reads on the main thread. A read takes less time than a message to another thread, and sees every earlier commit. The log
 * only grows, so two reads of it are consistent without a transaction. Columns that change are read in one statement with
 * their events.
 */
import type { StatementSync } from 'node:sqlite'
import {
  decodeBatch,
  following,
  NO_HASH,
  type Address,
  type Batch,
  type Following,
  type Head,
  type Json,
  type Loaded,
  type LogEvent,
  type Note,
  type NotesQuery,
} from '@holdpoint/core'
import { DatabaseSync } from './database.ts'
import { fromColumn, toColumn } from './column-name.ts'
import { damaged, isIntact, sha256 } from './intact.ts'
import type { StoredBatch } from './writer-messages.ts'

/** The conversation's row with one batch after the base. The batch is null if there is none. */
type LoadedRow = {
  readonly k: number
  readonly agent: string
  readonly baseSeq: number | null
  readonly base: string | null
  readonly baseHash: string | null
  /** A batch that the log has: see migrations/0002-chain.ts. */
  readonly least: number | null
  readonly leastHash: string | null
  /** The hash of the batch that the base ends with. */
  readonly before: string | null
} & (StoredBatch | { readonly [key in keyof StoredBatch]: null })

interface NoteRow {
  readonly seq: number
  readonly at: number
  readonly until: number | null
  readonly data: string
}

/** SQLite's limit is an integer, so an infinite limit is capped. */
const MAX_NOTES = 1_000_000
/** The most text of events in one read, which blocks the main thread. */
const MAX_CHARS = 4_000_000

export class Reader {
  readonly db: DatabaseSync
  readonly #load: StatementSync
  readonly #where: StatementSync
  readonly #after: StatementSync
  readonly #before: StatementSync
  readonly #holding: StatementSync
  readonly #back: StatementSync
  readonly #seqs: StatementSync
  readonly #callers: StatementSync
  readonly #key: StatementSync
  readonly #head: StatementSync
  readonly #newest: StatementSync
  readonly #notes: StatementSync

  constructor(file: string, waitMs: number) {
    this.db = new DatabaseSync(file, { readOnly: true, timeout: waitMs })
    const batches = 'select seq, at, events, hash from batches where conv = ?'
    this.#load = this.db.prepare(
      `select k, agent, head_seq as least, head_hash as leastHash, base_seq as baseSeq, base, base_hash as baseHash, (select hash from batches where conv = k and seq = base_seq) as before,
       seq, at, events, hash from conversations left join batches on conv = k and seq > coalesce(base_seq, 0) where tenant = ? and id = ? order by seq`,
    )
    this.#where = this.db.prepare('select k from conversations where tenant = ? and id = ?')
    this.#after = this.db.prepare(`${batches} and seq > ? order by seq`)
    this.#before = this.db.prepare(
      'select seq, hash from batches where conv = ? and seq <= ? order by seq desc limit 1',
    )
    this.#holding = this.db.prepare(`${batches} and seq >= ? order by seq limit 1`)
    this.#back = this.db.prepare(`${batches} and seq < ? order by seq desc`)
    this.#seqs = this.db.prepare('select seqs from holds where conv = ? and call_id = ?')
    // `cross join` fixes the order of the tables: from the call to its conversation.
    this.#callers = this.db.prepare(
      `select c.id from holds h indexed by holds_of_call cross join conversations c on c.k = h.conv
       where h.call_id = ? and c.tenant = ? order by h.conv limit 2`,
    )
    this.#key = this.db.prepare('select seq from keys where conv = ? and key = ?')
    this.#head = this.db.prepare(
      `select coalesce(max(seq), 0) as head from batches
       where conv = (select k from conversations where tenant = ? and id = ?)`,
    )
    this.#newest = this.db.prepare('select coalesce(max(pos), 0) as pos from batches')
    this.#notes = this.db.prepare(
      `select seq, at, until, data from notes where conv = ? and kind = ? and seq < ? and (until is null or until > ?)
       order by seq desc limit ?`,
    )
  }

  load(from: Address): Loaded | undefined {
    const rows = this.#load.all(toColumn(from.tenant), toColumn(from.id)) as unknown as LoadedRow[]
    const [first] = rows
    if (!first) return undefined
    const { k, agent, baseSeq, base, baseHash, least, leastHash } = first
    if (base !== null && baseHash !== null && baseHash !== sha256(base))
      throw damaged(from, `its state after ${baseSeq} is not the one that was written`)
    let newest: Head = { seq: baseSeq ?? 0, hash: first.before ?? NO_HASH }
    const events: LogEvent[] = []
    for (const row of rows) {
      if (row.seq === null) break
      events.push(...this.#checked(from, k, newest.hash, row))
      newest = row
    }
    const wrong = least === newest.seq && leastHash !== newest.hash
    if (least !== null && (least > newest.seq || wrong)) throw damaged(from, `the events up to ${least} are missing`)
    return {
      seq: newest.seq,
      hash: newest.hash,
      agent: fromColumn(agent),
      base: base === null || baseSeq === null ? undefined : { seq: baseSeq, state: JSON.parse(base) as Json },
      events,
    }
  }

  follow(from: Address, head: Head): Following | undefined {
    const k = this.#k(from)
    if (k === undefined) return following(head, [])
    const batches = [...this.#batchesAfter(k, head.seq - 1)]
    let before = head.hash
    for (const batch of batches) {
      if (batch.seq > head.seq) this.#checked(from, k, before, batch)
      before = batch.hash
    }
    return following(head, batches)
  }

  batches(from: Address, after: number, limit: number): readonly Batch[] {
    const k = this.#k(from)
    const batches: Batch[] = []
    if (k === undefined || limit <= 0) return batches
    let left = MAX_CHARS
    for (const { seq, at, events, hash } of this.#batchesAfter(k, after)) {
      batches.push({ seq, at, events, hash })
      left -= events.length
      if (batches.length >= limit || left <= 0) break
    }
    return batches
  }

  read(from: Address, after: number, limit: number = Infinity): readonly LogEvent[] {
    const k = this.#k(from)
    if (k === undefined || limit <= 0) return []
    const events: LogEvent[] = []
    let left = MAX_CHARS
    let before = this.#hashAt(k, after)
    for (const batch of this.#batchesAfter(k, after)) {
      events.push(...this.#checked(from, k, before, batch).filter(({ seq }) => seq > after))
      before = batch.hash
      left -= batch.events.length
      if (events.length >= limit) return events.slice(0, limit)
      if (left <= 0) return events
    }
    return events
  }

  readBack(from: Address, before: number, limit: number): readonly LogEvent[] {
    const k = this.#k(from)
    if (k === undefined || limit <= 0) return []
    // The batch with the event before `before` may contain later events. All other batches end earlier.
    const last = this.#batchWith(from, k, before - 1)
    const batches = [last.filter(({ seq }) => seq < before)]
    let missing = limit - batches[0]!.length
    const earlier = this.#back.iterate(k, last[0]?.seq ?? before) as Iterable<unknown> as Iterable<StoredBatch>
    // Each batch is checked with the hash of the one before it, which is read next.
    let unchecked: StoredBatch | undefined
    const check = (hash: string): void => {
      if (!unchecked) return
      const batch = this.#checked(from, k, hash, unchecked)
      batches.push(batch)
      missing -= batch.length
    }
    for (const stored of missing > 0 ? earlier : []) {
      check(stored.hash)
      unchecked = missing > 0 ? stored : undefined
      if (!unchecked) break
    }
    check(NO_HASH)
    return batches.toReversed().flat().slice(-limit)
  }

  readCall(from: Address, callId: string): readonly LogEvent[] {
    const k = this.#k(from)
    const row = k === undefined ? undefined : (this.#seqs.get(k, toColumn(callId)) as { seqs: string } | undefined)
    if (k === undefined || !row) return []
    let batch: readonly LogEvent[] = []
    return (JSON.parse(row.seqs) as number[]).flatMap((seq) => {
      const isIn = (event: LogEvent): boolean => event.seq === seq
      if (!batch.some(isIn)) batch = this.#batchWith(from, k, seq)
      return batch.filter(isIn)
    })
  }

  findCall(tenant: string, callId: string): readonly string[] {
    const rows = this.#callers.all(toColumn(callId), toColumn(tenant)) as unknown as { readonly id: string }[]
    return rows.map(({ id }) => fromColumn(id))
  }

  findKey(from: Address, key: string): number | undefined {
    const k = this.#k(from)
    return k === undefined ? undefined : (this.#key.get(k, toColumn(key)) as { seq: number } | undefined)?.seq
  }

  heads(of: readonly Address[]): readonly number[] {
    return of.map(({ tenant, id }) => (this.#head.get(toColumn(tenant), toColumn(id)) as { head: number }).head)
  }

  notes(from: Address, { kind, before = Infinity, limit }: NotesQuery, now: number): readonly Note[] {
    const k = this.#k(from)
    if (k === undefined || limit <= 0) return []
    const rows = this.#notes.all(k, toColumn(kind), before, now, Math.min(limit, MAX_NOTES)) as unknown as NoteRow[]
    return rows.map(({ seq, at, until, data }) => ({
      kind,
      seq,
      at,
      ...(until === null ? {} : { until }),
      data: JSON.parse(data) as Json,
    }))
  }

  /** Reads the whole file. */
  inspect(): readonly string[] {
    const lines = this.db.prepare('pragma integrity_check(20)').all() as unknown as { integrity_check: string }[]
    const problems = lines.flatMap((row) => (row.integrity_check === 'ok' ? [] : [row.integrity_check]))
    for (const table of ['batches', 'holds']) {
      const { count } = this.db
        // 0 is what is left of a newest batch that was removed: its position must not be used twice.
        .prepare(`select count(*) as count from ${table} where conv <> 0 and conv not in (select k from conversations)`)
        .get() as { count: number }
      if (count > 0) problems.push(`${count} rows of ${table} belong to no conversation`)
    }
    return problems
  }

  /** The position of the newest batch in the file. */
  newest(): number {
    return (this.#newest.get() as { pos: number }).pos
  }

  close(): void {
    if (this.db.isOpen) this.db.close()
  }

  #k({ tenant, id }: Address): number | undefined {
    return (this.#where.get(toColumn(tenant), toColumn(id)) as { k: number } | undefined)?.k
  }

  #batchWith(from: Address, k: number, seq: number): LogEvent[] {
    const batch = this.#holding.get(k, seq) as StoredBatch | undefined
    return batch ? this.#checked(from, k, this.#hashAt(k, batch.seq - 1), batch) : []
  }

  /** The events of a batch. `before`: the hash before it when that was read. The log may have been erased since. */
  #checked(from: Address, k: number, before: string, batch: StoredBatch): LogEvent[] {
    if (!isIntact(before, batch) && !isIntact(this.#hashAt(k, batch.seq - 1), batch))
      throw damaged(from, `the events up to ${batch.seq} are not those that were written`)
    return decodeBatch(batch)
  }

  #batchesAfter(k: number, seq: number): Iterable<StoredBatch> {
    return this.#after.iterate(k, seq) as Iterable<unknown> as Iterable<StoredBatch>
  }

  /** The hash of the newest batch that ends at this seq or before it. */
  #hashAt(k: number, seq: number): string {
    return (this.#before.get(k, seq) as { readonly hash: string } | undefined)?.hash ?? NO_HASH
  }
}
