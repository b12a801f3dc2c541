import { paths } from '@holdpoint/protocol'
import type { Http, RequestOptions } from './http.ts'

export interface Backlog {
  readonly count: number
  /** There are more than were counted. */
  readonly more: boolean
  readonly oldestAt?: number
}

/** What a gateway process says about itself, at most 10 seconds ago. */
export interface NodeReport {
  readonly id: string
  /** The process that answered. */
  readonly here: boolean
  readonly startedAt: number
  readonly seenAt: number
  /** It drives conversations. */
  readonly drives: boolean
  /** Its lease is valid. */
  readonly leased: boolean
  /** Conversations in its memory. */
  readonly active: number
  readonly streams: number
  readonly eventLoopMs: number
  readonly storeMs: number
  readonly memoryBytes: number
}

export interface SystemHealth {
  readonly at: number
  /** Without `readMs`, the store did not answer. */
  readonly store: { readonly readMs?: number; readonly writeMs?: number }
  readonly nodes: readonly NodeReport[]
  /** Conversations with work or a deadline that no process took up. */
  readonly overdue: Backlog
  readonly nextDeadlineAt?: number
  /** News that no channel, webhook or handler was told yet. */
  readonly outbox: Backlog
  readonly channels: readonly { readonly name: string; readonly waiting: number; readonly retrying: number }[]
  /** Of the process that answered, newest first. */
  readonly problems: readonly { readonly at: number; readonly message: string; readonly code?: string }[]
}

export interface System {
  /** The store, the processes on it, overdue work, the outbox and the channels. For administrators. */
  health(options?: RequestOptions): Promise<SystemHealth>
}

export function systemOf(http: Http): System {
  return { health: (options) => http.get(paths.system(), options) }
}
