import type { Store } from '@holdpoint/core'

/** The shortest wait, so that many writes cause one read. */
const MIN_WAIT_MS = 50

/** Resolves after a write in this tenant, after `ms`, or when the signal aborts. */
export function waitForChange(store: Store, tenant: string, ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const least = performance.now() + MIN_WAIT_MS
    let soon: ReturnType<typeof setTimeout> | undefined
    const done = (): void => {
      clearTimeout(timer)
      clearTimeout(soon)
      unlisten()
      over.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    const unlisten = store.listen((what) => {
      if (what.tenant === tenant) soon ??= setTimeout(done, Math.max(0, least - performance.now()))
    })
    over.addEventListener('abort', done, { once: true })
    if (over.aborted) done()
  })
}
