/** Waits for a lock that another process holds. Blocks the thread, so only threads without an event loop to serve use it. */
import { BUSY, isKind } from './sqlite-error.ts'

const cell = new Int32Array(new SharedArrayBuffer(4))

/** Retries while the file is locked, for up to `waitMs`. A lock is held for one commit, about a millisecond. */
export function untilFree<T>(waitMs: number, attempt: () => T): T {
  const end = performance.now() + waitMs
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isKind(error, BUSY) || performance.now() >= end) throw error
      // Random, so that two waiting processes do not retry in step.
      Atomics.wait(cell, 0, 0, 0.2 + Math.random())
    }
  }
}
