/** Which due times of a plan fire, after a while in which no process may have been running. */
import type { NextTime } from '../ports.ts'
import { noCron, type Cron, type Missed, type Plan } from './plan.ts'

/** Which due times of a plan fire now, and when it is due next. */
export interface TimesToFire {
  /** Empty when all of them are skipped. */
  readonly due: readonly number[]
  /** How many due times were skipped; a lower bound when there were very many. */
  readonly missed: number
  /** Undefined: the plan is over. */
  readonly next: number | undefined
}

/** A due time that is noticed later than this was missed: no process was running. */
const MISSED_AFTER_MS = 60_000
/** A plan for every second must not fire a month of events after a month without a process. */
const MOST_MISSED = 100

export function timesToFire(plan: Plan, now: number, nextTime: NextTime | undefined): TimesToFire {
  const times: number[] = []
  let next: number | undefined = plan.nextAt
  while (next !== undefined && next <= now && times.length < MOST_MISSED) {
    times.push(next)
    next = plan.cron && after(plan.cron, next, nextTime)
  }
  // Due times beyond the limit are skipped under every policy.
  if (plan.cron && next !== undefined && next <= now) next = after(plan.cron, now, nextTime)
  const due = chosen(plan.missed, times, now)
  return { due, missed: times.length - due.length, next }
}

function chosen(missed: Missed, times: readonly number[], now: number): readonly number[] {
  switch (missed) {
    case 'all':
      return times
    case 'once':
      return times.slice(-1)
    case 'none':
      return times.filter((time) => now - time <= MISSED_AFTER_MS).slice(-1)
  }
}

function after({ line, timeZone }: Cron, time: number, nextTime: NextTime | undefined): number | undefined {
  if (!nextTime) throw noCron()
  return nextTime(line, timeZone, time)
}
