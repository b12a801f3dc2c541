/**
 * A plan of an autonomous agent: a time, or a cron line, at which it wakes. The next due time is in the log, so a plan fires
 * once for each due time, although every process looks for due plans.
 */
import { HoldpointError } from '../failure.ts'
import type { Author } from '../log/message.ts'

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

export function noCron(): HoldpointError {
  return new HoldpointError(
    'config-invalid',
    'Nothing here knows cron lines. Open the runtime with holdpoint(), or give ports that have "nextTime".',
  )
}
