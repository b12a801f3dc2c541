/** How work that needs a connection of its own is begun again and again while the server is away, and how that is told. */

/** While a server is away for long, attempts are this far apart. So work goes on within 5 s of its return. */
const LONGEST_MS = 2000
const FIRST_MS = 100
const TELL_EVERY_MS = 60_000

export interface Reconnect {
  /** Returns how long to wait before the next attempt. Warns when the failures begin, and every minute while they last. */
  failed(message: string, cause?: unknown): number
  worked(): void
}

export function openReconnect(
  onWarning: (message: string, cause?: unknown) => void,
  monotonic: () => number = () => performance.now(),
): Reconnect {
  let failures = 0
  let toldAt = -Infinity
  return {
    failed: (message, cause) => {
      const now = monotonic()
      if (now - toldAt >= TELL_EVERY_MS) {
        toldAt = now
        onWarning(message, cause)
      }
      return Math.min(LONGEST_MS, FIRST_MS * 2 ** failures++)
    },
    worked: () => {
      failures = 0
      toldAt = -Infinity
    },
  }
}
