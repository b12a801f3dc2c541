/** The writer thread's operations on documents, which belong to no conversation. */
import type { DatabaseSync } from 'node:sqlite'
import type { OpResult, PutOp } from './writer-messages.ts'

export interface Documents {
  put(op: PutOp): OpResult
  /** Removes up to `limit` expired documents, and returns their number. */
  sweep(limit: number, now: number): number
}

interface Row {
  readonly version: number
  readonly until: number | null
}

export function documentsIn(db: DatabaseSync): Documents {
  const find = db.prepare('select version, until from documents where tenant = ? and kind = ? and id = ?')
  const keep = db.prepare(
    `insert into documents(tenant, kind, id, version, at, until, data) values(?, ?, ?, ?, ?, ?, ?)
     on conflict(tenant, kind, id) do update
       set version = excluded.version, at = excluded.at, until = excluded.until, data = excluded.data`,
  )
  const remove = db.prepare('delete from documents where tenant = ? and kind = ? and id = ?')
  const sweep = db.prepare(
    `delete from documents where (tenant, kind, id) in
       (select tenant, kind, id from documents where until <= ? order by until limit ?)`,
  )

  return {
    put: ({ tenant, kind, id, expected, data, until, now }) => {
      const row = find.get(tenant, kind, id) as Row | undefined
      const current = row && (row.until ?? Infinity) > now ? row.version : 0
      if (expected !== null && expected !== current) {
        return { result: 'put', answer: { result: 'conflict', version: current } }
      }
      const version = data === null ? 0 : (row?.version ?? 0) + 1
      if (data !== null) keep.run(tenant, kind, id, version, now, until, data)
      else if (row) remove.run(tenant, kind, id)
      return { result: 'put', answer: { result: 'ok', version } }
    },
    sweep: (limit, now) => (limit < 1 ? 0 : Number(sweep.run(now, limit).changes)),
  }
}
