/** What a tenant has in the file: its usage, and its rows for a copy of it in another store (core's `TenantRows`). */
import type { DatabaseSync } from 'node:sqlite'
import type { Json, MovableStore, TenantRows } from '@holdpoint/core'
import { fromColumn, toColumn } from './column-name.ts'
import { openFile } from './open-file.ts'
import { untilFree } from './until-free.ts'
import { openUsage } from './usage.ts'

interface TenantAccess {
  /** The connection for reads. */
  readonly db: DatabaseSync
  readonly file: string
  readonly waitMs: number
  reading<T>(what: () => T): Promise<T>
}

interface NoteRow {
  readonly kind: string
  readonly seq: number
  readonly at: number
  readonly until: number | null
  readonly data: string
}

const OF_LOG = 'conv = (select k from conversations where tenant = ? and id = ?)'

export function openTenantRows(access: TenantAccess): Pick<MovableStore, 'usage' | 'tenantRows'> {
  return { ...openUsage(access), tenantRows: rowsOf(access) }
}

function rowsOf({ db, file, waitMs, reading }: TenantAccess): TenantRows {
  return {
    logs: (tenant, { after, limit }) =>
      reading(() => {
        const rows = db
          .prepare('select id, agent, status from conversations where tenant = ? and id > ? order by id limit ?')
          .all(toColumn(tenant), after ?? '', limit) as unknown as { id: string; agent: string; status: 'idle' }[]
        const items = rows.map(({ id, agent, status }) => ({ id: fromColumn(id), agent: fromColumn(agent), status }))
        return { items, next: rows.length === limit ? rows.at(-1)?.id : undefined }
      }),
    besides: ({ tenant, id }) =>
      reading(() => {
        const place = [toColumn(tenant), toColumn(id)] as const
        const keys = db.prepare(`select key, seq from keys where ${OF_LOG} order by seq`).all(...place)
        const notes = db.prepare(`select kind, seq, at, until, data from notes where ${OF_LOG}`).all(...place)
        return {
          keys: (keys as unknown as { key: string; seq: number }[]).map(({ key, seq }) => ({
            key: fromColumn(key),
            seq,
          })),
          notes: (notes as unknown as NoteRow[]).map(({ kind, until, data, ...note }) => ({
            ...note,
            kind: fromColumn(kind),
            ...(until !== null && { until }),
            data: JSON.parse(data) as Json,
          })),
        }
      }),
    kinds: (tenant) =>
      reading(() => {
        const rows = db.prepare('select distinct kind from documents where tenant = ?').all(toColumn(tenant))
        return (rows as unknown as { kind: string }[]).map(({ kind }) => fromColumn(kind))
      }),
    forget: async (tenant) => forget(openFile(file, waitMs), waitMs, toColumn(tenant)),
  }
}

/** On a connection of its own: it may take long, and the writer thread answers others meanwhile. */
function forget(db: DatabaseSync, waitMs: number, tenant: string): void {
  try {
    untilFree(waitMs, () => db.exec('begin immediate'))
    // The position of the newest batch must not be used twice, and shows that no write was lost. It stays, without a log.
    db.prepare(
      `update batches set conv = 0, seq = pos, mark = '', events = '[]'
       where pos = (select max(pos) from batches) and conv in (select k from conversations where tenant = ?)`,
    ).run(tenant)
    for (const table of ['batches', 'holds', 'keys', 'notes'])
      db.prepare(`delete from ${table} where conv in (select k from conversations where tenant = ?)`).run(tenant)
    for (const table of ['conversation_labels', 'hold_labels', 'documents', 'conversations'])
      db.prepare(`delete from ${table} where tenant = ?`).run(tenant)
    db.exec('commit')
  } finally {
    db.close()
  }
}
