/** Hours of the day in which a person gets no new message. */
import { HoldpointError } from 'holdpoint'

export interface QuietHours {
  /** `22:00` */
  readonly from: string
  /** `07:00`; earlier than `from` means the next morning. */
  readonly to: string
  /** `Europe/Berlin` */
  readonly timeZone: string
}

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/
const MINUTE = 60_000

/** Throws for hours that cannot be read. */
export function checkQuietHours({ from, to, timeZone }: QuietHours): void {
  if (!TIME.test(from) || !TIME.test(to) || from === to)
    throw new HoldpointError(
      'config-invalid',
      'Quiet hours are two different times of the day: from "22:00" to "07:00".',
    )
  try {
    minuteOfDay(0, timeZone)
  } catch (error) {
    throw new HoldpointError('config-invalid', `"${timeZone}" is not a time zone, such as "Europe/Berlin".`, {
      cause: error,
    })
  }
}

/** When the quiet hours around `now` end; undefined outside of them. */
export function quietUntil(quiet: QuietHours | undefined, now: number): number | undefined {
  if (!quiet) return undefined
  const end = (at: number): boolean => isQuiet(quiet, at)
  if (!end(now)) return undefined
  // Minute by minute, so that a change of the clock on that night is counted.
  let at = Math.floor(now / MINUTE) * MINUTE
  for (let minutes = 0; minutes <= 25 * 60 && end(at); minutes++) at += MINUTE
  return at
}

function isQuiet({ from, to, timeZone }: QuietHours, now: number): boolean {
  const [start, end, minute] = [minutesOf(from), minutesOf(to), minuteOfDay(now, timeZone)]
  return start < end ? minute >= start && minute < end : minute >= start || minute < end
}

function minutesOf(time: string): number {
  const [, hours, minutes] = TIME.exec(time) ?? []
  return Number(hours) * 60 + Number(minutes)
}

const formats = new Map<string, Intl.DateTimeFormat>()

function minuteOfDay(now: number, timeZone: string): number {
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    formats.set(timeZone, format)
  }
  return minutesOf(format.format(now))
}
