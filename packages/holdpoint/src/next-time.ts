/** Computes the times of cron lines, in any time zone and across daylight saving time. */
import { Cron } from 'croner'
import { HoldpointError, messageOf, type NextTime } from '@holdpoint/core'

export const nextTime: NextTime = (line, timeZone, after) => {
  try {
    return new Cron(line, { timezone: timeZone, paused: true }).nextRun(new Date(after))?.getTime()
  } catch (error) {
    throw new HoldpointError('config-invalid', `The cron line "${line}" cannot be used: ${messageOf(error)}`, {
      cause: error,
    })
  }
}
