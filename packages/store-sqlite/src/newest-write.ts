/**
 * A small file next to the database with the position of the newest batch that was committed. The write-ahead log is a file of its own:
 * if it is deleted or cut while no process has the database open, SQLite continues from an older state without a word. The record then
 * names a batch that the database does not have.
 *
 * - It is written after each commit, and not synced. After a power loss it may be older than the database, which shows nothing.
 * - It exists as long as the write-ahead log does. A copy of the database alone has no record, and is opened as it is.
 */
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'

const DIGITS = 16
const { O_CREAT, O_WRONLY } = constants

export class NewestWrite {
  readonly #database: string
  readonly #path: string
  #file: number | undefined
  #written = 0

  constructor(database: string) {
    this.#database = database
    this.#path = `${database}-newest`
  }

  /** Throws if the record names a batch after `newest`. Read `newest` from the database after `read`. */
  check(recorded: number, newest: number): void {
    if (recorded <= newest) return
    throw new Error(
      `${this.#database} has lost acknowledged writes: its newest batch is ${newest}, and batch ${recorded} was committed. ` +
        `${this.#database}-wal was deleted or cut, or an older copy was put in place. Restore a newer copy. ` +
        `To continue with what it has, delete ${this.#path}.`,
    )
  }

  /** The position in the record; 0 if there is none, or if it cannot be read. */
  read(): number {
    try {
      const text = readFileSync(this.#path, 'utf8')
      return /^\d{16}\n$/.test(text) ? Number(text) : 0
    } catch {
      return 0
    }
  }

  /** Best effort: without the record, a loss may go unnoticed, but no write is lost. */
  write(pos: number): void {
    if (pos <= this.#written) return
    try {
      this.#file ??= this.#open()
      writeSync(this.#file, `${String(pos).padStart(DIGITS, '0')}\n`, 0)
      this.#written = pos
    } catch {
      this.#close()
    }
  }

  /** Call it after the database was closed. */
  close(): void {
    this.#close()
    if (!existsSync(`${this.#database}-wal`)) rmSync(this.#path, { force: true })
  }

  #open(): number {
    const file = openSync(this.#path, O_CREAT | O_WRONLY, 0o600)
    // A user who may write the database may write the record.
    chmodSync(this.#path, statSync(this.#database).mode & 0o777)
    return file
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}
