/** Waits that can be cut short. */

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
    // Longer than this, a timer would fire at once.
    const timer = setTimeout(() => end(resolve), Math.min(ms, 2_000_000_000))
    signal?.addEventListener('abort', abort, { once: true })
    void early?.then(() => end(resolve))
  })
}

/** Twice as long after every failure, up to a limit, and never the same for two who failed together. */
export function backoffMs(failures: number, { base, most }: { readonly base: number; readonly most: number }): number {
  return Math.min(most, base * 2 ** Math.min(failures, 16)) * (0.5 + Math.random() / 2)
}
