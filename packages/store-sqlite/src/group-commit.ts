/**
 * Commits all waiting operations in one transaction, because a commit waits for the disk however much it contains. No
 * operation is answered before its commit has returned.
 *
 * - One operation's error must not fail the others. If anything fails before the commit, the transaction is rolled back, and
 *   each operation is retried in its own transaction.
 * - A commit that failed because the log file could not be written certainly did not happen. After any other failed commit
 *   the outcome is unknown: the log may contain it and show it after a crash. The answer is then `unknown`, and the
 *   connection is dropped, because its view of the file may differ from the disk.
 */
import type { WriteConnection } from './write-connection.ts'
import { FULL, IOERR_WRITE, codeOf, isDiskTrouble, isKind, sqliteErrorMessage } from './sqlite-error.ts'
import type { OpResult, WriteOp } from './writer-messages.ts'

type Attempt =
  | { readonly is: 'committed'; readonly answers: readonly OpResult[] }
  /** Rolled back. `shared`: the error would hit each operation alone, too. */
  | { readonly is: 'undone'; readonly error: unknown; readonly shared: boolean }
  | { readonly is: 'in doubt'; readonly error: unknown }

export interface Connections {
  /** Opens the connection if necessary. Throws if that fails. */
  get(): WriteConnection
  /** The connection is unreliable now. The next `get` opens a new one. */
  drop(): void
}

export function groupCommit(connections: Connections, ops: readonly WriteOp[]): readonly OpResult[] {
  const attempt = attemptAll(connections, ops)
  switch (attempt.is) {
    case 'committed':
      return attempt.answers
    case 'in doubt':
      return ops.map(() => ({ result: 'unknown', why: sqliteErrorMessage(attempt.error) }))
    case 'undone':
      if (ops.length > 1 && !attempt.shared) return ops.flatMap((op) => groupCommit(connections, [op]))
      return ops.map(() => ({ result: 'failed', why: sqliteErrorMessage(attempt.error) }))
  }
}

function attemptAll(connections: Connections, ops: readonly WriteOp[]): Attempt {
  let connection: WriteConnection
  try {
    connection = connections.get()
    connection.begin()
  } catch (error) {
    if (isDiskTrouble(error)) connections.drop()
    return { is: 'undone', error, shared: true }
  }

  let answers: OpResult[]
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

/** If the rollback fails, closing the connection rolls back. */
function undo(connections: Connections, connection: WriteConnection, error: unknown): Attempt {
  try {
    connection.rollback()
    if (isDiskTrouble(error)) connections.drop()
  } catch {
    connections.drop()
  }
  return { is: 'undone', error, shared: false }
}
