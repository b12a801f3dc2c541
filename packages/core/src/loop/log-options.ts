/** What a log is given, and what it returns. */
import type { EventBody, LogEvent } from '../log/log-event.ts'
import type { Address } from '../log/store.ts'
import type { Call } from '../turn/turn-state.ts'

export interface Decided {
  readonly events?: readonly EventBody[]
  /** Calls of earlier turns that the events are about, as they were found: the state forgot them. */
  readonly recalled?: readonly Call[]
}

/** The caller's key was used before, by the append that ended at this seq. */
export interface Repeated {
  readonly repeated: number
}

export type Written = 'ok' | 'conflict' | 'fenced' | Repeated

export interface LogListener {
  /** Called for each event of any writer. */
  appended(event: LogEvent): void
  /** Called once with each append of this process, as soon as it is known to be written. */
  wrote(events: readonly LogEvent[]): void
  /** Another writer appended, or another process may own the log now. */
  othersWrote(): void
}

export interface LogOptions {
  /** The node that drives the work which appends of this log lead to. Left out: there is one process. */
  readonly node?: string
  /** How long an outsider waits for a store that does not answer. */
  readonly patienceMs?: number
  /** Told now and then of a driver that cannot write and keeps trying. */
  readonly stuck?: (error: unknown, address: Address) => void
}

export interface ConversationLogOptions extends LogOptions {
  /** Keeps every event in memory: a session is its log. */
  readonly whole?: boolean
}
