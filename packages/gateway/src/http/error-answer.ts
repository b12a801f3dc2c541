/** The answer when a route throws: the error's own code, or `internal` for an unexpected error. */
import { HoldpointError } from '@holdpoint/core'
import { QuotaExceeded } from '@holdpoint/runtime'
import { statusOf } from '@holdpoint/protocol'
import { SignInUnavailable } from '../auth/confirmed-sessions.ts'
import { refuse, type RouteAnswer } from './route-answer.ts'

export function errorAnswer(error: unknown): RouteAnswer & { readonly status: number } {
  if (error instanceof SignInUnavailable) return refuse('sign-in-unavailable', error.message, retrySoon)
  if (!HoldpointError.is(error)) return refuse('internal', 'Internal error; it has been logged.')
  const { code, message } = error
  if (code === 'closed')
    return refuse(code, 'This gateway is shutting down. Retry in a moment, or use another one.', retrySoon)
  if (QuotaExceeded.is(error) && error.retryAfterMs !== undefined)
    return refuse('too-many-requests', message, {
      headers: { 'retry-after': String(Math.ceil(error.retryAfterMs / 1000)) },
    })
  // Internal details are for the operator. The caller gets a general message.
  if (statusOf(code) === 503)
    return refuse(
      code,
      'The store is unavailable. Retry with the same Idempotency-Key: completed work is not repeated.',
      retrySoon,
    )
  return statusOf(code) >= 500 ? refuse(code, 'Internal error; it has been logged.') : refuse(code, message)
}

const retrySoon = { headers: { 'retry-after': '1' } }
