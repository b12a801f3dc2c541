/**
 * Collects items for a short time and processes them together, one batch at a time. An error of a batch is reported and its
 * items are dropped, so use it only for items that a later poll finds again.
 */
export interface Batcher<T> {
  add(key: string, item: T): void
  /** Resolves when all items so far have been processed. */
  flush(): Promise<void>
}

export function createBatcher<T>(
  windowMs: number,
  process: (items: readonly T[]) => Promise<void>,
  onError: (error: unknown) => void,
): Batcher<T> {
  let items = new Map<string, T>()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    running = running.then(async () => {
      if (items.size === 0) return
      const batch = [...items.values()]
      items = new Map()
      try {
        await process(batch)
      } catch (error) {
        onError(error)
      }
    })
    return running
  }
  return {
    // A newer item replaces an older one with the same key.
    add: (key, item) => {
      items.set(key, item)
      timer ??= setTimeout(() => void flush(), windowMs)
    },
    flush,
  }
}
