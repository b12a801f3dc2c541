/** Follows the events of a conversation or a space after a seq, each once and in order, across lost connections. */
import type { StreamMessage } from '@holdpoint/protocol'
import type { Http } from './http.ts'
import { openStream } from './open-stream.ts'
import { resuming } from './resuming.ts'

export interface FollowOptions {
  readonly after?: number
  readonly signal?: AbortSignal
  /** Called with the reason when the connection was lost. */
  readonly onBreak?: (error: Error) => void
}

export async function* follow(
  http: Http,
  path: string,
  { after = 0, signal: given, onBreak }: FollowOptions = {},
): AsyncGenerator<StreamMessage, void, undefined> {
  const left = new AbortController()
  const signal = given ? AbortSignal.any([given, left.signal]) : left.signal
  let seq = after
  try {
    const onWait = (error: Error | undefined): void => (error ? onBreak?.(error) : undefined)
    for await (const { messages } of resuming(() => openStream(http, { path, after: seq, signal }), {
      signal,
      onWait,
    })) {
      for (const message of messages) {
        if (message.kind === 'event') seq = message.event.seq
        if (message.kind === 'reset') seq = 0
        yield message
      }
    }
  } finally {
    left.abort()
  }
}
