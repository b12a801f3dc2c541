/** A cancellation that comes when a signal says so, and no more once the work is over. */
export interface Cancelling {
  /** Where the signal said so before: resolves when it is done. */
  readonly begun: Promise<void> | undefined
  /** Fails as the cancellation did. */
  over(): Promise<void>
}

export function cancelOn(signal: AbortSignal, cancel: () => Promise<void>): Cancelling {
  let cancelling: Promise<void> | undefined
  const abort = (): void => {
    cancelling = cancel()
    cancelling.catch(() => {}) // `over` tells
  }
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return {
    begun: cancelling,
    over: async () => {
      signal.removeEventListener('abort', abort)
      await cancelling
    },
  }
}
