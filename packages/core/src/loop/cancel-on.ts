/** Cancels when a signal says so, and not any more once the work is over; what went wrong with it is told then. */
export async function cancelOn(signal: AbortSignal, cancel: () => Promise<void>): Promise<{ over(): Promise<void> }> {
  let cancelling: Promise<void> | undefined
  const abort = (): void => {
    cancelling = cancel()
    cancelling.catch(() => {}) // `over` tells
  }
  if (signal.aborted) await cancel()
  else signal.addEventListener('abort', abort, { once: true })
  return {
    over: async () => {
      signal.removeEventListener('abort', abort)
      await cancelling
    },
  }
}
