/** Cron lines across daylight saving: each due time comes once, and none is left out. */
import { nodePorts } from 'holdpoint'
import { expect, test } from 'vitest'

const next = nodePorts.nextTime!

function times(line: string, timeZone: string, from: string, until: string): readonly string[] {
  const found: string[] = []
  const end = Date.parse(until)
  for (let at = next(line, timeZone, Date.parse(from)); at !== undefined && at < end; at = next(line, timeZone, at))
    found.push(new Date(at).toISOString().slice(0, 16))
  return found
}

test('a time of day stays that time of day when clocks are set forward and back', () => {
  expect(times('0 9 * * *', 'Europe/Paris', '2030-03-30T00:00:00Z', '2030-04-02T00:00:00Z')).toEqual([
    '2030-03-30T08:00',
    '2030-03-31T07:00',
    '2030-04-01T07:00',
  ])
  expect(times('0 9 * * *', 'Europe/Paris', '2030-10-26T00:00:00Z', '2030-10-29T00:00:00Z')).toEqual([
    '2030-10-26T07:00',
    '2030-10-27T08:00',
    '2030-10-28T08:00',
  ])
})

test('a time of day that does not exist on the day clocks go forward comes once, at that moment', () => {
  const found = times('30 2 * * *', 'Europe/Paris', '2030-03-30T12:00:00Z', '2030-04-01T12:00:00Z')
  expect(found).toHaveLength(2)
  expect(found[0]).toBe('2030-03-31T01:00')
  expect(found[1]).toBe('2030-04-01T00:30')
})

test('a time of day that comes twice on the day clocks go back is due once', () => {
  const found = times('30 2 * * *', 'Europe/Paris', '2030-10-26T12:00:00Z', '2030-10-28T12:00:00Z')
  expect(found).toHaveLength(2)
  expect(found[0]).toMatch(/^2030-10-27T0[01]:30$/)
  expect(found[1]).toBe('2030-10-28T01:30')
})

test.each([
  ['forward', '2030-03-31T00:00:00Z', '2030-03-31T04:00:00Z'],
  ['back', '2030-10-27T00:00:00Z', '2030-10-27T04:00:00Z'],
])('every ten minutes is every ten minutes while clocks are set %s', (_way, from, until) => {
  const found = times('*/10 * * * *', 'Europe/Paris', from, until).map((time) => Date.parse(`${time}Z`))
  expect(found).toHaveLength(23)
  for (const [index, at] of found.entries()) if (index > 0) expect(at - found[index - 1]!).toBe(600_000)
})

test('a line or a time zone that means nothing is an error that says so', () => {
  expect(() => next('every now and then', 'UTC', 0)).toThrow('The cron line "every now and then" cannot be used')
  expect(() => next('0 9 * * *', 'Europe/Atlantis', 0)).toThrow('cannot be used')
  expect(next('0 0 30 2 *', 'UTC', Date.now())).toBeUndefined()
})
