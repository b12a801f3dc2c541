/** Logs why a credential was refused. Anyone can send invalid credentials, so the number of log lines is limited. */
import type { LogLine } from '../gateway-options.ts'
import { RateLimit } from '../http/rate-limit.ts'
import type { Redact } from '../redact.ts'
import type { RefusedCredential } from './tokens.ts'

/** For each reason. */
const LINES = { perSecond: 1, burst: 20 }

export function refusedCredentialLogger(
  log: (line: LogLine) => void,
  redact: Redact,
  now: () => number,
): (why: RefusedCredential) => void {
  const lines = new RateLimit(LINES, now)
  return ({ reason, message }) => {
    if (lines.take(reason) > 0) return
    // While the issuer's public keys cannot be fetched, every token is refused.
    const level = reason === 'jwks-unreachable' ? 'error' : 'warn'
    log({ level, reason, message: redact(message) })
  }
}
