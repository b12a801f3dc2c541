/** The only connection that writes, with its prepared statements. */
import type { DatabaseSync } from 'node:sqlite'
import { appenderIn, type Appender } from './appender.ts'
import type { Changes } from './changes.ts'
import type { FileWatch } from './file-watch.ts'
import type { NewestWrite } from './newest-write.ts'
import { documentsIn, type Documents } from './documents.ts'
import { dueIn } from './due.ts'
import { leasesIn, type Leases } from './leases.ts'
import type { NodeLocks } from './node-locks.ts'
import { notesIn, type Notes } from './notes.ts'
import { MIGRATIONS } from './migrations/migrations.ts'
import { scrubberIn } from './scrubber.ts'
import { untilFree } from './until-free.ts'
import type { OpResult, DueOp, SweepOp, WriteOp } from './writer-messages.ts'

export interface WriteConnection {
  /** Starts a transaction. If it throws, none is open. */
  begin(): void
  apply(op: WriteOp): OpResult
  commit(): void
  /** Throws if the state of the connection is unknown afterwards. */
  rollback(): void
  due(op: DueOp): OpResult
  /** The nodes whose lease has expired and whose lock is free. */
  expiredNodes(now: number): readonly string[]
  /** Removes what erasures have left, when it is time for it. */
  scrub(): void
  /** Does so at once, and moves the write-ahead log into the database file. */
  finish(): void
  close(): void
}

export interface WriteContext {
  readonly file: string
  readonly files: FileWatch
  readonly newest: NewestWrite
  readonly waitMs: number
  readonly locks: NodeLocks
  readonly changes: Changes
}

export function createWriteConnection(
  db: DatabaseSync,
  { file, files, newest, waitMs, locks, changes }: WriteContext,
): WriteConnection {
  const begin = db.prepare('begin immediate')
  const commit = db.prepare('commit')
  const version = db.prepare('pragma user_version')
  // It reads, so the write-ahead log exists.
  version.get()
  files.begin()
  // The value changes only when another connection has written.
  const dataVersion = db.prepare('pragma data_version')
  let known: unknown
  const scrubber = scrubberIn(db, file)
  changes.attach(db)
  const leases = leasesIn(db, locks)
  const appender = appenderIn(db, leases.isAlive)
  const due = dueIn(db, leases.isAlive)
  const notes = notesIn(db)
  const documents = documentsIn(db)

  const rollback = (): void => {
    if (db.isTransaction) db.exec('rollback')
  }

  const start = (): void => {
    files.check()
    untilFree(waitMs, () => begin.run())
    try {
      const seen = dataVersion.get()?.['data_version']
      if (seen !== known) {
        const { user_version: found } = version.get() as { user_version: number }
        if (found !== MIGRATIONS.length) {
          throw new Error(
            `${file} was migrated to format ${found} by another process; this process knows ${MIGRATIONS.length}`,
          )
        }
        changes.poll()
        known = seen
      }
      leases.refresh()
      appender.pos = 0
      appender.erased = false
    } catch (error) {
      rollback()
      throw error
    }
  }

  return {
    begin: start,
    apply: (op) => apply(op, { appender, leases, notes, documents }),
    commit: () => {
      commit.run()
      // Without its write-ahead log, the commit is in no file that a restart would find.
      files.check()
      if (appender.pos > 0) {
        newest.write(appender.pos)
        changes.ownWriteAt(appender.pos)
      }
      if (appender.erased) scrubber.erased()
    },
    rollback,
    due: (op) => {
      leases.refresh()
      return due(op)
    },
    expiredNodes: leases.expiredNodes,
    scrub: scrubber.scrub,
    finish: scrubber.finish,
    close: () => db.close(),
  }
}

interface Tables {
  readonly appender: Appender
  readonly leases: Leases
  readonly notes: Notes
  readonly documents: Documents
}

function apply(op: WriteOp, { appender, leases, notes, documents }: Tables): OpResult {
  switch (op.op) {
    case 'append':
      return appender.append(op)
    case 'takeOver':
      return leases.takeOver(op)
    case 'beat':
      return leases.beat(op)
    case 'leave':
      return leases.leave(op)
    case 'forget':
      return leases.forget(op)
    case 'note':
      return notes.note(op)
    case 'put':
      return documents.put(op)
    case 'sweep':
      return sweep(op, notes, documents)
  }
}

function sweep({ limit, now }: SweepOp, notes: Notes, documents: Documents): OpResult {
  const count = notes.sweep(limit, now)
  return { result: 'swept', count: count + documents.sweep(limit - count, now) }
}
