/**
 * Comes again after every break, by itself. It waits as long as the gateway asks, longer after every try that brought
 * nothing, and never as long as somebody who failed at the same moment.
 */
import { HoldpointHttpError } from './http-error.ts'
import type { Heard } from './open-sse.ts'
import { passes } from './passing.ts'
import { backoffMs, wait } from './wait.ts'

export interface Resuming {
  readonly signal: AbortSignal
  /** Told before a wait. `error` is why; none when the gateway ended the stream in good order. */
  readonly onWait?: (error: Error | undefined, ms: number) => void
  /** Handed what ends a wait before its time. */
  readonly early?: (now: () => void) => void
  readonly passes?: (error: unknown) => boolean
}

const MOST_MS = 30_000
const LEAST_MS = 250
/** A connection that lasted so long was a good one, even if nothing was said on it. */
const LASTED_MS = 5000

export async function* resuming<T>(once: () => AsyncGenerator<Heard<T>>, options: Resuming): AsyncGenerator<Heard<T>> {
  const { signal, onWait, early, passes: comesAgain = passes } = options
  let retryMs = 1000
  let failures = 0
  while (!signal.aborted) {
    const began = Date.now()
    let good = false
    let problem: Error | undefined
    try {
      for await (const heard of once()) {
        good ||= heard.messages.length > 0
        retryMs = heard.retryMs ?? retryMs
        yield heard
      }
    } catch (error) {
      if (signal.aborted) return
      if (!comesAgain(error)) throw error
      problem = error as Error
    }
    failures = good || Date.now() - began > LASTED_MS ? 0 : failures + 1
    const asked = problem instanceof HoldpointHttpError ? (problem.retryAfterMs ?? 0) : 0
    const base = Math.max(retryMs, failures > 0 || problem ? LEAST_MS : 0)
    const ms = Math.max(asked, backoffMs(Math.max(0, failures - 1), { base, most: Math.max(base, MOST_MS) }))
    const over = new AbortController()
    const sooner = new Promise<void>((now) => {
      // Before anybody is told: they may want it at once.
      early?.(now)
      // Browsers say when the network is back. Node has no such thing.
      const host = globalThis as Partial<Pick<EventTarget, 'addEventListener'>>
      host.addEventListener?.('online', () => now(), { signal: over.signal })
    })
    onWait?.(problem, ms)
    await wait(ms, signal, sooner).catch(() => undefined)
    over.abort()
  }
}
