/**
 * Handwritten SQL on SQLite: `node:sqlite` on the main thread, as durable as ours.
 *
 * `rows`: `begin`, an insert for each row, `commit`. `one`: all rows of a transaction in one insert, which is its own transaction.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Fact } from './facts.ts'
import type { RawStore, RawStyle } from './raw.ts'

export function rawSqlite(file: string, style: RawStyle = 'rows'): RawStore {
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
  const write = style === 'one' ? inOneStatement(db) : inStatements(db)
  return {
    append: (conversation, firstSeq, facts) => {
      write(conversation, firstSeq, facts)
      return undefined
    },
    close: async () => db.close(),
  }
}

type Write = (conversation: string, firstSeq: number, facts: readonly Fact[]) => void

function inStatements(db: DatabaseSync): Write {
  const begin = db.prepare('begin immediate')
  const insert = insertOf(db, 1)
  const commit = db.prepare('commit')
  return (conversation, firstSeq, facts) => {
    begin.run()
    for (const [index, { kind, payload }] of facts.entries())
      insert.run(conversation, firstSeq + index, kind, JSON.stringify(payload))
    commit.run()
  }
}

function inOneStatement(db: DatabaseSync): Write {
  const inserts = new Map<number, StatementSync>()
  return (conversation, firstSeq, facts) => {
    const insert = inserts.get(facts.length) ?? insertOf(db, facts.length)
    inserts.set(facts.length, insert)
    insert.run(
      ...facts.flatMap(({ kind, payload }, index) => [conversation, firstSeq + index, kind, JSON.stringify(payload)]),
    )
  }
}

function insertOf(db: DatabaseSync, rows: number): StatementSync {
  const values = Array.from({ length: rows }, () => '(?, ?, ?, ?)').join(', ')
  return db.prepare(`insert into facts (conversation, seq, kind, payload) values ${values}`)
}
