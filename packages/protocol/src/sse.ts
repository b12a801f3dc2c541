/**
 * Server-sent events as text, strictly: what is written can never be read as another event, whatever the data. Data is
 * one line of JSON, in which line ends are escaped; names and ids are of a few safe characters, or refused.
 */

export interface SseMessage {
  readonly event: string
  readonly data: unknown
  readonly id?: string
}

const SAFE = /^[A-Za-z0-9_.:-]{1,64}$/

export function encodeSse({ event, data, id }: SseMessage): string {
  if (!SAFE.test(event)) throw new TypeError('The name of an event is 1 to 64 letters, digits or _ . : -')
  if (id !== undefined && !SAFE.test(id))
    throw new TypeError('The id of an event is 1 to 64 letters, digits or _ . : -')
  const json: unknown = JSON.stringify(data)
  if (typeof json !== 'string') throw new TypeError('The data of an event is JSON')
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${oneLine(json)}\n\n`
}

/** JSON escapes line ends and NUL by itself. That it stays so is worth a look at every event. */
function oneLine(json: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/[\r\n\u0000]/.test(json)) throw new TypeError('The data of an event is one line')
  return json
}

/** Says that somebody is there; readers pass over it. */
export const SSE_HEARTBEAT = ': still here\n\n'

/** How long a reader waits before it comes again. */
export function encodeRetry(ms: number): string {
  return `retry: ${Math.max(0, Math.round(ms))}\n\n`
}
