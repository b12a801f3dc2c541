import { HoldpointError } from '@holdpoint/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { milliseconds, type Duration } from '../src/duration.ts'

test.each<[Duration, number]>([
  [250, 250],
  ['250ms', 250],
  ['1 millisecond', 1],
  ['30 seconds', 30_000],
  ['30s', 30_000],
  ['1 sec', 1000],
  ['15m', 900_000],
  ['1 minute', 60_000],
  ['2 mins', 120_000],
  ['1.5 hours', 5_400_000],
  ['2 days', 172_800_000],
  ['1d', 86_400_000],
  ['3 Weeks', 1_814_400_000],
  ['  5   minutes ', 300_000],
])('%j is %i milliseconds', (duration, ms) => {
  expect(milliseconds(duration)).toBe(ms)
})

test.each<[shown: string, wrong: unknown]>([
  ['""', ''],
  ['"soon"', 'soon'],
  ['"5"', '5'],
  ['"5 fortnights"', '5 fortnights'],
  ['"-5 minutes"', '-5 minutes'],
  ['"1 hour 30 minutes"', '1 hour 30 minutes'],
  ['"0 seconds"', '0 seconds'],
  ['0', 0],
  ['-1', -1],
  ['NaN', Number.NaN],
  ['Infinity', Infinity],
  ['null', null],
  ['{"days":2}', { days: 2 }],
  ['true', true],
  ['2', 2n],
])('%s is refused with what to write instead', (shown, wrong) => {
  const words = `${shown} is not a duration. Use milliseconds above 0, or words like '30 seconds' or '2 days'.`
  expect(() => milliseconds(wrong as Duration)).toThrow(new HoldpointError('config-invalid', words))
})

test('is finite and above zero for any text it takes', () => {
  let taken = 0
  const words = fc
    .tuple(
      fc.double({ min: 0.1, max: 1e6, noNaN: true }),
      fc.constantFrom('ms', 's', ' minutes', ' hour', 'D', 'w', 'y', ''),
    )
    .map(([n, unit]) => `${n}${unit}`)
  fc.assert(
    fc.property(fc.oneof(words, fc.string()), (text) => {
      try {
        const ms = milliseconds(text)
        taken++
        expect(ms > 0 && Number.isFinite(ms)).toBe(true)
      } catch (error) {
        expect(HoldpointError.is(error)).toBe(true)
      }
    }),
  )
  expect(taken).toBeGreaterThan(0)
})
