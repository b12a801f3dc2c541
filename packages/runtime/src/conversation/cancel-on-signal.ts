/** Does work, and calls `cancel` if the signal aborts before the work is over. */
import { sinceWritten } from '../drive/background-work.ts'

export async function cancelOnSignal(
  signal: AbortSignal | undefined,
  cancel: () => Promise<void>,
  work: () => Promise<void>,
): Promise<void> {
  const cancelling = signal && cancelOn(signal, cancel)
  try {
    await cancelling?.begun
    await work()
    await cancelling?.over()
  } catch (error) {
    await cancelling?.over().catch(() => {})
    throw sinceWritten(error)
  }
}

interface Cancelling {
  /** Set when the signal was aborted from the start: resolves when the cancellation is done. */
  readonly begun: Promise<void> | undefined
  /** Rejects when the cancellation failed. */
  over(): Promise<void>
}

function cancelOn(signal: AbortSignal, cancel: () => Promise<void>): Cancelling {
  let cancelling: Promise<void> | undefined
  const abort = (): void => {
    cancelling = cancel()
    cancelling.catch(() => {}) // `over` rejects with the error
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
