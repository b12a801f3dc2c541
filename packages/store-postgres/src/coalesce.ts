/**
 * Gathers what comes in a short while and hands it over together, one hand-over at a time. What a hand-over throws is
 * told and forgotten: only things go through here that somebody finds again by asking.
 */
export interface Gatherer<T> {
  add(key: string, item: T): void
  /** Everything that was added has been handed over. */
  flush(): Promise<void>
}

export function gather<T>(
  windowMs: number,
  handOver: (items: readonly T[]) => Promise<void>,
  failed: (error: unknown) => void,
): Gatherer<T> {
  let items = new Map<string, T>()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    running = running.then(async () => {
      if (items.size === 0) return
      const together = [...items.values()]
      items = new Map()
      try {
        await handOver(together)
      } catch (error) {
        failed(error)
      }
    })
    return running
  }
  return {
    // The newest item under a key stands for all before it.
    add: (key, item) => {
      items.set(key, item)
      timer ??= setTimeout(() => void flush(), windowMs)
    },
    flush,
  }
}
