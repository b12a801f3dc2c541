/**
 * The events of one append as a store keeps them: one row, since they were written together and are read together.
 * A row stands at the seq of its last event.
 */
import type { EventBody, LogEvent } from './log-event.ts'

export interface Batch {
  /** Of the last event. */
  readonly seq: number
  readonly at: number
  readonly events: string
}

export function encodeBatch(events: readonly EventBody[]): string {
  return JSON.stringify(events)
}

export function decodeBatch({ seq, at, events }: Batch): LogEvent[] {
  const bodies = JSON.parse(events) as EventBody[]
  return bodies.map((body, index): LogEvent => ({ ...body, seq: seq - bodies.length + index + 1, at }))
}
