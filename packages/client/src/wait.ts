/** Timers that can be aborted. */

/** Rejects with the signal's reason when it is aborted; resolves early when `early` does. */
export function wait(ms: number, signal?: AbortSignal, early?: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const end = (done: () => void): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      done()
    }
    const abort = (): void => end(() => reject(signal?.reason))
    // A longer delay overflows, and the timer would fire at once.
    const timer = setTimeout(() => end(resolve), Math.min(ms, 2_000_000_000))
    signal?.addEventListener('abort', abort, { once: true })
    void early?.then(() => end(resolve))
  })
}

/** Exponential backoff with a limit and a random part, so that clients do not retry together. */
export function backoffMs(failures: number, { base, most }: { readonly base: number; readonly most: number }): number {
  return Math.min(most, base * 2 ** Math.min(failures, 16)) * (0.5 + Math.random() / 2)
}
