import { expect, test } from 'vitest'
import { Rest } from '../src/rest.ts'

test('who waited in vain stays awake again after a while, twice as long each time', () => {
  const rest = new Rest()
  rest.begin(10)
  expect([10.9, 11].map((now) => rest.isOver(now))).toEqual([false, true])
  rest.cameSoon()
  rest.begin(20)
  expect([21.9, 22].map((now) => rest.isOver(now))).toEqual([false, true])
  rest.shorten()
  rest.begin(30)
  expect([31.9, 32].map((now) => rest.isOver(now))).toEqual([false, true])
})

test('who waited in vain twice in a row does not stay awake until a message is seen to come soon', () => {
  const rest = new Rest()
  rest.begin(10)
  rest.begin(20)
  expect(rest.isOver(1_000_000)).toBe(false)
  rest.cameSoon()
  expect(rest.isOver(1_000_000)).toBe(true)
})

test('a rest is never longer than a moment', () => {
  const rest = new Rest()
  for (let times = 0; times < 10; times++) rest.begin(100)
  rest.cameSoon()
  expect([163.9, 164].map((now) => rest.isOver(now))).toEqual([false, true])
})
