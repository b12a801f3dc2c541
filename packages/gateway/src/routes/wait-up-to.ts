/**
 * Waits up to `seconds`, or until the gateway closes. Returns undefined when the work takes longer; the work continues.
 */
export async function waitUpTo<T>(seconds: number, closing: AbortSignal, work: Promise<T>): Promise<T | undefined> {
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
    // A later failure has no reader any more. Its outcome is in the log.
    work.catch(() => {})
  }
}
