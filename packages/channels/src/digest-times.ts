/** The times of the day at which a person reads the holds that came since the time before, in one message. */
import { HoldpointError } from 'holdpoint'
import { checkTimeZone, isTimeOfDay, MINUTE_MS, minuteOfDay, minutesOf } from './time-of-day.ts'

export interface DigestTimes {
  /** `["09:00", "16:00"]` */
  readonly at: readonly string[]
  /** `Europe/Berlin` */
  readonly timeZone: string
}

const MOST_TIMES = 24

/** Throws for times that cannot be read. */
export function checkDigestTimes({ at, timeZone }: DigestTimes): void {
  if (at.length === 0 || at.length > MOST_TIMES || !at.every(isTimeOfDay))
    throw new HoldpointError('config-invalid', `A digest has 1 to ${MOST_TIMES} times of the day, such as "09:00".`)
  checkTimeZone(timeZone)
}

/** The next time after `now`. */
export function nextDigest({ at, timeZone }: DigestTimes, now: number): number {
  const times = new Set(at.map(minutesOf))
  let next = Math.floor(now / MINUTE_MS) * MINUTE_MS + MINUTE_MS
  // A time that a change of the clock leaves out on one day comes on the next one.
  for (let minutes = 0; minutes <= 50 * 60 && !times.has(minuteOfDay(next, timeZone)); minutes++) next += MINUTE_MS
  return next
}
