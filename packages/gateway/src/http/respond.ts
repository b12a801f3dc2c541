/** An answer as a Response, with what is sent along every one; or sent at once, by a server that can. */
import { PROBLEM_TYPE } from '@holdpoint/protocol'
import type { Redact } from '../redact.ts'
import type { Answer } from './answer.ts'
import type { Peer } from './route.ts'

/** Who is answered, and the headers that every answer to them has. */
export interface Line {
  readonly peer: Peer | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** Nothing here is a page to be framed, cached, sniffed or linked from. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export function respond(answer: Answer, redact: Redact, { peer, headers: always }: Line): Response {
  if ('response' in answer) return secured(answer.response, always)
  const { status, body, secret } = answer
  const text = body === undefined ? null : textOf(body, secret, redact)
  const type = status >= 400 ? PROBLEM_TYPE : 'application/json'
  const headers = { ...always, ...(text !== null && { 'content-type': type }), ...answer.headers }
  return peer?.send?.(status, headers, text) ?? new Response(text, { status, headers })
}

/** What is shown once, on purpose, is not taken out. */
function textOf(body: unknown, secret: object | undefined, redact: Redact): string {
  return secret ? JSON.stringify({ ...(body as object), ...secret }) : redact(JSON.stringify(body))
}

/** Those that the response has already are its own. */
function secured(response: Response, always: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(always)) if (!response.headers.has(name)) response.headers.set(name, value)
  return response
}
