/** Hours of the day in which a person gets no new message. */
import { HoldpointError } from 'holdpoint'
import { checkTimeZone, isTimeOfDay, MINUTE_MS, minuteOfDay, minutesOf } from './time-of-day.ts'

export interface QuietHours {
  /** `22:00` */
  readonly from: string
  /** `07:00`; earlier than `from` means the next morning. */
  readonly to: string
  /** `Europe/Berlin` */
  readonly timeZone: string
}

/** Throws for hours that cannot be read. */
export function checkQuietHours({ from, to, timeZone }: QuietHours): void {
  if (!isTimeOfDay(from) || !isTimeOfDay(to) || from === to)
    throw new HoldpointError(
      'config-invalid',
      'Quiet hours are two different times of the day: from "22:00" to "07:00".',
    )
  checkTimeZone(timeZone)
}

/** When the quiet hours around `now` end; undefined outside of them. */
export function quietUntil(quiet: QuietHours | undefined, now: number): number | undefined {
  if (!quiet) return undefined
  const end = (at: number): boolean => isQuiet(quiet, at)
  if (!end(now)) return undefined
  // Minute by minute, so that a change of the clock on that night is counted.
  let at = Math.floor(now / MINUTE_MS) * MINUTE_MS
  for (let minutes = 0; minutes <= 25 * 60 && end(at); minutes++) at += MINUTE_MS
  return at
}

function isQuiet({ from, to, timeZone }: QuietHours, now: number): boolean {
  const [start, end, minute] = [minutesOf(from), minutesOf(to), minuteOfDay(now, timeZone)]
  return start < end ? minute >= start && minute < end : minute >= start || minute < end
}
