/** By hand on SQLite: `node:sqlite` on the main thread, as durable as ours. */
import { DatabaseSync } from 'node:sqlite'
import type { RawStore } from './raw.ts'

export function rawSqlite(file: string): RawStore {
  const db = new DatabaseSync(file)
  db.exec('pragma journal_mode = wal; pragma synchronous = full')
  const { journal_mode: journal } = db.prepare('pragma journal_mode').get() ?? {}
  const { synchronous } = db.prepare('pragma synchronous').get() ?? {}
  if (journal !== 'wal' || synchronous !== 2)
    throw new Error(
      `The baseline must be durable: journal_mode is ${String(journal)}, synchronous is ${String(synchronous)}.`,
    )
  db.exec(
    `create table if not exists facts (
       id integer primary key, conversation text not null, seq integer not null, kind text not null, payload text not null
     );
     create unique index if not exists facts_in_order on facts (conversation, seq)`,
  )
  const begin = db.prepare('begin immediate')
  const insert = db.prepare('insert into facts (conversation, seq, kind, payload) values (?, ?, ?, ?)')
  const commit = db.prepare('commit')
  return {
    append: (conversation, firstSeq, facts) => {
      begin.run()
      for (const [index, { kind, payload }] of facts.entries())
        insert.run(conversation, firstSeq + index, kind, JSON.stringify(payload))
      commit.run()
      return undefined
    },
    close: async () => db.close(),
  }
}
