/** The options of a log, and its results. */
import type { HoldpointError } from '@holdpoint/core/internal/failure'
import type { EventBody, LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { Address } from '@holdpoint/core/internal/log/store'
import type { Call } from '@holdpoint/core/internal/turn/turn-state'

export interface Decided {
  readonly events?: readonly EventBody[]
  /** Calls of earlier turns that the events are about. The state no longer has them. */
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
  /** The store does not let this process drive the log. */
  fenced(): void
  /** The store lost events of the log. The state was read again, and `error` says what is gone. */
  rolledBack(error: HoldpointError): void
}

export interface LogOptions {
  /** The name of this process as an owner of logs. Left out: there is only one process. */
  readonly node?: string
  /** How long a caller waits for a store that does not answer. */
  readonly patienceMs?: number
  /** Called after the store lost acknowledged events of the log. */
  readonly rolledBack?: (error: unknown, address: Address) => void
  /** Called from time to time while a driver cannot write and keeps trying. */
  readonly stuck?: (error: unknown, address: Address) => void
}

export interface ConversationLogOptions extends LogOptions {
  /** Keeps every event in memory: a session is its log. */
  readonly whole?: boolean
}
