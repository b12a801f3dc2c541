import { expect, test } from 'vitest'
import { exactSpan, ticksOf } from '../src/timeline/ticks.ts'

test('a scale has round times, a limited number of ticks, and no label twice', () => {
  expect(ticksOf(2400, 7).map(({ label }) => label)).toEqual(['0', '500 ms', '1000 ms', '1500 ms', '2000 ms'])
  expect(ticksOf(170_000_000, 7).map(({ label }) => label)).toEqual(['0', '12 h', '24 h', '36 h'])
  for (const span of [1, 37, 999, 61_000, 3_700_000, 90_000_000, 4e9, 1e12]) {
    const ticks = ticksOf(span, 7)
    expect(ticks.length).toBeLessThanOrEqual(8)
    expect(new Set(ticks.map(({ label }) => label)).size).toBe(ticks.length)
    expect(ticks.every(({ at }) => at <= span)).toBe(true)
  }
})

test('times close together have different labels', () => {
  expect([3, 1180, 12_340, 61_000].map(exactSpan)).toEqual(['3 ms', '1.18 s', '12.3 s', '1 min 1 s'])
})
