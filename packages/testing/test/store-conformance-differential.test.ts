import { memoryStore } from '@holdpoint/core'
import { describe, expect, test } from 'vitest'
import { manualClock, storeDifferential, type StorePlace } from '../src/index.ts'
import { brokenDocuments } from './store-conformance/broken-documents.ts'
import { brokenErase } from './store-conformance/broken-erase.ts'
import { brokenLabels } from './store-conformance/broken-labels.ts'
import { brokenNotes } from './store-conformance/broken-notes.ts'
import { brokenOwnership } from './store-conformance/broken-ownership.ts'
import { placesOf } from './store-conformance/broken-store.ts'
import { brokenWrites } from './store-conformance/broken-writes.ts'

const seeds = Array.from({ length: 140 }, (_, n) => n + 1)

function memory(): StorePlace {
  const clock = manualClock()
  const store = memoryStore({ now: clock.now })
  return { open: async () => store, clock, end: async () => {} }
}

test('equal stores answer alike, and every answer there is comes up', async () => {
  const count = await storeDifferential({ one: memory(), other: memory() }, { seeds })
  const answers = ['append: ok', 'append: conflict', 'append: fenced', 'append: repeated', 'put: ok', 'put: conflict']
  const takeovers = ['takeOver: taken', 'takeOver: nothing to take']
  const reads = [
    'load',
    'read',
    'readBack',
    'readCall',
    'findCall',
    'findKey',
    'heads',
    'notes',
    'pending',
    'list',
    'usage',
    'due',
    'get',
    'documents',
  ]
  expect(count).toMatchObject(
    Object.fromEntries(
      [...answers, ...takeovers, ...reads, 'beat', 'leave', 'note', 'sweep', 'advance', 'reopen'].map((name) => [
        name,
        expect.any(Number),
      ]),
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

/** No command comes upon these: an event with a time of its own, odd names and data, the very moment of an end, a sweep with a limit, what is heard. */
const BEYOND_CHANCE: ReadonlySet<string> = new Set([
  'gives every event the time of the append',
  'counts events and not their size',
  'looks at the first hundred agents it is given',
  'sorts ids by their code points',
  'has an end for every note',
  'keeps whole milliseconds of notes',
  'sorts seqs as text',
  'sorts the keys of notes',
  'keeps notes of a hundred levels at most',
  'cuts notes that are long',
  'folds the case of kinds',
  'makes kinds well formed',
  'gives a note up to the moment it names',
  'sweeps a note after the moment it names',
  'sweeps so many of each conversation',
  'sweeps all there is',
  'sweeps a page at most',
  'tells of notes as of events',
  'has an end for every document',
  'keeps whole milliseconds of documents',
  'puts the new data of a document over the old',
  'puts the parts of a place together',
  'gives a document up to the moment it names',
  'takes a prefix for a pattern',
  'keeps documents of a hundred levels at most',
  'makes places well formed',
  'cuts long ids',
  'sweeps documents beyond the limit',
  'sweeps documents by the limit of notes',
  'sweeps five hundred documents at most',
  'tells of documents as of events',
  'goes on from a page and not from a prefix, or the other way round',
  'pages documents by number',
])
const within = [
  ...brokenWrites,
  ...brokenOwnership,
  ...brokenNotes,
  ...brokenDocuments,
  ...brokenLabels,
  ...brokenErase,
].filter(({ store }) => !BEYOND_CHANCE.has(store))

describe('a store is told from the right one that', () => {
  test.for(within)('$store', async (broken) => {
    const places = await placesOf(broken)
    const compared = storeDifferential({ right: memory(), broken: await places() }, { seeds })
    await expect(compared).rejects.toThrow('The stores differ')
  })
})
