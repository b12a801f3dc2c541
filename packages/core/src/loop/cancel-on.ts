/** Work that is cancelled when a signal says so, until it is over. */
import { sinceWritten } from './background-work.ts'

export async function cancelledBy(
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
  /** Where the signal said so before: resolves when it is done. */
  readonly begun: Promise<void> | undefined
  /** Fails as the cancellation did. */
  over(): Promise<void>
}

function cancelOn(signal: AbortSignal, cancel: () => Promise<void>): Cancelling {
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
