/** Waiting for a lock that another process has, in a thread that has nothing else to do meanwhile. */
import { BUSY, isKind } from './sqlite-error.ts'

const cell = new Int32Array(new SharedArrayBuffer(4))

/** Tries until nobody is in the way, or gives the error up after `waitMs`. Locks are held for a commit: about a millisecond. */
export function untilFree<T>(waitMs: number, attempt: () => T): T {
  const end = performance.now() + waitMs
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isKind(error, BUSY) || performance.now() >= end) throw error
      // Uneven, so that two who wait for each other do not stay in step.
      Atomics.wait(cell, 0, 0, 0.2 + Math.random())
    }
  }
}
