/** Turns a route's answer into a Response with the standard headers, or sends it directly when the server can. */
import { PROBLEM_TYPE } from '@holdpoint/protocol'
import type { Redact } from '../redact.ts'
import type { RouteAnswer } from './route-answer.ts'
import type { Peer } from './route.ts'
import { toWebStream } from './text-stream.ts'

/** Where a response goes, and the headers that every response there has. */
export interface ResponseTarget {
  readonly peer: Peer | undefined
  readonly requestId: string
  readonly headers: Readonly<Record<string, string>>
}

/** API responses must not be framed, cached, sniffed or embedded. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** `sent` receives the size of the body. */
export function respond(
  answer: RouteAnswer,
  redact: Redact,
  { peer, headers: always }: ResponseTarget,
  sent?: (bytes: number) => void,
): Response {
  if ('response' in answer) return secured(answer.response, always)
  if ('stream' in answer) {
    const headers = { ...always, ...answer.headers }
    return peer?.stream?.(headers, answer.stream) ?? new Response(toWebStream(answer.stream), { headers })
  }
  const { status, body, secret } = answer
  const text = body === undefined ? null : textOf(body, secret, redact)
  if (text !== null) sent?.(Buffer.byteLength(text))
  const type = status >= 400 ? PROBLEM_TYPE : 'application/json'
  const headers = { ...always, ...(text !== null && { 'content-type': type }), ...answer.headers }
  return peer?.send?.(status, headers, text) ?? new Response(text, { status, headers })
}

/** A secret that the route returns on purpose is not redacted. */
function textOf(body: unknown, secret: object | undefined, redact: Redact): string {
  return secret ? JSON.stringify({ ...(body as object), ...secret }) : redact(JSON.stringify(body))
}

/** Headers that the response already has take precedence. */
function secured(response: Response, always: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(always)) if (!response.headers.has(name)) response.headers.set(name, value)
  return response
}
