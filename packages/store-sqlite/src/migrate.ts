/**
 * Whose file it is, and bringing an older one up to date: in one transaction, after a copy of it was put beside. Nobody
 * can write between the copy and the change, since the write lock is held meanwhile.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { APPLICATION_ID } from './schema.ts'
import { whyOf } from './sqlite-error.ts'
import { untilFree } from './until-free.ts'

interface Identity {
  /** 0 for a file with nothing in it. */
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
      ? `${path} is an SQLite database, but not a Holdpoint store. Give a path of its own.`
      : version > known
        ? `${path} was written by a newer Holdpoint (format ${version}; this one knows ${known}). Update @holdpoint/store-sqlite.`
        : undefined
  return { version, problem }
}

export function migrate(db: DatabaseSync, path: string, waitMs: number, steps: readonly string[]): void {
  if (identify(db, path, steps.length).version === steps.length) return
  untilFree(waitMs, () => db.exec('begin immediate'))
  try {
    // Another process may have been faster.
    const { version, problem } = identify(db, path, steps.length)
    if (problem !== undefined) throw new Error(problem)
    if (version < steps.length) {
      if (version > 0) copy(path, version)
      for (const step of steps.slice(version)) db.exec(step)
      db.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${steps.length}`)
    }
    db.exec('commit')
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}

/** Under its final name only once it is whole. */
function copy(path: string, version: number): void {
  const target = `${path}.v${version}.bak`
  const part = `${target}.part`
  try {
    rmSync(part, { force: true })
    const from = new DatabaseSync(path, { readOnly: true })
    try {
      from.prepare('vacuum into ?').run(part)
    } finally {
      from.close()
    }
    sync(part)
    renameSync(part, target)
    // Windows opens no folders.
    if (process.platform !== 'win32') sync(dirname(target))
  } catch (error) {
    rmSync(part, { force: true })
    throw new Error(
      `${path} is of an older format (${version}), and could not be copied to ${target} before changing it: ${whyOf(error)}.`,
      { cause: error },
    )
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
