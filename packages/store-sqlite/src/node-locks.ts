/**
 * An operating-system lock for every node, so that other processes notice at once when a node is killed.
 *
 * With a lease alone, a process that restarts after `kill -9` would wait for its own old lease. So each node also holds a
 * lock that the kernel releases when its process ends, for whatever reason: a tiny file next to the database, on which an
 * SQLite connection keeps an exclusive transaction. (SQLite can lock on every system, and its locks also work between
 * connections of one process, unlike POSIX locks.) A lock alone is not enough either, because a stopped process keeps it.
 * A node is alive while its lease is valid and its lock is held.
 *
 * - Only SQLite opens the files. Closing any other descriptor would drop the lock (POSIX).
 * - A check takes a shared lock. Only the holder's lock conflicts with it, so two concurrent checks do not see each other.
 * - A file is removed under its exclusive lock. A process that has just locked a file checks that the path still leads to
 *   it, so that no process holds a lock on a removed file.
 */
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from './database.ts'
import { BUSY, isKind, sqliteErrorMessage } from './sqlite-error.ts'

/** Only a check or a cleanup can conflict with the first lock, and both are short. */
const FIRST_WAIT_MS = 50
const ATTEMPTS = 20
/** Separates the database's file name from the hash of the node's name. */
const NODE = '-node-'

export class NodeLocks {
  readonly #file: string
  readonly #mine = new Map<string, DatabaseSync>()
  /** Held by another handle, which sends heartbeats for the same node. */
  readonly #others = new Set<string>()

  constructor(file: string) {
    this.#file = file
  }

  /** Called with every heartbeat. Takes the lock if it is free, also if its file was removed. */
  hold(node: string): void {
    const path = this.#pathOf(node)
    const mine = this.#mine.get(node)
    if (mine) {
      if (existsSync(path)) return
      mine.close()
      this.#mine.delete(node)
    }
    const lock = take(path, this.#others.has(node) ? 0 : FIRST_WAIT_MS)
    // Another handle holds the lock for the same node, which is just as good.
    if (!lock) return void this.#others.add(node)
    this.#others.delete(node)
    this.#mine.set(node, lock)
    // Same permissions as the database: only its users may check the lock.
    chmodSync(path, statSync(this.#file).mode & 0o777)
  }

  release(node: string): void {
    const lock = this.#mine.get(node)
    if (!lock) return
    this.#mine.delete(node)
    remove(this.#pathOf(node), lock)
  }

  /** By any process. */
  isHeld(node: string): boolean {
    return this.#mine.has(node) || isHeld(this.#pathOf(node))
  }

  /** Removes the lock file of a dead node. False if a process holds the lock. */
  cleanUp(node: string): boolean {
    return !this.#mine.has(node) && cleanUp(this.#pathOf(node))
  }

  /** Removes the files of all nodes that are gone: a process that was killed could not remove its own. */
  cleanUpAll(): void {
    const prefix = `${basename(this.#file)}${NODE}`
    for (const name of readdirSync(dirname(this.#file))) {
      if (name.startsWith(prefix)) cleanUp(join(dirname(this.#file), name))
    }
  }

  close(): void {
    for (const node of this.#mine.keys()) this.release(node)
  }

  #pathOf(node: string): string {
    return `${this.#file}${NODE}${createHash('sha256').update(node).digest('hex').slice(0, 32)}`
  }
}

/** False if a process holds the lock. */
function cleanUp(path: string): boolean {
  if (!existsSync(path)) return true
  const lock = exclusive(path, 0)
  if (lock) remove(path, lock)
  return lock !== undefined
}

/** Locks the file that the path leads to. Undefined if another connection holds the lock. */
function take(path: string, waitMs: number): DatabaseSync | undefined {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const lock = exclusive(path, waitMs)
    if (!lock || isHeld(path)) return lock
    lock.close()
  }
  throw new Error(`Cannot lock ${path}: other processes keep removing it.`)
}

function exclusive(path: string, waitMs: number): DatabaseSync | undefined {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(path, { timeout: waitMs })
    // Nothing is written. This setting prevents a journal file.
    lock.exec('pragma journal_mode = memory; begin exclusive')
    return lock
  } catch (error) {
    lock?.close()
    if (isKind(error, BUSY)) return undefined
    throw new Error(`Cannot lock ${path}: ${sqliteErrorMessage(error)}.`, { cause: error })
  }
}

function isHeld(path: string): boolean {
  if (!existsSync(path)) return false
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(path, { readOnly: true, timeout: 0 })
    lock.prepare('select 1 from sqlite_schema').get()
    return false
  } catch (error) {
    // If the file cannot be checked, assume that the lock is held: then the lease decides.
    return isKind(error, BUSY) || existsSync(path)
  } finally {
    lock?.close()
  }
}

function remove(path: string, lock: DatabaseSync): void {
  // Windows cannot remove an open file. The empty file stays until the next cleanup.
  if (process.platform !== 'win32') rmSync(path, { force: true })
  lock.close()
}
