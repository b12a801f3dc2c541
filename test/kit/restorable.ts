/** A store in a file that is put back to an earlier state while processes have it open, as after a lossy fail-over. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { onTestFinished } from 'vitest'
import type { Place } from './runtime-kit.ts'

export interface Restorable extends Place {
  readonly file: string
  /** Keeps the present state. The returned function puts the file back to it. */
  keep(): () => void
}

export function restorable(): Restorable {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'store.db')
  const within = <T>(work: (db: DatabaseSync) => T): T => {
    const db = new DatabaseSync(file)
    try {
      return work(db)
    } finally {
      db.close()
    }
  }
  return {
    file,
    open: (clock) => sqliteStore(file, { now: clock.now }),
    drop: (store) => store.close(),
    keep: () =>
      within((db) => {
        const tables = db.prepare("select name from sqlite_schema where type = 'table'").all()
        const kept = tables.map(({ name }) => ({
          table: String(name),
          rows: db.prepare(`select * from ${String(name)}`).all(),
        }))
        return () => within((again) => kept.forEach(({ table, rows }) => replace(again, table, rows)))
      }),
  }
}

function replace(db: DatabaseSync, table: string, rows: readonly Record<string, unknown>[]): void {
  db.exec(`delete from ${table}`)
  for (const row of rows) {
    const marks = Object.keys(row).map(() => '?')
    db.prepare(`insert into ${table} values(${marks.join(', ')})`).run(...(Object.values(row) as string[]))
  }
}
