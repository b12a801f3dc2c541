/** What a tenant has in the store. */
import { draft, note, written } from './drafts.ts'
import { holds, same } from './expect.ts'
import type { Cases } from './scene.ts'

const TEXT = 'a long text. '.repeat(1000)

export const usageCases: Cases = {
  'the conversations of a tenant are counted, without hidden ones': async ({ store, another }) => {
    for (const id of ['a', 'b', 'c', '']) await written(store, draft(id, 0))
    await written(store, draft('a', 0, { tenant: 'acme' }))
    await written(store, draft('b', 1, { hidden: true }))
    for (const handle of [store, await another()]) {
      const counts = ['', 'acme', 'globex'].map(async (tenant) => (await handle.usage(tenant)).conversations)
      same(await Promise.all(counts), [3, 1, 0], 'how many there are')
    }
    await written(store, draft('b', 2))
    same((await store.usage('')).conversations, 4, 'how many there are, after one is shown again')
  },

  'events are counted by their size, and not after they are erased': async ({ store }) => {
    for (let n = 0; n < 120; n++) await written(store, draft(`c${n}`, 0))
    const before = (await store.usage('')).bytes
    for (const seq of [1, 2, 3]) await written(store, draft('c7', seq, { events: [note(TEXT)], base: 'x' }))
    await written(store, draft('', 0, { events: [note(TEXT)] }))
    const grown = (await store.usage('')).bytes - before
    holds(grown >= 4 * TEXT.length && grown < 5 * TEXT.length, `${grown} bytes for ${4 * TEXT.length} characters`)
    await written(store, draft('c7', 4, { erase: true, hidden: true }))
    const left = (await store.usage('')).bytes - before
    holds(left >= TEXT.length - 1000 && left < 2 * TEXT.length, `${left} bytes are left of ${TEXT.length}`)
    same((await store.usage('acme')).bytes, 0, 'the bytes of another tenant')
  },
}
