import { randomUUID } from 'node:crypto'

/** The client's own `x-request-id`, so that its log and ours can be joined, or a new one. */
export function requestId(headers: Headers): string {
  const given = headers.get('x-request-id')
  return given !== null && /^[\w.:@-]{1,128}$/.test(given) ? given : randomUUID()
}
