/**
 * The events of one append as a store keeps them: one row, since they were written together and are read together.
 * A row stands at the seq of its last event.
 */
import { HoldpointError } from '../failure.ts'
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
  const bodies = read(seq, events)
  return bodies.map((body, index): LogEvent => ({ ...body, seq: seq - bodies.length + index + 1, at }))
}

/** What is no list of events was damaged in the store: that is this conversation's trouble, not the store's. */
function read(seq: number, events: string): readonly EventBody[] {
  try {
    const bodies: unknown = JSON.parse(events)
    if (Array.isArray(bodies)) return bodies as EventBody[]
  } catch {
    // Said below.
  }
  throw new HoldpointError('history-impossible', `The events up to ${seq} cannot be read. Restore the log.`)
}
