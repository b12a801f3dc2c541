import { HoldpointError } from './failure.ts'
import { describeValue } from './json.ts'

/** Milliseconds, or words: `'30 seconds'`, `'2 days'`, `'15m'`. */
export type Duration = number | string

const SECOND = 1000
const UNITS: ReadonlyArray<readonly [RegExp, number]> = [
  [/^(ms|milliseconds?)$/, 1],
  [/^(s|secs?|seconds?)$/, SECOND],
  [/^(m|mins?|minutes?)$/, 60 * SECOND],
  [/^(h|hours?)$/, 3600 * SECOND],
  [/^(d|days?)$/, 86_400 * SECOND],
  [/^(w|weeks?)$/, 7 * 86_400 * SECOND],
]

export function milliseconds(duration: Duration): number {
  if (!isDuration(duration)) {
    throw new HoldpointError(
      'config-invalid',
      `${describeValue(duration)} is not a duration. Use milliseconds above 0, or words like '30 seconds' or '2 days'.`,
    )
  }
  return typeof duration === 'number' ? duration : parse(duration)
}

export function isDuration(value: unknown): value is Duration {
  if (typeof value !== 'number' && typeof value !== 'string') return false
  const ms = typeof value === 'number' ? value : parse(value)
  return Number.isFinite(ms) && ms > 0
}

function parse(words: string): number {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/i.exec(words)
  const unit = match && UNITS.find(([name]) => name.test(match[2]!.toLowerCase()))
  return match && unit ? Number(match[1]) * unit[1] : Number.NaN
}
