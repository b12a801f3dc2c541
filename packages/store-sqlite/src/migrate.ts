/**
 * Identifies a file, and applies the missing migrations in one transaction, after copying the file. The write lock is held
 * from before the copy until the commit, so no other process can write in between.
 */
import { chmodSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from './database.ts'
import { sqliteErrorMessage } from './sqlite-error.ts'
import { sync } from './sync.ts'
import { untilFree } from './until-free.ts'

/** "Hold" in ASCII. Identifies the file as ours, also for the `file` command. */
const APPLICATION_ID = 0x486f6c64

interface Identity {
  /** 0 for an empty file. */
  readonly version: number
  readonly problem: string | undefined
}

export function identify(db: DatabaseSync, path: string, known: number): Identity {
  const { id, version, tables } = db
    .prepare(
      `select a.application_id as id, v.user_version as version, (select count(*) from sqlite_schema) as tables
       from pragma_application_id a, pragma_user_version v`,
    )
    .get() as { id: number; version: number; tables: number }
  const empty = id === 0 && version === 0 && tables === 0
  const problem =
    id !== APPLICATION_ID && !empty
      ? `${path} is an SQLite database, but not a Holdpoint store. Use another path.`
      : version > known
        ? `${path} was written by a newer Holdpoint (format ${version}; this one knows ${known}). Update @holdpoint/store-sqlite.`
        : undefined
  return { version, problem }
}

export function migrate(db: DatabaseSync, path: string, waitMs: number, migrations: readonly string[]): void {
  // Another connection may be creating the write-ahead log at this moment.
  const found = untilFree(waitMs, () => identify(db, path, migrations.length))
  if (found.version === migrations.length) return
  untilFree(waitMs, () => db.exec('begin immediate'))
  try {
    // Another process may have migrated the file in the meantime.
    const { version, problem } = identify(db, path, migrations.length)
    if (problem !== undefined) throw new Error(problem)
    if (version < migrations.length) {
      if (version > 0) copy(path, version)
      for (const migration of migrations.slice(version)) db.exec(migration)
      db.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${migrations.length}`)
    }
    db.exec('commit')
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}

/** The copy gets its final name only when it is complete. */
function copy(path: string, version: number): void {
  const target = `${path}.v${version}.bak`
  const part = `${target}.part`
  try {
    rmSync(part, { force: true })
    // Same permissions as the original. SQLite writes into the empty file.
    writeFileSync(part, '', { flag: 'wx', mode: 0o600 })
    chmodSync(part, statSync(path).mode & 0o777)
    const from = new DatabaseSync(path, { readOnly: true })
    try {
      from.prepare('vacuum into ?').run(part)
    } finally {
      from.close()
    }
    sync(part)
    renameSync(part, target)
    // Windows cannot open folders.
    if (process.platform !== 'win32') sync(dirname(target))
  } catch (error) {
    rmSync(part, { force: true })
    throw new Error(
      `${path} has an older format (${version}) and could not be copied to ${target} before the migration: ${sqliteErrorMessage(error)}.`,
      { cause: error },
    )
  }
}
