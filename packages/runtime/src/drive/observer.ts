/** The port for traces and metrics: it sees what this process writes. */
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { Address } from '@holdpoint/core/internal/log/store'

export interface Observer {
  /** Called after each append of this process to a conversation, once it is durable. Its errors go to `onProblem`. */
  wrote(address: Address, events: readonly LogEvent[]): void
  /** The `traceparent` header for the requests of a run. */
  traceparent?(run: ObservedRun): string | undefined
}

/** One start of a call. */
export interface ObservedRun {
  readonly address: Address
  readonly turnId: string
  readonly callId: string
  readonly attempt: number
  /** The `traceparent` of the request that began the turn. */
  readonly trace?: string
}

/** An observer that throws must not stop the driver. */
export function observe(
  observer: Observer | undefined,
  address: Address,
  events: readonly LogEvent[],
  host: { problem(error: unknown, address: Address): void },
): void {
  try {
    observer?.wrote(address, events)
  } catch (error) {
    host.problem(error, address)
  }
}
