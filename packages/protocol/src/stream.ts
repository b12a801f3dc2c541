/**
 * A conversation as server-sent events. Durable events have their seq as the event id, so a reader that reconnects with
 * the last id gets every event exactly once. Frames have no id, because they are never repeated.
 */
import type { Frame, LogEvent } from '@holdpoint/core'
import type { DecodedSse } from './sse-decoder.ts'
import { encodeSse } from './sse.ts'

export type StreamMessage =
  | { readonly kind: 'event'; readonly event: LogEvent }
  | { readonly kind: 'frame'; readonly frame: Frame }
  /** The reader has a later event id than the log. It must drop its state; the stream starts from the first event. */
  | { readonly kind: 'reset'; readonly why: string }
  /** Only on the stream of changes: read the conversation again. */
  | { readonly kind: 'changed'; readonly conversationId?: string }

export function encodeStream(message: StreamMessage): string {
  switch (message.kind) {
    case 'event':
      return encodeSse({ event: 'event', id: String(message.event.seq), data: message.event })
    case 'frame':
      return encodeSse({ event: 'frame', data: message.frame })
    case 'reset':
      return encodeSse({ event: 'reset', id: '0', data: { why: message.why } })
    case 'changed':
      return encodeSse({ event: 'changed', data: { conversationId: message.conversationId } })
  }
}

/** Returns undefined for an unknown event: a newer gateway may send more. Throws when the data is not JSON. */
export function decodeStream({ event, data }: DecodedSse): StreamMessage | undefined {
  const value: unknown = JSON.parse(data)
  if (typeof value !== 'object' || value === null) return undefined
  const { why, type, seq, conversationId } = value as Readonly<Record<string, unknown>>
  if (event === 'reset') return { kind: event, why: String(why) }
  if (event === 'changed') return typeof conversationId === 'string' ? { kind: event, conversationId } : { kind: event }
  if (typeof type !== 'string') return undefined
  if (event === 'frame') return { kind: event, frame: value as Frame }
  return event === 'event' && typeof seq === 'number' ? { kind: event, event: value as LogEvent } : undefined
}
