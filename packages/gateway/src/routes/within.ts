/** What something comes to within so many seconds, and before we close; undefined if it takes longer. It goes on. */
export async function within<T>(seconds: number, closing: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  const over = Promise.withResolvers<undefined>()
  const stop = (): void => over.resolve(undefined)
  const timer = setTimeout(stop, seconds * 1000)
  closing.addEventListener('abort', stop, { once: true })
  if (closing.aborted) stop()
  try {
    return await Promise.race([work, over.promise])
  } finally {
    clearTimeout(timer)
    closing.removeEventListener('abort', stop)
    // Nobody waits for it any more: what it says now is in the log.
    work.catch(() => {})
  }
}
