/**
 * Brings a conversation as far as it can go without anybody from outside: the driver goes on, and this waits for it, and
 * for whoever has something new for it.
 */
import type { Driver } from './driver.ts'

export interface Drive {
  /**
   * Resolves at rest, or when only people, clients and services outside can go on: with the seq it saw last. `left`:
   * there is more to do, but not for this driver, since another process drives or it was told to stop.
   */
  readonly done: Promise<number | 'left'>
  /**
   * Something was appended by somebody else: look again. False when it is over, and somebody has to drive anew.
   * Whoever does not want one step only lifts that for all.
   */
  wake(oneStep?: boolean): boolean
  /** Finishes what is under way, begins nothing new, and leaves the rest to another process or another day. */
  drain(): void
  /** Stops at once and leaves everything as it is. */
  abandon(): void
}

export function drive(driver: Driver): Drive {
  let over = false
  driver.begin()
  const done = (async () => {
    try {
      for (;;) {
        const waiting = Promise.withResolvers<void>()
        let woken = false
        // Not where it is assigned: V8 would keep it, and the conversation, until old garbage is collected.
        const wake = (): void => {
          if (woken) return
          woken = true
          waiting.resolve()
        }
        driver.wake = wake
        const now = await driver.goOn()
        if (now === 'left') return now
        if (now === 'busy') await waiting.promise
        else if (!woken) return now
      }
    } catch (error) {
      // Whoever told it to stop knows that something may be left unwritten.
      if (driver.stopped) return 'left'
      throw error
    } finally {
      over = true
      driver.abandon()
    }
  })()
  return {
    done,
    wake: (oneStep = true) => {
      if (!oneStep) driver.oneStep = false
      if (!over) driver.wake()
      return !over
    },
    drain: () => {
      driver.draining = true
      driver.wake()
    },
    abandon: () => {
      driver.abandon()
      driver.wake()
    },
  }
}
