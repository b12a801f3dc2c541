/** Logs why a credential was refused. Anyone can send invalid credentials, so the number of log lines is limited. */
import type { LogLine } from '../gateway-options.ts'
import { RateLimit } from '../http/rate-limit.ts'
import type { Redact } from '../redact.ts'
import type { RefusedCredential } from './tokens.ts'

/** The limit for each reason. */
const LINES = { perSecond: 1, burst: 20 }

const LEVELS: Readonly<Record<string, LogLine['level']>> = {
  // While the issuer cannot be reached, every token or sign-in is refused.
  'jwks-unreachable': 'error',
  'openid-unreachable': 'error',
  // Every session ends at some time.
  'session-ended': 'info',
}

export function refusedCredentialLogger(
  log: (line: LogLine) => void,
  redact: Redact,
  now: () => number,
): (why: RefusedCredential) => void {
  const lines = new RateLimit(LINES, now)
  return ({ reason, message }) => {
    if (lines.take(reason) > 0) return
    log({ level: LEVELS[reason] ?? 'warn', reason, message: redact(message) })
  }
}
