/** Times of the day in a time zone. */
import { HoldpointError } from 'holdpoint'

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/
export const MINUTE_MS = 60_000

export function isTimeOfDay(time: string): boolean {
  return TIME.test(time)
}

/** Minutes since midnight. */
export function minutesOf(time: string): number {
  const [, hours, minutes] = TIME.exec(time) ?? []
  return Number(hours) * 60 + Number(minutes)
}

const formats = new Map<string, Intl.DateTimeFormat>()

export function minuteOfDay(now: number, timeZone: string): number {
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    formats.set(timeZone, format)
  }
  return minutesOf(format.format(now))
}

export function checkTimeZone(timeZone: string): void {
  try {
    minuteOfDay(0, timeZone)
  } catch (error) {
    throw new HoldpointError('config-invalid', `"${timeZone}" is not a time zone, such as "Europe/Berlin".`, {
      cause: error,
    })
  }
}
