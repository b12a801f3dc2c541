/**
 * Something an agent wants to be reminded of: once, after a while or at a time, or again and again by a cron line. When
 * it is due next is in the log, so it fires once for each due time, whichever process notices it.
 */
import { HoldpointError } from '../failure.ts'
import type { Author } from '../log/message.ts'
import type { NextTime } from '../ports.ts'

/** What happens to due times that passed while no process was running: one for all of them, each of them, or none. */
export type Missed = 'once' | 'all' | 'none'

export interface Plan {
  readonly id: string
  /** What to do then, in words for the model. */
  readonly what: string
  readonly missed: Missed
  readonly nextAt: number
  /** Absent for one that fires once. */
  readonly cron?: Cron
  /** The authors of what the turn was about that made it. */
  readonly askedBy?: readonly Author[]
}

export interface Cron {
  readonly line: string
  readonly timeZone: string
}

/** What a plan's times come to when it is looked at: which of them fire, and when it is due again. */
export interface Fired {
  /** Empty when they are all passed over. */
  readonly due: readonly number[]
  /** How many due times passed without firing; of very many, at least so many. */
  readonly missed: number
  /** Undefined: it is over. */
  readonly next: number | undefined
}

/** A due time that is noticed later than this was missed: no process was running. */
const MISSED_AFTER_MS = 60_000
/** More are not looked at one by one: a plan for every second must not cost a month of events after a month without a process. */
const MOST_MISSED = 100

export function fire(plan: Plan, now: number, nextTime: NextTime | undefined): Fired {
  const times: number[] = []
  let next: number | undefined = plan.nextAt
  while (next !== undefined && next <= now && times.length < MOST_MISSED) {
    times.push(next)
    next = plan.cron && after(plan.cron, next, nextTime)
  }
  // The others are passed over, whatever the policy.
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

export function noCron(): HoldpointError {
  return new HoldpointError(
    'config-invalid',
    'Nothing here knows cron lines. Open the runtime with holdpoint(), or give ports that have "nextTime".',
  )
}
