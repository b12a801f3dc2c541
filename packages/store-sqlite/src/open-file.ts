/**
 * Opens the file for writing. Refuses any file or setting with which an acknowledged write could be lost. Settings are read
 * back, because SQLite ignores a pragma that it cannot apply.
 */
import { randomUUID } from 'node:crypto'
import { accessSync, chmodSync, constants, linkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from './database.ts'
import { identify, migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations/migrations.ts'
import { BUSY, NOTADB, isKind, sqliteErrorMessage } from './sqlite-error.ts'
import { untilFree } from './until-free.ts'

/** In earlier versions, two connections that write and checkpoint at the same time can damage the file. */
const NEEDED = [3, 51, 3]

export function openFile(path: string, waitMs: number, migrations: readonly string[] = MIGRATIONS): DatabaseSync {
  refuse(versionProblem(process.versions.sqlite) ?? pathProblem(path))
  if (!statSync(path, { throwIfNoEntry: false })) createPrivate(path)
  const db = open(path)
  try {
    // Check that the file is ours before anything writes to it.
    refuse(untilFree(waitMs, () => identify(db, path, migrations.length)).problem)
    const journal = untilFree(waitMs, () => pragma(db, 'journal_mode = wal'))
    // Any of these may find the file locked: another connection may be creating its write-ahead log at this moment.
    const synchronous = untilFree(waitMs, () => {
      // fullfsync: on macOS, fsync alone leaves the data in the drive's cache. It has no effect elsewhere.
      db.exec('pragma synchronous = full; pragma fullfsync = on; pragma wal_autocheckpoint = 1000')
      // Shrink the write-ahead log again after a huge write.
      db.exec('pragma journal_size_limit = 67108864; pragma cache_size = -16000; pragma temp_store = memory')
      // What is deleted or replaced is overwritten with zeros, also long before an erasure: it could not find older versions
      // of a row, in pages that are free by then. See scrubber.ts for the rest.
      db.exec('pragma secure_delete = on')
      return pragma(db, 'synchronous')
    })
    refuse(settingsProblem(path, journal, synchronous))
    migrate(db, path, waitMs, migrations)
    return db
  } catch (error) {
    db.close()
    if (isKind(error, NOTADB)) throw new Error(`${path} is not an SQLite database. Use another path.`)
    if (isKind(error, BUSY)) {
      throw new Error(`${path} was locked by another process for ${waitMs} ms. Try again when it is done.`, {
        cause: error,
      })
    }
    throw error
  }
}

export function versionProblem(version: string | undefined): string | undefined {
  const parts = (version ?? '0').split('.').map(Number)
  const at = NEEDED.findIndex((needed, index) => parts[index] !== needed)
  if (at === -1 || (parts[at] ?? 0) > NEEDED[at]!) return undefined
  return (
    `This Node (${process.version}) contains SQLite ${version}, which can damage a file that two connections write to. ` +
    `Use Node 24.15 or newer (SQLite ${NEEDED.join('.')}).`
  )
}

export function settingsProblem(path: string, journal: unknown, synchronous: unknown): string | undefined {
  if (journal !== 'wal') {
    return (
      `${path} cannot be used with a write-ahead log (its journal mode stayed "${String(journal)}"): ` +
      'put it on a local disk; network file systems do not work.'
    )
  }
  if (synchronous === 2) return undefined
  return `SQLite does not sync every commit of ${path} (synchronous is ${String(synchronous)}, and must be 2).`
}

/** Warns if other users of the machine can open the file. Only an existing file can be exposed: we create private ones. */
export function exposureProblem(file: string): string | undefined {
  if (process.platform === 'win32' || (statSync(file).mode & 0o007) === 0) return undefined
  return `Every user of this machine can open ${file}, which holds conversations. To keep them out: chmod 600 ${file}*`
}

/**
 * Creates an empty file that only its owner can open, whatever the umask. SQLite gives its other files the same mode.
 *
 * POSIX hazard: closing a descriptor of a file that another thread has opened through SQLite drops that thread's locks. So
 * the file is created under another name and then linked.
 */
function createPrivate(path: string): void {
  const draft = `${path}-new-${randomUUID()}`
  try {
    writeFileSync(draft, '', { flag: 'wx', mode: 0o600 })
    chmodSync(draft, 0o600)
    linkSync(draft, path)
  } catch {
    // Another process created the file, or the file system has no links and SQLite creates it. `exposureProblem` checks it.
  } finally {
    rmSync(draft, { force: true })
  }
}

function pathProblem(path: string): string | undefined {
  const folder = dirname(path)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    return `The folder ${folder} of ${path} does not exist. Create it first.`
  }
  const file = statSync(path, { throwIfNoEntry: false })
  if (file?.isDirectory()) return `${path} is a folder. Give the path of a file in it.`
  if (!may(folder)) return `Cannot write in the folder ${folder}: SQLite creates two more files next to ${path}.`
  if (file && !may(path)) return `Cannot read and write ${path}. Check its owner and permissions.`
  return undefined
}

function may(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}

function open(path: string): DatabaseSync {
  try {
    // `untilFree` does the waiting. SQLite's busy handler sleeps longer and longer and starves next to a busy writer.
    return new DatabaseSync(path, { timeout: 0 })
  } catch (error) {
    throw new Error(`Cannot open ${path}: ${sqliteErrorMessage(error)}.`, { cause: error })
  }
}

function pragma(db: DatabaseSync, what: string): unknown {
  return Object.values(db.prepare(`pragma ${what}`).get() ?? {})[0]
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new Error(problem)
}
