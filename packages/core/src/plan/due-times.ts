/**
 * When a cron line is due. With `planEveryMs` its times are moved to the next full minute, so that the plans of an agent are
 * due together and wake it once: otherwise sixty plans, each of another second, would wake it every second.
 */
import type { NextTime, Ports } from '../ports.ts'

const MINUTE = 60_000

export function dueTimes({ nextTime, planEveryMs = 0 }: Pick<Ports, 'nextTime' | 'planEveryMs'>): NextTime | undefined {
  const grid = Math.min(planEveryMs, MINUTE)
  if (!nextTime || grid <= 0) return nextTime
  return (line, timeZone, after) => {
    const time = nextTime(line, timeZone, after)
    return time === undefined ? undefined : Math.ceil(time / grid) * grid
  }
}
