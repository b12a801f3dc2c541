/** The conversations of a tenant, newest first. */
import type { ConversationRow, ListQuery, Store } from '@holdpoint/core'
import { draft, NOON, written } from './drafts.ts'
import { holds, same } from './expect.ts'
import type { Cases } from './scene.ts'

export const listCases: Cases = {
  'the newest conversation comes first, even if an older one has newer events': async ({ store }) => {
    for (const [n, id] of ['first', 'second', 'third'].entries()) await written(store, draft(id, 0, { at: NOON + n }))
    await written(store, draft('first', 1, { at: NOON + 9, status: 'running', many: 2 }))
    const row = { agent: 'desk', status: 'idle', seq: 1 }
    const { items, next } = await store.list({ tenant: '', limit: 9 })
    same(
      items,
      [
        { ...row, id: 'third', createdAt: NOON + 2, updatedAt: NOON + 2 },
        { ...row, id: 'second', createdAt: NOON + 1, updatedAt: NOON + 1 },
        { id: 'first', agent: 'desk', status: 'running', seq: 3, createdAt: NOON, updatedAt: NOON + 9 },
      ],
      'the list',
    )
    same(next, undefined, 'next')
  },

  'a walk finds each conversation of all tenants once, without hidden ones': async ({ store }) => {
    for (const [tenant, id] of [
      ['a', 'c1'],
      ['b', 'c1'],
      ['', 'c2'],
      ['a', 'gone'],
      ['a', 'c3'],
    ] as const) {
      const write = draft(id, 0)
      await written(store, { ...write, to: { tenant, id } })
    }
    const gone = draft('gone', 1)
    await written(store, { ...gone, to: { tenant: 'a', id: 'gone' }, rows: { ...gone.rows, hidden: true } })
    for (const limit of [1, 2, 9]) {
      const found: string[] = []
      let after: string | undefined
      do {
        const { items, next } = await store.walk({ limit, ...(after !== undefined && { after }) })
        found.push(...items.map(({ tenant, id, seq, status }) => `${tenant}/${id} ${seq} ${status}`))
        after = next
      } while (after !== undefined)
      same(found.toSorted(compareText), ['/c2 1 idle', 'a/c1 1 idle', 'a/c3 1 idle', 'b/c1 1 idle'], `by ${limit}`)
    }
  },

  'each filter selects only matching rows': async ({ store }) => {
    for (const status of ['running', 'held', 'idle'] as const) {
      for (const agent of ['desk', 'sales']) await written(store, draft(`${agent} ${status}`, 0, { agent, status }))
    }
    same(await ids(store, { agent: 'sales' }), ['sales idle', 'sales held', 'sales running'], 'by agent')
    same(await ids(store, { status: 'held' }), ['sales held', 'desk held'], 'by status')
    same(await ids(store, { status: 'idle', agent: 'desk' }), ['desk idle'], 'by both')
    same(await ids(store, { agent: 'd%' }), [], 'a filter is no pattern')
    await written(store, draft('desk held', 1, { status: 'idle', agent: 'sales' }))
    same(await ids(store, { status: 'held' }), ['sales held'], 'by status, after one changed')
    same(await ids(store, { agent: 'desk' }), ['desk idle', 'desk running'], 'by agent, after one changed')
  },

  'paging finds everything once, even conversations of the same moment': async ({ store }) => {
    const made = Array.from({ length: 23 }, (_, n) => `c${n}`)
    for (const id of made) await written(store, draft(id, 0))
    for (const limit of [1, 2, 5, 23, 50]) same(await paged(store, { limit }), made.toReversed(), `by ${limit}`)
    same((await store.list({ tenant: '', limit: 23 })).next, undefined, 'next, when the page is just full')
  },

  'paging is stable while conversations are created and change': async ({ store }) => {
    const made = Array.from({ length: 12 }, (_, n) => `c${n}`)
    for (const [n, id] of made.entries()) await written(store, draft(id, 0, { at: NOON + n }))
    const seen = await paged(store, { limit: 3 }, async (page) => {
      await written(store, draft(`new ${page}`, 0, { at: NOON + 100 + page }))
      await written(store, draft(`c${page}`, 1, { at: NOON + 200 + page }))
      await written(store, draft(`c${11 - page}`, 1, { at: NOON + 300 + page }))
    })
    same(seen, made.toReversed(), 'what was there from the start')
  },

  'a filter applies to every page': async ({ store }) => {
    for (let n = 0; n < 12; n++) {
      await written(store, draft(`c${n}`, 0, { agent: n % 3 ? 'desk' : 'sales', status: n % 2 ? 'held' : 'idle' }))
    }
    same(await paged(store, { limit: 1, agent: 'sales' }), ['c9', 'c6', 'c3', 'c0'], 'by agent')
    same(await paged(store, { limit: 2, status: 'held' }), ['c11', 'c9', 'c7', 'c5', 'c3', 'c1'], 'by status')
  },

  'no tenant sees the conversations of another': async ({ store }) => {
    for (const tenant of ['', 'acme', 'globex']) {
      for (const n of [1, 2, 3]) await written(store, draft(`${tenant}-${n}`, 0, { tenant }))
    }
    for (const tenant of ['', 'acme', 'globex']) {
      const expected = [`${tenant}-3`, `${tenant}-2`, `${tenant}-1`]
      same(await paged(store, { tenant, limit: 2 }), expected, `the list of ${tenant || 'no tenant'}`)
    }
    same(await ids(store, { tenant: 'a%' }), [], 'a tenant is no pattern')
  },
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

async function ids(store: Store, query: Partial<ListQuery>): Promise<string[]> {
  const { items } = await store.list({ tenant: '', limit: 100, ...query })
  return items.map(({ id }) => id)
}

async function paged(
  store: Store,
  query: Partial<ListQuery> & { readonly limit: number },
  between: (page: number) => Promise<void> = async () => {},
): Promise<string[]> {
  const items: ConversationRow[] = []
  let after: string | undefined
  let page = 0
  do {
    const found = await store.list({ tenant: '', ...query, ...(after === undefined ? {} : { after }) })
    holds(found.items.length <= query.limit, `${query.limit} were asked for, and ${found.items.length} came`)
    items.push(...found.items)
    after = found.next
    await between(page++)
  } while (after !== undefined && page < 100)
  return items.map(({ id }) => id)
}
