import { memoryStore } from '@holdpoint/core'
import { describe, expect, test } from 'vitest'
import { manualClock, storeDifferential, type StorePlace } from '../src/index.ts'
import { brokenOwnership } from './store-conformance/broken-ownership.ts'
import { placesOf } from './store-conformance/broken-store.ts'
import { brokenWrites } from './store-conformance/broken-writes.ts'

const seeds = Array.from({ length: 100 }, (_, n) => n + 1)

function memory(): StorePlace {
  const clock = manualClock()
  const store = memoryStore({ now: clock.now })
  return { open: async () => store, clock, end: async () => {} }
}

test('equal stores answer alike, and every answer there is comes up', async () => {
  const count = await storeDifferential({ one: memory(), other: memory() }, { seeds })
  const answers = ['append: ok', 'append: conflict', 'append: fenced', 'append: repeated']
  const claims = ['claim: taken', 'claim: nothing to take']
  const reads = ['load', 'read', 'readBack', 'readCall', 'findKey', 'heads', 'pending', 'list', 'due']
  expect(count).toMatchObject(
    Object.fromEntries(
      [...answers, ...claims, ...reads, 'beat', 'leave', 'advance', 'reopen'].map((name) => [name, expect.any(Number)]),
    ),
  )
})

test('the same seed asks the same, on places that were used before too', async () => {
  const place = memory()
  const once = await storeDifferential({ place }, { seeds: [7], commands: 100 })
  await storeDifferential({ place }, { seeds: [8] })
  expect(await storeDifferential({ fresh: memory() }, { seeds: [7], commands: 100 })).toEqual(once)
})

test('what differs is told with the seed, the command and both answers', async () => {
  const place = memory()
  const wrong = { ...place, open: async () => ({ ...(await place.open()), heads: async () => [99] }) }
  await expect(storeDifferential({ right: memory(), wrong }, { seeds })).rejects.toThrow(
    /differ with seed \d+, at command \d+: \{.*"ask":"heads".*\}\n {2}right answers \[.*\]\n {2}wrong answers \[99\]/,
  )
})

describe('a store is told from the right one that', () => {
  test.for([...brokenWrites, ...brokenOwnership])('$store', async (broken) => {
    const places = await placesOf(broken)
    const compared = storeDifferential({ right: memory(), broken: await places() }, { seeds })
    await expect(compared).rejects.toThrow('The stores differ')
  })
})
