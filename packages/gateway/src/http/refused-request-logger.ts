/** Logs refused requests. A client that retries in a loop must not fill the disk, so the lines of each code are limited. */
import type { Problem } from '@holdpoint/protocol'
import type { LogLine } from '../gateway-options.ts'
import type { Redact } from '../redact.ts'
import { RateLimit } from './rate-limit.ts'
import type { RouteAnswer } from './route-answer.ts'

/** These have lines of their own: why a credential was refused, and which limit a tenant reached. */
const LOGGED: ReadonlySet<number> = new Set([401, 429])
const LINES = { perSecond: 5, burst: 100 }

export interface RefusedRequest {
  readonly request: Request
  readonly requestId: string
  readonly caller: { readonly tenant: string; readonly by: string } | undefined
}

export type RefusedRequestLogger = (answer: RouteAnswer, refused: RefusedRequest) => void

export function refusedRequestLogger(
  log: (line: LogLine) => void,
  redact: Redact,
  now: () => number,
): RefusedRequestLogger {
  const lines = new RateLimit(LINES, now)
  return (answer, { request, requestId, caller }) => {
    if (!('status' in answer) || answer.status < 400 || answer.status >= 500 || LOGGED.has(answer.status)) return
    const { code = 'refused', detail = '' } = (answer.body ?? {}) as Partial<Problem>
    if (lines.take(code) > 0) return
    const path = new URL(request.url).pathname
    log({
      level: 'info',
      event: 'request-refused',
      code,
      message: redact(detail),
      requestId,
      method: request.method,
      path: redact(path),
      status: answer.status,
      ...(caller && { tenant: caller.tenant, by: caller.by }),
      ...conversationIn(path, redact),
    })
  }
}

function conversationIn(path: string, redact: Redact): { readonly conversationId?: string } {
  const [, id] = /^\/api\/(?:conversations|holds)\/([^/]+)(?:\/|$)/.exec(path) ?? []
  if (id === undefined) return {}
  try {
    return { conversationId: redact(decodeURIComponent(id)) }
  } catch {
    return {}
  }
}
