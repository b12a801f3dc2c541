/** What an error of `pg` says about the connection, and about the statement that was on it. */
import { HoldpointError } from '@holdpoint/core'
import { DatabaseError } from 'pg'

/** What `pg` says when it did not even try, since the connection was known to be gone. */
const NEVER_SENT = /^Client (?:has encountered a connection error|was closed) and is not queryable$/

/**
 * Whether a statement that failed like this may have been committed all the same. An error of the statement itself rolls
 * it back. Everything else ends the connection, and then nobody can say: the server may have been about to say yes.
 */
export function mayBeWritten(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.severity !== 'ERROR'
  return !(error instanceof Error && NEVER_SENT.test(error.message))
}

/** Whether the connection, not the question, is to blame: it is worth asking again on another one. */
export function isConnectionError(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.severity !== 'ERROR' || error.code?.startsWith('08') === true
  return true
}

/** The server is out of something: giving every part of a call again, one by one, would only make it worse. */
export function isOutOfResources(error: unknown): boolean {
  return error instanceof DatabaseError && /^(?:53|57|58)/.test(error.code ?? '')
}

/** Somebody else wrote what the statement was about while it ran. Given again, it sees what they wrote. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '40001'
}

export function why(error: unknown): string {
  const message = error instanceof AggregateError && !error.message ? error.errors.map(why).join('; ') : plain(error)
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : ''
  return `PostgreSQL: ${message}${code}`
}

function plain(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}

export function unavailable(what: string, error: unknown): HoldpointError {
  return new HoldpointError('store-unavailable', `${what}: ${why(error)}`, { cause: error })
}
