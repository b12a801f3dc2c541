/** Replaces a damaged log (core's `LogRepair`): on a connection of its own, in one transaction, through the same code as every append. */
import type { DatabaseSync } from 'node:sqlite'
import { HoldpointError, type Address, type LogRepair, type RepairGuard, type WholeBatch } from '@holdpoint/core'
import { toAppendOp } from './append-op.ts'
import { appenderIn } from './appender.ts'
import { toColumn } from './column-name.ts'
import { leasesIn } from './leases.ts'
import { NodeLocks } from './node-locks.ts'
import { openFile } from './open-file.ts'
import { untilFree } from './until-free.ts'

interface RepairAccess {
  /** The connection for reads. */
  readonly db: DatabaseSync
  readonly file: string
  readonly waitMs: number
  readonly now: () => number
  reading<T>(what: () => T): Promise<T>
}

interface Row {
  readonly k: number
  readonly status: string
  readonly owner: string | null
}

const TABLES = ['batches', 'holds', 'keys', 'notes'] as const
/** A text that is no UTF-8 is read with this character in it. Its bytes are dumped, too. */
const REPLACEMENT = '\uFFFD'

export function openLogRepair({ db, file, waitMs, now, reading }: RepairAccess): LogRepair {
  return {
    dump: (of) => reading(() => dump(db, of)),
    replace: async (of, batches, guard) => {
      const own = openFile(file, waitMs)
      try {
        untilFree(waitMs, () => own.exec('begin immediate'))
        const result = replace(own, new NodeLocks(file), of, batches, guard, now())
        own.exec(result === 'replaced' ? 'commit' : 'rollback')
        return result
      } finally {
        own.close()
      }
    },
  }
}

function find(db: DatabaseSync, { tenant, id }: Address): Row | undefined {
  const found = db.prepare('select k, status, owner from conversations where tenant = ? and id = ?')
  return found.get(toColumn(tenant), toColumn(id)) as Row | undefined
}

function dump(db: DatabaseSync, of: Address): readonly string[] {
  const row = find(db, of)
  if (!row) return []
  const rows = [...lines(db, 'conversations', 'k', row.k)]
  for (const table of TABLES) rows.push(...lines(db, table, 'conv', row.k))
  return rows
}

function* lines(db: DatabaseSync, table: string, column: string, k: number): Iterable<string> {
  const columns = db.prepare(`select name from pragma_table_info('${table}')`).all() as unknown as { name: string }[]
  const names = columns.map(({ name }) => name)
  const bytes = names.map((name) => `hex(cast(${name} as blob)) as ${name}`).join(', ')
  const all = db.prepare(`select * from ${table} where ${column} = ?`).all(k)
  const hex = db.prepare(`select ${bytes} from ${table} where ${column} = ?`)
  const unreadable = all.some((row) => Object.values(row).some(isUnreadable)) ? hex.all(k) : []
  for (const [nth, row] of all.entries()) {
    const cells = names.map((name) => [name, isUnreadable(row[name]) ? { hex: unreadable[nth]?.[name] } : row[name]])
    yield JSON.stringify({ table, row: Object.fromEntries(cells) })
  }
}

function isUnreadable(cell: unknown): boolean {
  return typeof cell === 'string' && cell.includes(REPLACEMENT)
}

function replace(
  db: DatabaseSync,
  locks: NodeLocks,
  of: Address,
  batches: readonly WholeBatch[],
  { dumped, fence }: RepairGuard,
  now: number,
): 'replaced' | 'changed' | 'owned' {
  const row = find(db, of)
  if (!row || dump(db, of).join('\n') !== dumped.join('\n')) return 'changed'
  const { k, status, owner } = row
  if (!fence && status === 'running' && leasesIn(db, locks).isAlive(owner, now)) return 'owned'
  const end = batches.at(-1)?.batch.seq ?? 0
  for (const table of ['keys', 'notes']) db.prepare(`delete from ${table} where conv = ? and seq > ?`).run(k, end)
  for (const table of ['holds', 'conversation_labels', 'hold_labels'])
    db.prepare(`delete from ${table} where conv = ?`).run(k)
  // The position of the newest batch must not be used twice, so the old ones stay until the new ones are there.
  db.prepare('update batches set conv = -conv where conv = ?').run(k)
  db.prepare(
    `update conversations set status = 'idle', epoch = epoch + 1, owner = null, wake_at = null, labels = null, hidden = 0,
     base = null, base_hash = null, base_seq = null, head_seq = null, head_hash = null where k = ?`,
  ).run(k)
  const appender = appenderIn(db, () => false)
  for (const { append, batch } of batches) {
    const op = toAppendOp(append, now)
    // As it was written. A batch from before the chain has no hash.
    const written = 'op' in op ? appender.append({ ...op, events: batch.events, hash: batch.hash }) : op
    if (written.result !== 'ok')
      throw new HoldpointError('store-unavailable', `"${of.id}" was not repaired: ${JSON.stringify(written)}.`)
  }
  if (batches.length === 0) {
    db.prepare('delete from conversations where k = ?').run(k)
    db.prepare(
      `update batches set conv = 0, seq = pos, mark = '', events = '[]', hash = ''
       where conv = ? and pos = (select max(pos) from batches)`,
    ).run(-k)
  }
  db.prepare('delete from batches where conv = ?').run(-k)
  return 'replaced'
}
