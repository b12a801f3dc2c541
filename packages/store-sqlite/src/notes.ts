/** What is kept beside the log. Written in the writer's thread, read where all else is read. */
import type { DatabaseSync } from 'node:sqlite'
import type { Answer, NoteOp } from './wire.ts'

export interface Notes {
  note(op: NoteOp): Answer
  /** So many at most: how many there were. */
  sweep(limit: number, now: number): number
}

export function notesIn(db: DatabaseSync): Notes {
  // One that is replaced keeps its row, and its place in the index of places.
  const keep = db.prepare(
    `insert into notes(conv, kind, seq, at, until, data)
     select k, ?, ?, ?, ?, ? from conversations where tenant = ? and id = ?
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
