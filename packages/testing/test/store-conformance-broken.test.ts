/** Every broken store is caught, and every case catches one: nothing in `storeConformance` is there for show. */
import { describe, expect, test } from 'vitest'
import { storeConformance } from '../src/index.ts'
import { brokenChain } from './store-conformance/broken-chain.ts'
import { brokenData } from './store-conformance/broken-data.ts'
import { brokenDocumentHandles } from './store-conformance/broken-document-handles.ts'
import { brokenDocuments } from './store-conformance/broken-documents.ts'
import { brokenErase } from './store-conformance/broken-erase.ts'
import { brokenFiles } from './store-conformance/broken-files.ts'
import { brokenHandles } from './store-conformance/broken-handles.ts'
import { brokenLabels } from './store-conformance/broken-labels.ts'
import { brokenNoteHandles } from './store-conformance/broken-note-handles.ts'
import { brokenNotes } from './store-conformance/broken-notes.ts'
import { brokenOwnership } from './store-conformance/broken-ownership.ts'
import { brokenPages } from './store-conformance/broken-pages.ts'
import { brokenReads } from './store-conformance/broken-reads.ts'
import { placesOf } from './store-conformance/broken-store.ts'
import { brokenWrites } from './store-conformance/broken-writes.ts'

const all = [
  brokenWrites,
  brokenOwnership,
  brokenReads,
  brokenPages,
  brokenLabels,
  brokenErase,
  brokenChain,
  brokenData,
  brokenNotes,
  brokenNoteHandles,
  brokenDocuments,
  brokenDocumentHandles,
  brokenHandles,
  brokenFiles,
].flat()

describe('the store that they are made of is right', async () => {
  for (const { name, run } of storeConformance(await placesOf({}))) {
    test(name, () => expect(run()).resolves.toBeUndefined())
  }
})

describe('a store is caught that', () => {
  test.concurrent.for(all)('$store', { timeout: 240_000 }, async (broken) => {
    const cases = storeConformance(await placesOf(broken))
    for (const sentence of broken.caughtBy) {
      const { run } = cases.find(({ name }) => name === sentence) ?? {}
      const { throws } = broken
      const error = throws === undefined ? { code: 'ERR_ASSERTION' } : { message: expect.stringContaining(throws) }
      await expect(run?.(), sentence).rejects.toMatchObject(error)
    }
  })
})

test('every case catches a store that is broken', () => {
  const catching = new Set(all.flatMap(({ caughtBy }) => caughtBy))
  const cases = storeConformance(() => Promise.reject(new Error('No place is needed to name the cases.')))
  expect(cases.map(({ name }) => name).filter((name) => !catching.has(name))).toEqual([])
})
