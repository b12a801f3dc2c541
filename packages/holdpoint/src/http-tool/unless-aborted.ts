/** The promise, or the signal's reason as soon as it aborts; `undo` then stops the work whose result is no longer needed. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal, undo?: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      undo?.()
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
    }
    signal.addEventListener('abort', stop, { once: true })
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
    if (signal.aborted) stop()
  })
}
