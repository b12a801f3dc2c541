/**
 * Where logs live. One write: `append` puts events at the end of a conversation if, and only if, its last seq is the
 * one the writer decided on; otherwise nothing is written and the writer is told, reads on, and decides again.
 */
import type { EventBody, LogEvent } from './log-event.ts'

export interface Store {
  /** All or nothing. `conflict`: somebody else wrote first. */
  append(
    conversationId: string,
    expectedSeq: number,
    events: readonly EventBody[],
    at: number,
  ): Promise<readonly LogEvent[] | 'conflict'>
  /** Events after a seq, in order; empty for a conversation nobody wrote to. */
  read(conversationId: string, afterSeq: number): Promise<readonly LogEvent[]>
}

/** Keeps everything in this process. For tests, and for sessions that are saved as JSON. */
export function memoryStore(initial: Iterable<readonly [string, readonly LogEvent[]]> = []): Store {
  const logs = new Map<string, LogEvent[]>()
  for (const [id, events] of initial) logs.set(id, [...events])
  return {
    append: async (conversationId, expectedSeq, events, at) => {
      const log = logs.get(conversationId) ?? []
      if (log.length !== expectedSeq) return 'conflict'
      const written = events.map((event, index): LogEvent => ({ ...event, seq: expectedSeq + index + 1, at }))
      log.push(...written)
      logs.set(conversationId, log)
      return written
    },
    read: async (conversationId, afterSeq) => logs.get(conversationId)?.slice(afterSeq) ?? [],
  }
}
