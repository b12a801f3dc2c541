/**
 * A lock of the operating system for every node, so that one which was killed is known to be gone at once.
 *
 * A lease alone says a node is gone only when it has run out, and a process that restarts after `kill -9` would wait for
 * its own old lease. So each node also holds a lock that the kernel drops the moment its process ends, however it ends: a
 * tiny file beside the database, on which an SQLite connection keeps an exclusive transaction (SQLite knows how to lock
 * on every system, and its locks see each other within one process too, which bare POSIX locks do not). The lock alone
 * would not do either: a process that was stopped keeps it. A node lives while its lease is fresh and its lock is held.
 *
 * - The files are never opened by anything but SQLite: closing any other descriptor would drop the lock (POSIX).
 * - Asking takes a shared lock, which only the holder stands in the way of, so that two who ask do not deceive each other.
 * - A file is removed under its exclusive lock, and who has just locked one looks whether it still is the one that others
 *   find: so nobody holds a file that is no longer there.
 */
import { createHash } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { BUSY, isKind, whyOf } from './sqlite-error.ts'

/** Only those who ask or clean up are in the way of the first lock, and they are gone in a moment. */
const FIRST_WAIT_MS = 50
const ATTEMPTS = 20

export class NodeLocks {
  readonly #file: string
  readonly #mine = new Map<string, DatabaseSync>()
  /** Held by another handle, which beats for the same node. */
  readonly #others = new Set<string>()

  constructor(file: string) {
    this.#file = file
  }

  /** Called with every beat: takes what is free, and takes again what somebody removed. */
  hold(node: string): void {
    const path = this.#pathOf(node)
    const mine = this.#mine.get(node)
    if (mine) {
      if (existsSync(path)) return
      mine.close()
      this.#mine.delete(node)
    }
    const lock = take(path, this.#others.has(node) ? 0 : FIRST_WAIT_MS)
    // Whoever else holds it vouches for the node as well as we would.
    if (!lock) return void this.#others.add(node)
    this.#others.delete(node)
    this.#mine.set(node, lock)
  }

  release(node: string): void {
    const lock = this.#mine.get(node)
    if (!lock) return
    this.#mine.delete(node)
    remove(this.#pathOf(node), lock)
  }

  /** By anybody. */
  isHeld(node: string): boolean {
    return this.#mine.has(node) || isHeld(this.#pathOf(node))
  }

  /** Removes the file of a node that is gone; false if it is not. */
  cleanUp(node: string): boolean {
    if (this.#mine.has(node)) return false
    const path = this.#pathOf(node)
    if (!existsSync(path)) return true
    const lock = exclusive(path, 0)
    if (lock) remove(path, lock)
    return lock !== undefined
  }

  close(): void {
    for (const node of this.#mine.keys()) this.release(node)
  }

  #pathOf(node: string): string {
    return `${this.#file}-node-${createHash('sha256').update(node).digest('hex').slice(0, 32)}`
  }
}

/** The lock on the file that others will find; undefined when somebody else holds it. */
function take(path: string, waitMs: number): DatabaseSync | undefined {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const lock = exclusive(path, waitMs)
    if (!lock || isHeld(path)) return lock
    lock.close()
  }
  throw new Error(`Cannot lock ${path}: it is removed again and again.`)
}

function exclusive(path: string, waitMs: number): DatabaseSync | undefined {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(path, { timeout: waitMs })
    // Nothing is ever written; without this a journal would lie beside it.
    lock.exec('pragma journal_mode = memory; begin exclusive')
    return lock
  } catch (error) {
    lock?.close()
    if (isKind(error, BUSY)) return undefined
    throw new Error(`Cannot lock ${path}: ${whyOf(error)}.`, { cause: error })
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
    // If the file cannot be looked at, the lease is all there is to go by.
    return isKind(error, BUSY) || existsSync(path)
  } finally {
    lock?.close()
  }
}

function remove(path: string, lock: DatabaseSync): void {
  // Windows removes no file that is open; there an empty one stays until the next cleaning.
  if (process.platform !== 'win32') rmSync(path, { force: true })
  lock.close()
}
