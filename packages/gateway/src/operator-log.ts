import { pino, type DestinationStream } from 'pino'
import type { LogLine } from './gateway-options.ts'

/** The log of the command: one line of JSON for each event, to stderr. */
export function operatorLog(to: DestinationStream = process.stderr): (line: LogLine) => void {
  const logger = pino(
    {
      base: null,
      messageKey: 'message',
      timestamp: () => `,"at":"${new Date().toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
    },
    to,
  )
  return ({ level, message, ...fields }) => logger[level](fields, message)
}
