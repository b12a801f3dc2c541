/**
 * Reconnects after every lost connection. The delay is at least what the gateway asks for, grows with each failed attempt,
 * and has a random part, so that clients that failed together do not retry together.
 */
import { HoldpointHttpError } from './http-error.ts'
import type { Received } from './open-sse.ts'
import { isTemporary } from './temporary-failure.ts'
import { backoffMs, wait } from './wait.ts'

export interface Resuming {
  readonly signal: AbortSignal
  /** Called before a delay. `error` is missing if the gateway closed the stream normally. */
  readonly onWait?: (error: Error | undefined, ms: number) => void
  /** Called with a function that ends the delay. */
  readonly early?: (now: () => void) => void
  readonly isTemporary?: (error: unknown) => boolean
}

const MOST_MS = 30_000
const LEAST_MS = 250
/** A connection that lasted this long counts as successful, even without a message. */
const LASTED_MS = 5000

export async function* resuming<T>(
  once: () => AsyncGenerator<Received<T>>,
  options: Resuming,
): AsyncGenerator<Received<T>> {
  const { signal, onWait, early, isTemporary: canRetry = isTemporary } = options
  let retryMs = 1000
  let failures = 0
  while (!signal.aborted) {
    const began = Date.now()
    let good = false
    let problem: Error | undefined
    try {
      for await (const received of once()) {
        good ||= received.messages.length > 0
        retryMs = received.retryMs ?? retryMs
        yield received
      }
    } catch (error) {
      if (signal.aborted) return
      if (!canRetry(error)) throw error
      problem = error as Error
    }
    failures = good || Date.now() - began > LASTED_MS ? 0 : failures + 1
    const retryAfterMs = problem instanceof HoldpointHttpError ? (problem.retryAfterMs ?? 0) : 0
    const base = Math.max(retryMs, failures > 0 || problem ? LEAST_MS : 0)
    const ms = Math.max(retryAfterMs, backoffMs(Math.max(0, failures - 1), { base, most: Math.max(base, MOST_MS) }))
    const over = new AbortController()
    const sooner = new Promise<void>((now) => {
      // Before `onWait`, which may call it at once.
      early?.(now)
      // Browsers have an event for a restored network. Node does not.
      const host = globalThis as Partial<Pick<EventTarget, 'addEventListener'>>
      host.addEventListener?.('online', () => now(), { signal: over.signal })
    })
    onWait?.(problem, ms)
    await wait(ms, signal, sooner).catch(() => undefined)
    over.abort()
  }
}
