/**
 * One connection to the stream of a conversation or a space: every event after a seq, in order. One out of order breaks
 * it; whoever reads comes again with the last seq it has.
 */
import { decodeStream, encodeClientTools, type StreamMessage } from '@holdpoint/protocol'
import type { Http } from './http.ts'
import { openSse, type Heard } from './open-sse.ts'
import { StreamBroken } from './passing.ts'

export interface OpenStream {
  /** Where it is. */
  readonly path: string
  /** The last seq that is known. */
  readonly after: number
  readonly signal: AbortSignal
  /** Names of the client tools that run here. */
  readonly tools?: readonly string[]
}

export function openStream(
  http: Http,
  { path, after, signal, tools = [] }: OpenStream,
): AsyncGenerator<Heard<StreamMessage>> {
  let seq = after
  return openSse(http, {
    path: offering(path, tools),
    headers: { 'last-event-id': String(after) },
    signal,
    read: (text) => {
      const message = decodeStream(text)
      if (!message || (message.kind === 'event' && message.event.seq <= seq)) return undefined
      if (message.kind === 'reset') seq = 0
      if (message.kind === 'event') seq = inOrder(seq, message.event.seq)
      return message
    },
  })
}

/** In the address, which every client can give, and which keeps no page of another origin out. */
function offering(path: string, tools: readonly string[]): string {
  if (tools.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}tools=${encodeURIComponent(encodeClientTools(tools))}`
}

function inOrder(before: number, seq: number): number {
  if (seq === before + 1) return seq
  throw new StreamBroken(`Event ${seq} came after event ${before}: some are missing.`)
}
