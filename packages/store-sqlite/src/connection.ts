/** The one connection that writes, with everything that is prepared on it. */
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { appenderIn } from './append.ts'
import type { Changes } from './changes.ts'
import { documentsIn } from './documents.ts'
import { dueIn } from './due.ts'
import { leasesIn } from './leases.ts'
import type { NodeLocks } from './node-locks.ts'
import { notesIn } from './notes.ts'
import { STEPS } from './schema.ts'
import { untilFree } from './until-free.ts'
import type { Answer, DueOp, SweepOp, WriteOp } from './wire.ts'

export interface Connection {
  /** Throws with nothing begun. */
  begin(): void
  apply(op: WriteOp): Answer
  commit(): void
  /** Throws when nobody can say what state the connection is in. */
  rollback(): void
  due(op: DueOp): Answer
  /** Nodes that are dead, and hold nothing any more. */
  gone(now: number): readonly string[]
  /** Puts everything into the one file. */
  checkpoint(): void
  close(): void
}

export interface Around {
  readonly file: string
  /** Which file that was when it was first opened. */
  readonly ino: number
  readonly waitMs: number
  readonly locks: NodeLocks
  readonly changes: Changes
}

export function connectionOn(db: DatabaseSync, { file, ino, waitMs, locks, changes }: Around): Connection {
  const begin = db.prepare('begin immediate')
  const commit = db.prepare('commit')
  const version = db.prepare('pragma user_version')
  // Another one whenever another connection has written, and only then.
  const others = db.prepare('pragma data_version')
  let known: unknown
  changes.attach(db)
  const leases = leasesIn(db, locks)
  const appender = appenderIn(db, leases.lives)
  const due = dueIn(db, leases.lives)
  const notes = notesIn(db)
  const documents = documentsIn(db)
  const sweep = ({ limit, now }: SweepOp): Answer => {
    const count = notes.sweep(limit, now)
    return { result: 'swept', count: count + documents.sweep(limit - count, now) }
  }

  const guard = (): void => {
    // SQLite would go on writing into a file that is no longer there for anybody else.
    if (statSync(file, { throwIfNoEntry: false })?.ino !== ino) {
      throw new Error(`${file} was moved, removed or replaced while it was open; restart to use what is there now`)
    }
  }
  const rollback = (): void => {
    if (db.isTransaction) db.exec('rollback')
  }

  const start = (): void => {
    guard()
    untilFree(waitMs, () => begin.run())
    try {
      const seen = others.get()?.['data_version']
      if (seen !== known) {
        const { user_version: found } = version.get() as { user_version: number }
        if (found !== STEPS.length) {
          throw new Error(`${file} was brought to format ${found} by another process; this one knows ${STEPS.length}`)
        }
        changes.look()
        known = seen
      }
      leases.refresh()
      appender.pos = 0
    } catch (error) {
      rollback()
      throw error
    }
  }

  return {
    begin: start,
    apply: (op) => {
      switch (op.op) {
        case 'append':
          return appender.append(op)
        case 'claim':
          return leases.claim(op)
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
          return sweep(op)
      }
    },
    commit: () => {
      commit.run()
      if (appender.pos > 0) changes.wrote(appender.pos)
    },
    rollback,
    due: (op) => {
      leases.refresh()
      return due(op)
    },
    gone: leases.gone,
    checkpoint: () => db.exec('pragma wal_checkpoint(truncate)'),
    close: () => db.close(),
  }
}
