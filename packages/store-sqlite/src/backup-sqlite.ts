/**
 * Copies the file of a store, also while processes write to it: a backup, and the way back. The copy is one moment of the file,
 * complete, checked and on the disk before it gets its name.
 */
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { HoldpointError, type Store } from '@holdpoint/core'
import { copyFiles, filesFolder } from './folder-files.ts'
import { backupDatabase, DatabaseSync } from './database.ts'
import { identify } from './migrate.ts'
import { MIGRATIONS } from './migrations/migrations.ts'
import { sqliteErrorMessage } from './sqlite-error.ts'
import { sqliteStore } from './sqlite-store.ts'
import { sync } from './sync.ts'

export interface CopiedFile {
  readonly bytes: number
}

/** Pages per step. Between two steps, the event loop runs. */
const PAGES = 2000

/**
 * Copies the store at `from` into the new file `to`. Processes may go on writing to `from`: the copy has what was written
 * before it began.
 */
export async function backupSqlite(from: string, to: string): Promise<CopiedFile> {
  return copied(from, to, async () => {})
}

/**
 * Copies the backup `from` into the new file `to`, which no process has open. `mark` gets the new store before it has its name:
 * `markRestored()` of the runtime.
 */
export async function restoreSqlite<Marked>(
  from: string,
  to: string,
  mark: (store: Store) => Promise<Marked>,
): Promise<Marked> {
  let marked: { readonly value: Marked } | undefined
  await copied(from, to, async (part) => {
    const store = await sqliteStore(part)
    try {
      marked = { value: await mark(store) }
    } finally {
      await store.close()
    }
  })
  return marked!.value
}

async function copied(from: string, to: string, finish: (part: string) => Promise<void>): Promise<CopiedFile> {
  const [source, target] = [resolve(from), resolve(to)]
  if (!existsSync(source)) throw unusable(`There is no file ${from}.`)
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(target + suffix)) throw unusable(`${to}${suffix} exists already. Give a path that is free.`)
  if (!existsSync(dirname(target))) throw unusable(`The folder of ${to} does not exist. Create it first.`)
  if (existsSync(filesFolder(target))) throw unusable(`${filesFolder(to)} exists already. Give a path that is free.`)
  const part = `${target}.${randomUUID()}.part`
  try {
    await copyInto(part, source, from)
    await finish(part)
    check(part, from)
    sync(part)
    // After the database, so that every file which it names is among them, and before it has its name.
    const bytes = await copyFiles(filesFolder(source), filesFolder(part))
    if (bytes > 0) renameSync(filesFolder(part), filesFolder(target))
    // Unlike a rename, this fails if another process created the file meanwhile.
    linkSync(part, target)
    if (process.platform !== 'win32') sync(dirname(target))
    return { bytes: statSync(target).size + bytes }
  } catch (error) {
    if (HoldpointError.is(error)) throw error
    throw unusable(`${from} could not be copied to ${to}: ${sqliteErrorMessage(error)}.`, error)
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(part + suffix, { force: true })
    rmSync(filesFolder(part), { force: true, recursive: true })
  }
}

async function copyInto(part: string, source: string, from: string): Promise<void> {
  // The same permissions as the original. SQLite writes into the empty file.
  writeFileSync(part, '', { flag: 'wx', mode: 0o600 })
  chmodSync(part, statSync(source).mode & 0o777)
  const db = new DatabaseSync(source, { readOnly: true, timeout: 5000 })
  try {
    const { problem, version } = identify(db, from, MIGRATIONS.length)
    if (problem !== undefined || version === 0) throw unusable(problem ?? `${from} is empty.`)
    // The transaction keeps the moment: without it, each write of another process would begin the copy again.
    db.exec('begin')
    db.prepare('select count(*) from sqlite_schema').get()
    await backupDatabase(db, part, { rate: PAGES })
  } finally {
    db.close()
  }
}

/** Also leaves one file: a copy of a file with a write-ahead log would open one of its own each time that it is read. */
function check(part: string, from: string): void {
  const db = new DatabaseSync(part)
  try {
    const { quick_check: found } = db.prepare('pragma quick_check(1)').get() as { readonly quick_check: string }
    if (found !== 'ok') throw unusable(`${from} is damaged, and was not copied: ${found}.`)
    db.exec('pragma journal_mode = delete')
  } finally {
    db.close()
  }
}

function unusable(message: string, cause?: unknown): HoldpointError {
  return new HoldpointError('store-unusable', message, cause === undefined ? {} : { cause })
}
