/**
 * Opens the file to write to it, and refuses every file and every setting under which an acknowledged write could be
 * lost. What is set is read back: a pragma that cannot be obeyed says nothing.
 */
import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { identify, migrate } from './migrate.ts'
import { STEPS } from './schema.ts'
import { BUSY, NOTADB, isKind, whyOf } from './sqlite-error.ts'
import { untilFree } from './until-free.ts'

/** Before it, two connections that write and checkpoint at the same moment can damage the file. */
const NEEDED = [3, 51, 3]

export function openFile(path: string, waitMs: number, steps: readonly string[] = STEPS): DatabaseSync {
  refuse(versionProblem(process.versions.sqlite) ?? pathProblem(path))
  const db = open(path)
  try {
    // First see whose file it is: whatever comes after writes into it.
    refuse(untilFree(waitMs, () => identify(db, path, steps.length)).problem)
    const journal = untilFree(waitMs, () => pragma(db, 'journal_mode = wal'))
    // fullfsync: on macOS an fsync alone leaves the data in the drive's cache. Nothing elsewhere.
    db.exec('pragma synchronous = full; pragma fullfsync = on; pragma wal_autocheckpoint = 1000')
    refuse(settingsProblem(path, journal, pragma(db, 'synchronous')))
    // One huge write shall not leave a huge log behind for good.
    db.exec('pragma journal_size_limit = 67108864; pragma cache_size = -16000; pragma temp_store = memory')
    migrate(db, path, waitMs, steps)
    return db
  } catch (error) {
    db.close()
    if (isKind(error, NOTADB)) throw new Error(`${path} is not an SQLite database. Give a path of its own.`)
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
    `This Node (${process.version}) carries SQLite ${version}, which can damage a file that two connections write to. ` +
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

function pathProblem(path: string): string | undefined {
  const folder = dirname(path)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    return `There is no folder ${folder} to keep ${path} in. Create it first.`
  }
  const file = statSync(path, { throwIfNoEntry: false })
  if (file?.isDirectory()) return `${path} is a folder. Give the path of a file in it.`
  if (!may(folder)) return `Cannot write in the folder ${folder}: SQLite keeps two more files beside ${path}.`
  if (file && !may(path)) return `Cannot read and write ${path}. Check whose file it is.`
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
    // Waiting is ours to do: SQLite's own handler sleeps longer and longer, and starves beside a busy writer.
    return new DatabaseSync(path, { timeout: 0 })
  } catch (error) {
    throw new Error(`Cannot open ${path}: ${whyOf(error)}.`, { cause: error })
  }
}

function pragma(db: DatabaseSync, what: string): unknown {
  return Object.values(db.prepare(`pragma ${what}`).get() ?? {})[0]
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new Error(problem)
}
