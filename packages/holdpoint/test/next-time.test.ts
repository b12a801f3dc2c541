/** When a cron line is due next, where clocks are changed and where the line is invalid. */
import { nodePorts } from 'holdpoint'
import { expect, test } from 'vitest'

const next = (line: string, zone: string, after: string): string | undefined => {
  const time = nodePorts.nextTime?.(line, zone, Date.parse(after))
  return time === undefined ? undefined : new Date(time).toISOString()
}

test('nine in the morning is nine in the morning, before and after clocks are changed', () => {
  expect(next('0 9 * * *', 'Europe/Berlin', '2030-03-29T12:00:00Z')).toBe('2030-03-30T08:00:00.000Z')
  expect(next('0 9 * * *', 'Europe/Berlin', '2030-03-30T12:00:00Z')).toBe('2030-03-31T07:00:00.000Z')
  expect(next('0 9 * * *', 'Europe/Berlin', '2030-10-26T12:00:00Z')).toBe('2030-10-27T08:00:00.000Z')
  expect(next('0 9 * * *', 'UTC', '2030-03-30T12:00:00Z')).toBe('2030-03-31T09:00:00.000Z')
})

test('a time that clocks pass over is still due that day, and one that they pass twice is due once', () => {
  const spring = next('30 2 * * *', 'Europe/Berlin', '2030-03-30T12:00:00Z')
  expect(spring).toMatch(/^2030-03-31T01:/)
  const first = next('30 2 * * *', 'Europe/Berlin', '2030-10-26T12:00:00Z')
  expect(first).toMatch(/^2030-10-27T0[01]:30/)
  expect(next('30 2 * * *', 'Europe/Berlin', first ?? '')).toMatch(/^2030-10-28/)
})

test('a line or a zone that is none is said so, and one that names no time to come has none', () => {
  expect(() => next('often', 'UTC', '2030-01-01T00:00:00Z')).toThrow('cannot be used')
  expect(() => next('0 9 * * *', 'Mars', '2030-01-01T00:00:00Z')).toThrow('cannot be used')
  expect(next('0 0 30 2 *', 'UTC', '2030-01-01T00:00:00Z')).toBeUndefined()
})

test.each([
  ['forward', '2030-03-31T00:00:00Z', '2030-03-31T04:00:00Z'],
  ['back', '2030-10-27T00:00:00Z', '2030-10-27T04:00:00Z'],
])('every ten minutes is every ten minutes while clocks are set %s', (_way, from, until) => {
  const found: number[] = []
  for (let at = Date.parse(from); ;) {
    at = nodePorts.nextTime?.('*/10 * * * *', 'Europe/Paris', at) ?? Infinity
    if (at >= Date.parse(until)) break
    found.push(at)
  }
  expect(found).toHaveLength(23)
  for (const [index, at] of found.entries()) if (index > 0) expect(at - found[index - 1]!).toBe(600_000)
})
