/** The order and the pages of documents, and unusual data and ids. */
import type { Json } from '@holdpoint/core'
import { NAMES, NUMBERS, OBJECTS, TEXTS } from './data-cases.ts'
import { AGENTS, all, byUnits, get, idsOf, ok, paged, put } from './document-story.ts'
import { holds, same } from './expect.ts'
import type { Cases } from './scene.ts'

const MINUTE = 60_000

/** Ids that databases store, sort or compare differently from JavaScript, unless they are encoded. */
const ODD_IDS: readonly string[] = [
  '',
  '"',
  '"a"',
  'a\u0000',
  'a\u0000b',
  'a\u0001',
  'a\u0002',
  '\ud7ff',
  '\ud800',
  '\ud83d',
  '🙂',
  '🙂x',
  '\udc00\ud800',
  '\udfff',
  '\ue000',
  '\ue000x',
  '\ue001',
  '\uffff',
  'z\uffff\uffff',
  '\u{10ffff}',
]

export const documentPageCases: Cases = {
  'documents are listed by id, as JavaScript compares strings': async ({ store, another }) => {
    const ids = [...NAMES, ...ODD_IDS]
    for (const id of ids) await put(store, id, { data: id })
    const found = await all(await another())
    same(
      found.map(({ id }) => id),
      ids.toSorted(byUnits),
      'the ids',
    )
    for (const { id, data } of found) same(data, id, 'the data')
    for (const id of ids) same((await get(store, id))?.data, id, 'what is under an id')
  },

  'a prefix selects only ids that begin with it': async ({ store }) => {
    const ids = [...ODD_IDS, 'call-1', 'call-10', 'call-2', 'call', 'calls', 'Call-1', 'cal', 'c%', 'c_ll']
    for (const id of ids) await put(store, id)
    const prefixes = [...ids, '', 'call-', 'c%', '_', 'a\u0000', 'x', '\ud83d', '\ue000', '\u0001', '\udfff', 'z\uffff']
    for (const prefix of prefixes) {
      const fitting = ids.filter((id) => id.startsWith(prefix)).toSorted(byUnits)
      same(await idsOf(store, { prefix }), fitting, `those that begin with ${JSON.stringify(prefix)}`)
      for (const after of ['call-1', '', '\uffff', prefix]) {
        const rest = fitting.filter((id) => id > after)
        same(await idsOf(store, { prefix, after }), rest, `those after ${JSON.stringify(after)}`)
      }
    }
  },

  'paging finds each document once': async ({ store }) => {
    const ids = [...ODD_IDS, ...Array.from({ length: 23 }, (_, n) => `c${n}`)].toSorted(byUnits)
    for (const id of ids) await put(store, id)
    for (const limit of [1, 2, 5, ids.length, 100]) same(await paged(store, { limit }), ids, `by ${limit}`)
    same((await store.documents({ ...AGENTS, limit: ids.length })).next, undefined, 'next, when the page is just full')
    const fitting = ids.filter((id) => id.startsWith('c1'))
    for (const limit of [1, 3, fitting.length]) same(await paged(store, { prefix: 'c1', limit }), fitting, 'by prefix')
  },

  'expired documents take no place on a page': async ({ store, advance }) => {
    for (let n = 0; n < 12; n++) await put(store, `c${n}`, n % 3 ? { ttlMs: MINUTE } : {})
    await advance(10 * MINUTE)
    for (const limit of [1, 2, 4]) same(await paged(store, { limit }), ['c0', 'c3', 'c6', 'c9'], `by ${limit}`)
    same((await store.documents({ ...AGENTS, limit: 4 })).next, undefined, 'next, when only those that are over follow')
  },

  'paging is stable while documents are created, changed and removed': async ({ store }) => {
    const ids = Array.from({ length: 12 }, (_, n) => `c${String(n).padStart(2, '0')}`)
    for (const id of ids) await put(store, id)
    const seen = await paged(store, { limit: 3 }, async (page) => {
      await put(store, `a${page}`)
      await put(store, `b${page}`)
      await put(store, ids[page * 3] ?? '', { data: undefined })
      await put(store, ids[page * 3 + 2] ?? '', { data: 'changed' })
    })
    same(seen, ids, 'what was there from the start')
  },

  'data that is difficult for databases does not change': async ({ store, another }) => {
    const text = `${'['.repeat(1000)}${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}${']'.repeat(1000)}`
    const long = { text: 'long ü\u0000'.repeat(20_000), '\ud800': Array.from({ length: 1000 }, (_, n) => n / 7) }
    const odd = [...Object.values(TEXTS), ...Object.values(OBJECTS), ...NUMBERS, null, false, 0, '', [], {}]
    const values = [...odd, long, JSON.parse(text) as Json]
    for (const [nth, data] of values.entries()) await put(store, `${nth}`, { data })
    const other = await another()
    for (const [nth, value] of values.entries()) {
      const kept = JSON.stringify((await get(other, `${nth}`))?.data)
      holds(kept === JSON.stringify(value), `the data of ${nth} is the same as it was given`)
    }
  },

  'tenants, kinds and ids may be any text': async ({ store, another }) => {
    const names = [...NAMES, ...ODD_IDS]
    for (const name of names) await store.put({ tenant: name, kind: name, id: name, expected: 0, data: name })
    for (const kind of names) await store.put({ tenant: 'kinds', kind, id: 'a', expected: 0, data: kind })
    const other = await another()
    for (const name of names) {
      const { items } = await other.documents({ tenant: name, kind: name, limit: 9 })
      same(
        items.map(({ kind, id, data }) => [kind, id, data]),
        [[name, name, name]],
        'those of a tenant',
      )
      same((await other.get('kinds', name, 'a'))?.data, name, 'of a kind')
    }
  },

  'an id may have a thousand characters': async ({ store }) => {
    const ids = ['x'.repeat(1000), `${'x'.repeat(999)}y`, 'x'.repeat(999), noise(1000), '🙂'.repeat(500)]
    for (const [n, id] of ids.entries()) same(await put(store, id, { expected: 0, data: n }), ok(1), 'the answer')
    for (const [n, id] of ids.entries()) same((await get(store, id))?.data, n, 'what is there')
    same(await paged(store, { limit: 2 }), ids.toSorted(byUnits), 'all of them')
    same(await idsOf(store, { prefix: 'x'.repeat(999) }), ids.slice(0, 3).toSorted(byUnits), 'by a long prefix')
  },
}

/** Random letters, which a database cannot compress. */
function noise(length: number): string {
  let state = 1
  const next = (): string => {
    state = (state * 48_271) % 2_147_483_647
    return String.fromCharCode(33 + (state % 94))
  }
  return Array.from({ length }, next).join('')
}
