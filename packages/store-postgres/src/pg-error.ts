/** Classifies errors of `pg`: of the connection, or of the statement. */
import { HoldpointError } from '@holdpoint/core'
import { DatabaseError } from 'pg'

/** The message of `pg` when it did not send the statement, because the connection was known to be broken. */
const NEVER_SENT = /^Client (?:has encountered a connection error|was closed) and is not queryable$/

/**
 * Whether a statement with this error may still have been committed. An error of the statement itself rolls it back. Any
 * other error ends the connection, and the outcome is unknown: the server may have committed before it could answer.
 */
export function mayBeWritten(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.severity !== 'ERROR'
  return !(error instanceof Error && NEVER_SENT.test(error.message))
}

/** Whether the connection failed and not the statement, so that a retry on another connection can help. */
export function isConnectionError(error: unknown): boolean {
  if (error instanceof DatabaseError) {
    return error.severity !== 'ERROR' || error.code?.startsWith('08') === true || error.code === READ_ONLY
  }
  return true
}

/** The server became a standby, or was one all along. */
const READ_ONLY = '25006'

/** The role may not call a function, or the server does not have it. */
export function isRefused(error: unknown): boolean {
  return error instanceof DatabaseError && /^(?:42501|42883|0A000)$/.test(error.code ?? '')
}

/** Another transaction keeps a row locked. The statement was rolled back. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '55P03'
}

/** The server is out of resources: retrying the appends of a call one by one would make it worse. */
export function isOutOfResources(error: unknown): boolean {
  return error instanceof DatabaseError && /^(?:53|57|58)/.test(error.code ?? '')
}

/** Another process wrote the same rows while the statement ran. A retry sees those writes. */
export function isSerializationFailure(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '40001'
}

export function pgErrorMessage(error: unknown): string {
  const message =
    error instanceof AggregateError && !error.message ? error.errors.map(pgErrorMessage).join('; ') : messageOf(error)
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : ''
  return `PostgreSQL: ${message}${code}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}

export function unavailable(what: string, error: unknown): HoldpointError {
  return new HoldpointError('store-unavailable', `${what}: ${pgErrorMessage(error)}`, { cause: error })
}
