/** A clock that a test moves, and deterministic ports made from it. */
import type { Ports } from '@holdpoint/core'

export interface ManualClock {
  now(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Advances time and runs the due timers, earliest first. The work of each finishes before the next runs. */
  advance(ms: number): Promise<void>
  /** The number of pending timers. */
  readonly sleeping: number
}

export function manualClock(start: number = Date.UTC(2030, 0, 1)): ManualClock {
  let now = start
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  return {
    now: () => now,
    get sleeping() {
      return sleepers.size
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const sleeper = {
          at: now + ms,
          wake: (): void => {
            sleepers.delete(sleeper)
            signal.removeEventListener('abort', sleeper.wake)
            resolve()
          },
        }
        sleepers.add(sleeper)
        signal.addEventListener('abort', sleeper.wake, { once: true })
      }),
    advance: async (ms) => {
      const until = now + ms
      for (;;) {
        const due = [...sleepers].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0]
        if (!due) break
        now = Math.max(now, due.at)
        due.wake()
        await settled()
      }
      now = until
      await settled()
    },
  }
}

/** Ports for tests: manual time, a seeded generator, and ids that count (`id-1`, …); a prefix tells two processes apart. */
export function testPorts(
  options: { readonly clock?: ManualClock; readonly seed?: number; readonly prefix?: string } = {},
): Ports & { readonly clock: ManualClock } {
  const clock = options.clock ?? manualClock()
  let ids = 0
  let seed = options.seed ?? 1
  return {
    clock,
    now: clock.now,
    monotonic: clock.now,
    sleep: clock.sleep,
    id: () => `${options.prefix ?? 'id'}-${++ids}`,
    random: () => {
      // mulberry32: small, seeded, random enough for tests
      seed = (seed + 0x6d2b79f5) | 0
      let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
      return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
    },
  }
}

/** Resolves when all work is done that does not wait for a timer. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
