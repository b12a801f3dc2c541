/**
 * Encodes server-sent events. Data must never be readable as another event: it is one line of JSON, which escapes line
 * ends, and names and ids may contain only safe characters.
 */

export interface SseMessage {
  readonly event: string
  readonly data: unknown
  readonly id?: string
}

const SAFE = /^[A-Za-z0-9_.:-]{1,64}$/

export function encodeSse({ event, data, id }: SseMessage): string {
  if (!SAFE.test(event)) throw new TypeError('The name of an event must have 1 to 64 letters, digits or _ . : -')
  if (id !== undefined && !SAFE.test(id))
    throw new TypeError('The id of an event must have 1 to 64 letters, digits or _ . : -')
  const json: unknown = JSON.stringify(data)
  if (typeof json !== 'string') throw new TypeError('The data of an event must be JSON')
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${oneLine(json)}\n\n`
}

/** JSON escapes line ends and NUL. This checks it for every event: an unescaped one could inject an event. */
function oneLine(json: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/[\r\n\u0000]/.test(json)) throw new TypeError('The data of an event must be one line')
  return json
}

/** A comment that keeps the connection open; decoders ignore it. */
export const SSE_HEARTBEAT = ': still here\n\n'

/** Sets the delay before a reader reconnects. */
export function encodeRetry(ms: number): string {
  return `retry: ${Math.max(0, Math.round(ms))}\n\n`
}
