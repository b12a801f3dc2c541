/** The batches of a log are a hash chain, and an append follows the hash that its writer knows. */
import { createHash } from 'node:crypto'
import { chainText, decodeBatch, encodeBatch, NO_HASH, type Address, type Batch, type Store } from '@holdpoint/core'
import { at, draft, logged, loadedFrom, NOON, note, sameLog, written } from './drafts.ts'
import { holds, same } from './expect.ts'
import type { Cases } from './scene.ts'

/** Wrong, and of the right form. */
const OTHER_HASH = '0'.repeat(64)

export const chainCases: Cases = {
  'the hash of a batch covers its events, its time and the hash before it': async ({ store, another }) => {
    const writes = [
      draft('c', 0, { many: 3, at: NOON }),
      draft('c', 3, { events: [note({ z: '\u0000é🙂"\\', a: [1e21, -0.5, null] })], at: NOON + 0.25 }),
      draft('c', 4, { many: 2, base: { rest: 1 }, at: NOON - 5 }),
    ]
    const hashes: string[] = []
    for (const write of writes) hashes.push((await written(store, write)).hash)
    let before = NO_HASH
    const expected = writes.map(({ events, expectedSeq, at: time }): Batch => {
      const batch = { seq: expectedSeq + events.length, at: time, events: encodeBatch(events) }
      before = sha256(chainText(before, batch))
      return { ...batch, hash: before }
    })
    same(
      hashes,
      expected.map(({ hash }) => hash),
      'the hashes in the answers',
    )
    for (const handle of [store, await another()]) same(await allBatches(handle, at('c')), expected, 'the batches')
    same((await store.load(at('c')))?.hash, before, 'the hash that is loaded')
  },

  'an append that follows another hash is a conflict, and writes nothing': async ({ store }) => {
    const first = draft('c', 0)
    await written(store, first)
    const other = draft('c', 1, { follows: OTHER_HASH, key: 'k', status: 'running' })
    same(await store.append(other), { result: 'conflict' }, 'the append')
    same(await store.append(draft('c', 1, { follows: NO_HASH })), { result: 'conflict' }, 'an append without a hash')
    same(await store.append(draft('new', 0, { follows: OTHER_HASH })), { result: 'conflict' }, 'in a new conversation')
    await sameLog(store, at('c'), [first])
    same(await store.findKey(at('c'), 'k'), undefined, 'its key')
    same(await store.load(at('new')), undefined, 'the new conversation')
  },

  'a repeated append is answered with the hash of what was written': async ({ store }) => {
    const write = draft('c', 0)
    const { hash } = await written(store, write)
    await written(store, draft('c', 1))
    same((await written(store, { ...write, events: [note('other')] })).hash, hash, 'the hash')
  },

  'what follows a head is everything after it, and the new head': async ({ store }) => {
    const writes = [draft('c', 0, { many: 2 }), draft('c', 2), draft('c', 3, { many: 3 })]
    const heads = [{ seq: 0, hash: NO_HASH }]
    for (const write of writes) {
      const { hash, events } = await written(store, write)
      heads.push({ seq: events.at(-1)!.seq, hash })
    }
    for (const [nth, head] of heads.entries()) {
      const events = writes.slice(nth).flatMap(logged)
      same(await store.follow(at('c'), head), { events, head: heads.at(-1) }, `after ${head.seq}`)
    }
    const nothing = { events: [], head: heads[0] }
    same(await store.follow(at('new'), heads[0]!), nothing, 'of a conversation without events')
  },

  'nothing follows a head that the log does not have': async ({ store }) => {
    const first = await written(store, draft('c', 0, { many: 2 }))
    const { hash } = await written(store, draft('c', 2))
    for (const head of [
      { seq: 3, hash: OTHER_HASH },
      { seq: 2, hash },
      { seq: 1, hash: first.hash },
      { seq: 4, hash },
      { seq: 4, hash: NO_HASH },
    ])
      same(await store.follow(at('c'), head), undefined, `after ${head.seq} with ${head.hash.slice(0, 4)}`)
    same(await store.follow(at('new'), { seq: 1, hash }), undefined, 'in a conversation without events')
  },

  'batches are read from any seq, a few at a time': async ({ store }) => {
    for (const seq of [0, 2, 4, 6]) await written(store, draft('c', seq, { many: 2 }))
    const ends = async (after: number, limit: number): Promise<readonly number[]> =>
      (await store.batches(at('c'), after, limit)).map(({ seq }) => seq)
    same(await ends(0, 2), [2, 4], 'the first two')
    same(await ends(2, 1), [4], 'the second')
    same(await ends(3, 1), [4], 'the one with the fourth event')
    same(await ends(6, 99), [8], 'the last')
    same(await ends(8, 99), [], 'after the last')
    same(await store.batches(at('new'), 0, 9), [], 'of a conversation without events')
  },

  'an erased log begins a new chain, and follows every head before': async ({ store }) => {
    const first = await written(store, draft('c', 0))
    const second = await written(store, draft('c', 1, { many: 2 }))
    const tombstone = draft('c', 3, { events: [note('erased')], erase: true })
    same(
      await store.append({ ...tombstone, follows: first.hash }),
      { result: 'conflict' },
      'an erasure that follows another hash',
    )
    const { hash } = await written(store, tombstone)
    const batch = { seq: 4, at: tombstone.at, events: encodeBatch(tombstone.events) }
    same(hash, sha256(chainText(NO_HASH, batch)), 'its hash')
    for (const head of [
      { seq: 1, hash: first.hash },
      { seq: 3, hash: second.hash },
    ]) {
      const following = { events: decodeBatch(batch), head: { seq: 4, hash } }
      same(await store.follow(at('c'), head), following, `after ${head.seq}`)
    }
    const after = await written(store, draft('c', 4))
    same((await loadedFrom(store, at('c')))?.seq, 5, 'the seq')
    holds(after.hash !== hash, 'the next batch has a hash of its own')
  },

  'a driver’s append by a node that is not the owner is fenced': async ({ store }) => {
    await store.beat('one', 60_000)
    await store.beat('other', 60_000)
    const { epoch, owned } = await written(store, draft('c', 0, { node: 'one', status: 'running' }))
    same(owned, true, 'owned')
    const late = draft('c', 1, { node: 'other', epoch, status: 'running' })
    same(await store.append(late), { result: 'fenced' }, 'the append of the other node')
    await written(store, draft('c', 1, { node: 'one', epoch, status: 'running' }))
  },
}

/** A store may return a few at a time. */
async function allBatches(store: Store, from: Address): Promise<readonly Batch[]> {
  const all: Batch[] = []
  for (;;) {
    const page = await store.batches(from, all.at(-1)?.seq ?? 0, 2)
    if (page.length === 0) return all
    all.push(...page)
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
