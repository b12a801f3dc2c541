/**
 * The one write. It runs inside a transaction that holds the write lock, so what it reads stays true until it is
 * committed. It reads the conversation first, one lookup, rather than trying an update: most appends of a driver change
 * nothing in that row, and an update would write its page and those of its indexes for nothing.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Lives } from './leases.ts'
import type { Answer, AppendOp } from './wire.ts'

interface Row {
  readonly k: number
  readonly agent: string
  readonly status: string
  readonly epoch: number
  readonly owner: string | null
  readonly wakeAt: number | null
  readonly head: number
}

export interface Appender {
  append(op: AppendOp): Answer
  /** Where the newest batch of the transaction was put; whoever begins one sets it back to 0. */
  pos: number
}

export function appenderIn(db: DatabaseSync, lives: Lives): Appender {
  const find = db.prepare(
    `select k, agent, status, epoch, owner, wake_at as wakeAt, (select max(seq) from batches where conv = k) as head
     from conversations where tenant = ? and id = ?`,
  )
  const create = db.prepare(
    `insert into conversations(agent, status, epoch, owner, wake_at, base, base_seq, tenant, id, created_at)
     values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const change = db.prepare(
    `update conversations set agent = ?, status = ?, epoch = ?, owner = ?, wake_at = ?, base = coalesce(?, base),
     base_seq = coalesce(?, base_seq) where k = ?`,
  )
  const write = db.prepare('insert into batches(conv, seq, at, mark, events) values(?, ?, ?, ?, ?)')
  const hold = db.prepare(
    `insert or replace into holds(conv, call_id, tenant, tool, kind, held_at, expires_at, seqs)
     values(?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const keep = db.prepare('insert into keys(conv, key, seq) values(?, ?, ?)')
  const used = db.prepare('select seq from keys where conv = ? and key = ?')
  const after = db.prepare('select seq, at, mark, events from batches where conv = ? and seq > ? order by seq limit 1')

  const usedAt = (there: Row | undefined, { key }: AppendOp): number | undefined =>
    there && key !== null ? (used.get(there.k, key) as { seq: number } | undefined)?.seq : undefined

  /** Somebody wrote here already: perhaps this very write, whose answer was lost. */
  const taken = (op: AppendOp, there: Row | undefined): Answer => {
    if (!there) return { result: 'conflict' }
    const stored = after.get(there.k, op.expectedSeq) as
      | { seq: number; at: number; mark: string; events: string }
      | undefined
    if (stored?.mark === op.mark && lengthOf(stored.events) === stored.seq - op.expectedSeq) {
      const { mark: _mark, ...batch } = stored
      return { result: 'again', batch, epoch: there.epoch, owned: op.node !== null && there.owner === op.node }
    }
    const seq = usedAt(there, op)
    return seq === undefined ? { result: 'conflict' } : { result: 'repeated', seq }
  }

  const append = (op: AppendOp): Answer => {
    const there = find.get(op.tenant, op.id) as Row | undefined
    if ((there?.head ?? 0) !== op.expectedSeq) return taken(op, there)
    if (op.epoch !== null && op.epoch !== (there?.epoch ?? 0)) return { result: 'fenced' }
    const repeated = usedAt(there, op)
    if (repeated !== undefined) return { result: 'repeated', seq: repeated }

    const wouldDrive = op.epoch === null && op.node !== null && op.status === 'running'
    const takes = wouldDrive && !(there?.status === 'running' && lives(there.owner, op.now))
    const owner = takes ? op.node : (there?.owner ?? null)
    const epoch = (there?.epoch ?? 0) + Number(takes)
    const seq = op.expectedSeq + op.count
    const cells = [op.agent, op.status, epoch, owner, op.wakeAt, op.base, op.base === null ? null : seq] as const
    const k = there ? there.k : create.run(...cells, op.tenant, op.id, op.at).lastInsertRowid
    if (there && (op.base !== null || takes || differs(op, there))) change.run(...cells, k)
    appender.pos = Number(write.run(k, seq, op.at, op.mark, op.events).lastInsertRowid)
    if (op.key !== null) keep.run(k, op.key, seq)
    for (const { callId, open, tool, kind, heldAt, expiresAt, seqs } of op.holds)
      hold.run(k, callId, open ? op.tenant : null, tool, kind, heldAt, expiresAt, seqs)
    const left = op.epoch === null && op.status === 'running' && !lives(owner, op.now)
    return { result: 'ok', epoch, owned: op.node !== null && owner === op.node, left }
  }

  const appender: Appender = { append, pos: 0 }
  return appender
}

function differs(op: AppendOp, { agent, status, wakeAt }: Row): boolean {
  return op.agent !== agent || op.status !== status || op.wakeAt !== wakeAt
}

function lengthOf(events: string): number {
  return (JSON.parse(events) as unknown[]).length
}
