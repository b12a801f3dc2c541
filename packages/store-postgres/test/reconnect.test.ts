import { expect, test } from 'vitest'
import { openReconnect } from '../src/reconnect.ts'

test('while a server is away, attempts are at most 2 s apart, and an outage of an hour is told of once a minute', () => {
  const told: [at: number, message: string][] = []
  let now = 0
  const reconnect = openReconnect(
    (message) => told.push([now, message]),
    () => now,
  )
  const outage = (ms: number): number[] => {
    const pauses: number[] = []
    for (const until = now + ms; now < until; now += pauses.at(-1)!) pauses.push(reconnect.failed('The line broke.'))
    return pauses
  }
  const pauses = outage(3_600_000)
  expect(pauses.slice(0, 4)).toEqual([100, 200, 400, 800])
  expect(Math.max(...pauses)).toBe(2000)
  expect(told.length).toBeGreaterThanOrEqual(58)
  expect(told.length).toBeLessThanOrEqual(61)

  reconnect.worked()
  const before = told.length
  expect(outage(1000)[0]).toBe(100)
  expect(told.length).toBe(before + 1)
})
