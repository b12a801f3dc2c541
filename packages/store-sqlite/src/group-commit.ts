/**
 * Everything that waits goes into one transaction: a commit costs a wait for the disk, however much is in it. Nothing is
 * answered before its commit has returned.
 *
 * - One operation's trouble is not its neighbours': when anything fails before the commit, nothing of the transaction
 *   stands, and its operations are tried again, each alone.
 * - A commit that failed because it could not be written into the log file surely did not happen. After any other failed
 *   commit nobody knows (the log may hold it and show it after a crash), so that is what is said; and nothing is written
 *   over a connection that may believe something else than the disk.
 */
import type { Connection } from './connection.ts'
import { FULL, IOERR_WRITE, codeOf, isDiskTrouble, isKind, whyOf } from './sqlite-error.ts'
import type { Answer, WriteOp } from './wire.ts'

type Attempt =
  | { readonly is: 'committed'; readonly answers: readonly Answer[] }
  /** Nothing of it stands. `shared`: it would meet each operation alike. */
  | { readonly is: 'undone'; readonly error: unknown; readonly shared: boolean }
  | { readonly is: 'in doubt'; readonly error: unknown }

export interface Connections {
  /** Opens it if need be; throws when it cannot. */
  get(): Connection
  /** It is not to be trusted any more: the next `get` opens another. */
  drop(): void
}

export function groupCommit(connections: Connections, ops: readonly WriteOp[]): readonly Answer[] {
  const attempt = attemptAll(connections, ops)
  switch (attempt.is) {
    case 'committed':
      return attempt.answers
    case 'in doubt':
      return ops.map(() => ({ result: 'unknown', why: whyOf(attempt.error) }))
    case 'undone':
      if (ops.length > 1 && !attempt.shared) return ops.flatMap((op) => groupCommit(connections, [op]))
      return ops.map(() => ({ result: 'failed', why: whyOf(attempt.error) }))
  }
}

function attemptAll(connections: Connections, ops: readonly WriteOp[]): Attempt {
  let connection: Connection
  try {
    connection = connections.get()
    connection.begin()
  } catch (error) {
    if (isDiskTrouble(error)) connections.drop()
    return { is: 'undone', error, shared: true }
  }

  let answers: Answer[]
  try {
    answers = ops.map((op) => connection.apply(op))
  } catch (error) {
    return undo(connections, connection, error)
  }

  try {
    connection.commit()
    return { is: 'committed', answers }
  } catch (error) {
    if (isKind(error, FULL) || codeOf(error) === IOERR_WRITE) return undo(connections, connection, error)
    connections.drop()
    return { is: 'in doubt', error }
  }
}

/** Closing a connection rolls back too, should the rollback itself fail. */
function undo(connections: Connections, connection: Connection, error: unknown): Attempt {
  try {
    connection.rollback()
    if (isDiskTrouble(error)) connections.drop()
  } catch {
    connections.drop()
  }
  return { is: 'undone', error, shared: false }
}
