/**
 * Appends to a conversation. It runs in a transaction that holds the write lock, so the rows it reads cannot change before
 * the commit. It reads the conversation's row first instead of always updating it: most appends change nothing in it, and
 * an update would write the page of the row and of its indexes.
 */
import type { DatabaseSync } from 'node:sqlite'
import { labelsIn } from './labels.ts'
import type { IsAlive } from './leases.ts'
import type { OpResult, AppendOp, StoredBatch } from './writer-messages.ts'

interface Row {
  readonly k: number
  readonly agent: string
  readonly status: string
  readonly epoch: number
  readonly owner: string | null
  readonly wakeAt: number | null
  readonly labels: string | null
  readonly hidden: number
  /** The log has a batch that ends at this seq. */
  readonly least: number | null
  readonly head: number | null
  readonly hash: string | null
}

export interface Appender {
  append(op: AppendOp): OpResult
  /** The position of the transaction's newest batch. Set it to 0 when a transaction starts. */
  pos: number
  /** Whether the transaction erased a conversation. Set it to false when a transaction starts. */
  erased: boolean
}

export function appenderIn(db: DatabaseSync, isAlive: IsAlive): Appender {
  const find = db.prepare(
    `select k, agent, status, epoch, owner, wake_at as wakeAt, labels, hidden, head_seq as least, seq as head, hash from conversations
     left join batches on conv = k where tenant = ? and id = ? order by seq desc limit 1`,
  )
  const create = db.prepare(
    `insert into conversations(agent, status, epoch, owner, wake_at, hidden, head_seq, head_hash, base, base_hash, base_seq, tenant, id, created_at)
     values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const change = db.prepare(
    `update conversations set agent = ?, status = ?, epoch = ?, owner = ?, wake_at = ?, hidden = ?, head_seq = ?, head_hash = ?,
     base = coalesce(?, base), base_hash = coalesce(?, base_hash), base_seq = coalesce(?, base_seq) where k = ?`,
  )
  const write = db.prepare('insert into batches(conv, seq, at, mark, events, hash) values(?, ?, ?, ?, ?, ?)')
  const hold = db.prepare(
    `insert or replace into holds(conv, call_id, tenant, tool, kind, held_at, expires_at, seqs, labels)
     values(?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const keep = db.prepare('insert into keys(conv, key, seq) values(?, ?, ?)')
  const used = db.prepare('select seq from keys where conv = ? and key = ?')
  const index = labelsIn(db)
  // Erased content is overwritten with zeros (`secure_delete` in open-file.ts).
  const forget = ['keys', 'notes', 'holds'].map((table) => db.prepare(`delete from ${table} where conv = ?`))
  const forgetBase = db.prepare('update conversations set base = null, base_hash = null, base_seq = null where k = ?')
  const forgetBefore = db.prepare('delete from batches where conv = ? and seq < ?')
  const after = db.prepare(
    'select seq, at, mark, events, hash from batches where conv = ? and seq > ? order by seq limit 1',
  )

  const usedAt = (row: Row | undefined, { key }: AppendOp): number | undefined =>
    row && key !== null ? (used.get(row.k, key) as { seq: number } | undefined)?.seq : undefined

  /** The head is not as expected: another write was first, or an earlier attempt of this one whose answer was lost. */
  const taken = (op: AppendOp, row: Row | undefined): OpResult => {
    if (!row) return { result: 'conflict' }
    const stored = after.get(row.k, op.expectedSeq) as (StoredBatch & { mark: string }) | undefined
    if (stored?.mark === op.mark && lengthOf(stored.events) === stored.seq - op.expectedSeq) {
      const { mark: _mark, ...batch } = stored
      return { result: 'again', batch, epoch: row.epoch, owned: op.node !== null && row.owner === op.node }
    }
    const seq = usedAt(row, op)
    return seq === undefined ? { result: 'conflict' } : { result: 'repeated', seq }
  }

  const erase = (tenant: string, { k, labels }: Row): void => {
    index.clear(tenant, k, labels)
    for (const removal of forget) removal.run(k)
    forgetBase.run(k)
    appender.erased = true
  }

  const append = (op: AppendOp): OpResult => {
    const row = find.get(op.tenant, op.id) as Row | undefined
    if ((row?.head ?? 0) !== op.expectedSeq || (row?.hash ?? '') !== op.follows) return taken(op, row)
    // The newest batch is lost. A process that reads the log now gets an error.
    if (row?.least !== null && (row?.least ?? 0) > op.expectedSeq) return { result: 'conflict' }
    if (op.epoch !== null && op.epoch !== (row?.epoch ?? 0)) return { result: 'fenced' }
    // A file that was restored may give an epoch out again, to another node.
    if (op.epoch !== null && op.node !== null && op.node !== row?.owner) return { result: 'fenced' }
    const repeated = usedAt(row, op)
    if (repeated !== undefined) return { result: 'repeated', seq: repeated }

    const wouldDrive = op.epoch === null && op.node !== null && op.status === 'running'
    const takes = wouldDrive && !(row?.status === 'running' && isAlive(row.owner, op.now))
    const owner = takes ? op.node : (row?.owner ?? null)
    const epoch = (row?.epoch ?? 0) + Number(takes)
    const seq = op.expectedSeq + op.count
    const changed = [op.agent, op.status, epoch, owner, op.wakeAt, op.hidden] as const
    const cells = [...changed, seq, op.hash, op.base, op.baseHash, op.base === null ? null : seq] as const
    const k = row ? row.k : Number(create.run(...cells, op.tenant, op.id, op.at).lastInsertRowid)
    if (op.erase && row) erase(op.tenant, row)
    if (row && (op.base !== null || takes || op.status !== 'running' || differs(op, row))) change.run(...cells, k)
    appender.pos = Number(write.run(k, seq, op.at, op.mark, op.events, op.hash).lastInsertRowid)
    // After the new batch: the position of the newest batch must not be used twice.
    if (op.erase) forgetBefore.run(k, seq)
    if (op.key !== null) keep.run(k, op.key, seq)
    const had = op.erase ? null : (row?.labels ?? null)
    const labels = op.labels ?? had
    if (labels !== had) index.relabel(op.tenant, k, { from: had, to: labels })
    for (const cells of op.holds) {
      const { callId, open, tool, kind, heldAt, expiresAt, seqs } = cells
      index.replaceHold(op.tenant, k, cells, labels)
      hold.run(k, callId, open ? op.tenant : null, tool, kind, heldAt, expiresAt, seqs, cells.labels)
    }
    const unowned = op.epoch === null && op.status === 'running' && !isAlive(owner, op.now)
    return { result: 'ok', epoch, owned: op.node !== null && owner === op.node, unowned }
  }

  const appender: Appender = { append, pos: 0, erased: false }
  return appender
}

function differs(op: AppendOp, { agent, status, wakeAt, hidden }: Row): boolean {
  return op.agent !== agent || op.status !== status || op.wakeAt !== wakeAt || op.hidden !== hidden
}

function lengthOf(events: string): number {
  return (JSON.parse(events) as unknown[]).length
}
