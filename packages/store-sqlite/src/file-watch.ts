/**
 * Notices that the database or its write-ahead log was removed or replaced while it is open. SQLite would go on with files that no
 * other process can see, and everything committed since would be gone after a restart.
 */
import { statSync } from 'node:fs'

export class FileWatch {
  readonly #database: string
  readonly #inode: number
  #walInode: number | undefined

  constructor(database: string) {
    this.#database = database
    this.#inode = statSync(database).ino
  }

  /** The write-ahead log exists now. The first one is the one to watch. */
  begin(): void {
    this.#walInode ??= inodeOf(`${this.#database}-wal`)
  }

  /** Throws if a file is another one. */
  check(): void {
    if (inodeOf(this.#database) !== this.#inode) throw moved(this.#database)
    if (this.#walInode !== undefined && inodeOf(`${this.#database}-wal`) !== this.#walInode)
      throw moved(`${this.#database}-wal`)
  }
}

function moved(file: string): Error {
  return new Error(`${file} was moved, removed or replaced while it was open; restart to use the new file`)
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino
}
