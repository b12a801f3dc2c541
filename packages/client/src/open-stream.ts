/**
 * One connection to the stream of a conversation or a space: every event after a seq, in order. A gap ends the connection,
 * and the reader reconnects after its last seq.
 */
import { decodeStream, encodeClientTools, type StreamMessage } from '@holdpoint/protocol'
import type { Http } from './http.ts'
import { openSse, type Received } from './open-sse.ts'
import { StreamBroken } from './temporary-failure.ts'

export interface OpenStream {
  /** The path of the stream. */
  readonly path: string
  /** The seq of the last event that the reader has. */
  readonly after: number
  readonly signal: AbortSignal
  /** Names of the client tools that run here. */
  readonly tools?: readonly string[]
}

export function openStream(
  http: Http,
  { path, after, signal, tools = [] }: OpenStream,
): AsyncGenerator<Received<StreamMessage>> {
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

/** In the query, because a custom header needs a CORS permission, and some clients cannot set headers. */
function offering(path: string, tools: readonly string[]): string {
  if (tools.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}tools=${encodeURIComponent(encodeClientTools(tools))}`
}

function inOrder(before: number, seq: number): number {
  if (seq === before + 1) return seq
  throw new StreamBroken(`Event ${seq} came after event ${before}. The events between are missing.`)
}
