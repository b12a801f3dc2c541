/** The writer thread's operations on notes. */
import type { DatabaseSync } from 'node:sqlite'
import type { OpResult, NoteOp } from './writer-messages.ts'

export interface Notes {
  note(op: NoteOp): OpResult
  /** Removes up to `limit` expired notes, and returns their number. */
  sweep(limit: number, now: number): number
}

export function notesIn(db: DatabaseSync): Notes {
  // A replaced note keeps its row, so its entry in the unique index does not change.
  const keep = db.prepare(
    `insert into notes(conv, kind, seq, at, until, data)
     select k, ?, ?, ?, ?, ? from conversations where tenant = ? and id = ? and hidden = 0
     on conflict(conv, kind, seq) do update set at = excluded.at, until = excluded.until, data = excluded.data`,
  )
  const remove = db.prepare(
    'delete from notes where pos in (select pos from notes where until <= ? order by until limit ?)',
  )

  return {
    note: ({ tenant, id, kind, seq, at, until, data }) => {
      keep.run(kind, seq, at, until, data, tenant, id)
      return { result: 'done' }
    },
    sweep: (limit, now) => Number(remove.run(now, limit).changes),
  }
}
