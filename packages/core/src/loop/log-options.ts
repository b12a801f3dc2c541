/** What a log is given, and what it answers. */
import type { EventBody } from '../log/log-event.ts'
import type { Address } from '../log/store.ts'
import type { Call } from '../turn/turn-state.ts'
import type { Draft } from './draft.ts'

export interface Decided {
  readonly events?: readonly EventBody[]
  /** Calls of earlier turns that the events are about, as they were found: the state forgot them. */
  readonly recalled?: readonly Call[]
}

/** The caller's key was used before, by the write that ended at this seq. */
export interface Repeated {
  readonly repeated: number
}

export type Written = 'ok' | 'conflict' | 'fenced' | Repeated

/** Has a draft written, and may add to it before. */
export type Through = (draft: Draft, write: () => Promise<Written>) => Promise<Written>

export interface LogOptions {
  /** The node that drives what this log makes runnable. */
  readonly node?: string
  /** How long an outsider waits for a store that does not answer. */
  readonly patienceMs?: number
  /** Hears, now and then, of a driver that cannot write what happened, and goes on trying. */
  readonly stuck?: (error: unknown, address: Address) => void
  /** Keeps every event in memory: a session is its log. */
  readonly whole?: boolean
}
