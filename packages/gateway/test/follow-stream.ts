/** Reads a stream like a client. */
import { decodeStream, SseDecoder, type StreamMessage } from '@holdpoint/protocol'
import type { Kit, Tenant } from './kit.ts'

export interface FollowedStream {
  readonly response: Response
  readonly decoder: SseDecoder
  /** The next message; undefined at the end. Throws when the stream was cut off. */
  next(): Promise<StreamMessage | undefined>
  /** All messages up to and including the first match. */
  until(matches: (message: StreamMessage) => boolean): Promise<StreamMessage[]>
  /** The rest of the stream as text. */
  rest(): Promise<string>
  close(): Promise<void>
}

export interface FollowOptions {
  readonly after?: string
  readonly tenant?: Tenant
  readonly as?: 'reader' | 'admin'
  readonly of?: 'conversations' | 'spaces'
  /** Used instead of the key. */
  readonly token?: string
  readonly query?: string
}

export async function followStream(
  { api, key }: Kit,
  id: string,
  { after, tenant = 'acme', as = 'reader', of = 'conversations', token, query = '' }: FollowOptions = {},
): Promise<FollowedStream> {
  const response = await api.fetch(
    new Request(`http://localhost/api/${of}/${encodeURIComponent(id)}/events${query}`, {
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${token ?? key(tenant, as)}`,
        ...(after !== undefined && { 'last-event-id': after }),
      },
    }),
  )
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const text = new TextDecoder()
  const decoder = new SseDecoder()
  const waiting: StreamMessage[] = []
  const next = async (): Promise<StreamMessage | undefined> => {
    for (;;) {
      const first = waiting.shift()
      if (first) return first
      const { done, value } = await reader.read()
      if (done) return undefined
      for (const message of decoder.push(text.decode(value, { stream: true }))) {
        const read = decodeStream(message)
        if (read) waiting.push(read)
      }
    }
  }
  return {
    response,
    decoder,
    next,
    until: async (matches) => {
      const seen: StreamMessage[] = []
      for (;;) {
        const message = await next()
        if (!message) throw new Error(`The stream ended after ${JSON.stringify(seen)}`)
        seen.push(message)
        if (matches(message)) return seen
      }
    },
    rest: async () => {
      let all = ''
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return all
        all += text.decode(value, { stream: true })
      }
    },
    close: () => reader.cancel(),
  }
}

export function isEvent(type: string): (message: StreamMessage) => boolean {
  return (message) => message.kind === 'event' && message.event.type === type
}

export function isFrame(type: string): (message: StreamMessage) => boolean {
  return (message) => message.kind === 'frame' && message.frame.type === type
}

export function seqsOf(messages: readonly StreamMessage[]): number[] {
  return messages.flatMap((message) => (message.kind === 'event' ? [message.event.seq] : []))
}
