/**
 * The events of one append as stores keep them: in one row, because they are written and read together. The seq of the row is
 * that of its last event.
 */
import { HoldpointError } from '../failure.ts'
import type { LogEvent, NewEvent } from './log-event.ts'

export interface Batch {
  /** The seq of the last event. */
  readonly seq: number
  readonly at: number
  /** As `encodeBatch` writes them. */
  readonly events: string
  /** See `chain.ts`. */
  readonly hash: string
}

export function encodeBatch(events: readonly NewEvent[]): string {
  return JSON.stringify(events)
}

/** The event as the log has it. */
export function logged(event: NewEvent, seq: number, at: number): LogEvent {
  return { ...event, seq, at: event.at ?? at }
}

export function decodeBatch({ seq, at, events }: Omit<Batch, 'hash'>): LogEvent[] {
  const bodies = read(seq, events)
  return bodies.map((body, index) => logged(body, seq - bodies.length + index + 1, at))
}

/** A damaged row is an error of its conversation only, so that the store stays usable for the others. */
function read(seq: number, events: string): readonly NewEvent[] {
  try {
    const bodies: unknown = JSON.parse(events)
    if (Array.isArray(bodies)) return bodies as NewEvent[]
  } catch {
    // The error is thrown below.
  }
  throw new HoldpointError('log-damaged', `The events up to ${seq} cannot be read. Restore the log, or repair it.`)
}
