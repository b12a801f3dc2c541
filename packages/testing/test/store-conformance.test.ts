import { memoryStore } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { manualClock, storeConformance } from '../src/index.ts'

const cases = storeConformance(async () => {
  const clock = manualClock()
  const store = memoryStore({ now: clock.now })
  return { open: async () => store, clock, end: async () => {} }
})

for (const { name, run } of cases) {
  test(`the memory store, ${name}`, () => expect(run()).resolves.toBeUndefined())
}

test('names are told apart', () => {
  const names = cases.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test('a place is ended when its case is over, however that went', async () => {
  const ended: string[] = []
  const [first] = storeConformance(async () => ({
    open: () => Promise.reject(new Error('no way in')),
    clock: manualClock(),
    end: async () => void ended.push('ended'),
  }))
  await expect(first?.run()).rejects.toThrow('no way in')
  expect(ended).toEqual(['ended'])
})

test('handles that a case left open are closed before its place ends', async () => {
  const seen: string[] = []
  const clock = manualClock()
  const store = { ...memoryStore({ now: clock.now }), close: async () => void seen.push('closed') }
  const found = storeConformance(async () => ({
    open: async () => store,
    clock,
    end: async () => void seen.push('ended'),
  }))
  await found[0]?.run()
  expect(seen).toEqual(['closed', 'ended'])
})
