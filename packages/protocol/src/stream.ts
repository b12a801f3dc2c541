/**
 * A conversation as a stream: durable events with their seq as the id, so that whoever comes again with the last id they
 * saw misses nothing and gets nothing twice; frames between them, without an id, since they are never repeated.
 */
import type { Frame, LogEvent } from '@holdpoint/core'
import type { DecodedSse } from './sse-decoder.ts'
import { encodeSse } from './sse.ts'

export type StreamMessage =
  | { readonly kind: 'event'; readonly event: LogEvent }
  | { readonly kind: 'frame'; readonly frame: Frame }
  /** The reader knows of events that this log does not have: it forgets what it has, and everything comes anew. */
  | { readonly kind: 'reset'; readonly why: string }
  /** On the stream of changes alone: look again. */
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

/** Undefined for what is none of ours: a newer gateway may say more. Throws when the data is not JSON. */
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
