/**
 * Removes what erased conversations leave in the file. `secure_delete` (open-file.ts) overwrites the rows themselves, and
 * two kinds of copies remain:
 *
 * - The write-ahead log has earlier versions of pages until it is emptied, soon after the erasure. While another process
 *   reads an older state, it cannot be emptied; then the next write tries again.
 * - SQLite moves rows between pages, and does not overwrite the space that a moved row leaves. Only `vacuum` writes every
 *   page again. It blocks all writes and needs memory, so it runs a moment after erasures, not more than once a minute,
 *   when the store is closed, and only on a small file. The owner of a larger file has to run `vacuum` for the last copies.
 */
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

export interface Scrubber {
  /** A conversation was erased. */
  erased(): void
  /** Call it after writes. */
  scrub(): void
  finish(): void
}

const CHECKPOINT_PAUSE_MS = 200
const VACUUM_PAUSE_MS = 60_000
/** More erasures may follow. */
const QUIET_MS = 1000
/** About a second of work. */
const MAX_VACUUM_BYTES = 64_000_000

export function scrubberIn(db: DatabaseSync, file: string): Scrubber {
  const checkpoint = db.prepare('pragma wal_checkpoint(truncate)')
  let erasedAt = 0
  const wal = { isDirty: false, triedAt: 0 }
  const pages = { areDirty: false, triedAt: 0 }

  const emptyWal = (): void => {
    wal.triedAt = Date.now()
    wal.isDirty = (checkpoint.get() as { busy: number }).busy !== 0
  }
  const vacuum = (): void => {
    pages.triedAt = Date.now()
    if (statSync(file).size <= MAX_VACUUM_BYTES) {
      db.exec('vacuum')
      emptyWal()
    }
    pages.areDirty = false
  }
  return {
    erased: () => {
      erasedAt = Date.now()
      wal.isDirty = pages.areDirty = true
    },
    scrub: () => {
      const now = Date.now()
      if (wal.isDirty && now >= wal.triedAt + CHECKPOINT_PAUSE_MS) emptyWal()
      if (pages.areDirty && now >= erasedAt + QUIET_MS && now >= pages.triedAt + VACUUM_PAUSE_MS) vacuum()
    },
    finish: () => {
      if (pages.areDirty) vacuum()
      emptyWal()
    },
  }
}
