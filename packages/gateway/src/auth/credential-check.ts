/**
 * Checks the credential of an open stream again, at each heartbeat. What may change while a stream is open:
 *
 * | credential | ends the stream |
 * |---|---|
 * | key | it was revoked or expired |
 * | token | it expired: `expiresAt`. It cannot be revoked |
 * | session cookie | it expired, was ended, or the person has other groups |
 * | the application's own session | `authenticate` says so, at most every `recheckMs`, or `expiresAt` |
 */
import { HoldpointError } from '@holdpoint/core'
import type { Authenticate } from './authenticate.ts'
import type { Caller } from './caller.ts'
import type { SignIn } from './sign-in.ts'

/** Returns the caller as the credential identifies it now; undefined when the credential has ended. */
export type CredentialCheck = () => Promise<Caller | undefined>

export interface CredentialParts {
  readonly authenticate: Authenticate
  readonly session: (request: Request) => Promise<Caller | undefined>
  readonly signIn: SignIn | undefined
  readonly recheckMs: number
  readonly now: () => number
}

const RECHECK_MS = 60_000

/** The check must not keep the request in memory: it has the body and the connection. */
export function credentialCheck(request: Request, caller: Caller, parts: CredentialParts): CredentialCheck {
  const { authenticate, signIn } = parts
  const authorization = request.headers.get('authorization')
  if (authorization !== null) return async () => (caller.kind === 'person' ? caller : authenticate(authorization))
  const cookie = caller.session === undefined ? undefined : signIn?.sessionOf(request)
  if (signIn && cookie !== undefined) return () => signIn.stillCallerOf(cookie)
  return recheckedSession(request, caller, parts)
}

/** Asks the application again, with a copy of the request. */
function recheckedSession(
  request: Request,
  caller: Caller,
  { session, recheckMs, now }: CredentialParts,
): CredentialCheck {
  const { url, headers } = request
  const copied = [...headers]
  let [known, at] = [caller, now()]
  return async () => {
    if (now() - at < recheckMs) return known
    at = now()
    const found = await session(new Request(url, { headers: copied }))
    if (found) known = found
    return found
  }
}

export function checkRecheckMs(recheckMs: number = RECHECK_MS): number {
  if (Number.isFinite(recheckMs) && recheckMs >= 0) return recheckMs
  throw new HoldpointError('config-invalid', '`auth.recheckMs` must be a number of milliseconds from 0.')
}
