/** Documents for cases, with defaults for everything that a case does not set. */
import type { Document, DocumentsQuery, Json, Put, PutResult, Store } from '@holdpoint/core'
import { holds, same } from './expect.ts'

const MINUTE = 60_000

/** The tenant and the kind of most cases. */
export const AGENTS = { tenant: '', kind: 'agent' } as const

/** Writes a document that is changed, one that expires, and one that is removed. For tests of single stores. */
export async function documentStory(store: Store): Promise<void> {
  for (const id of ['changed', 'removed']) await put(store, id, { data: 'older' })
  await put(store, 'changed', { expected: 1, data: { newer: true } })
  await put(store, 'removed', { expected: 1, data: undefined })
  await put(store, 'ends', { data: 'x'.repeat(10_000), ttlMs: 60 * MINUTE })
}

export async function sameDocumentStory(store: Store): Promise<void> {
  const found = (await all(store)).map(({ id, version, data }) => [id, version, data])
  same(
    found,
    [
      ['changed', 2, { newer: true }],
      ['ends', 1, 'x'.repeat(10_000)],
    ],
    'the documents',
  )
  same(await put(store, 'changed', { expected: 1 }), conflict(2), 'an old version')
  same(await put(store, 'removed', { expected: 1 }), conflict(0), 'one that was removed')
  same(await put(store, 'changed', { expected: 2 }), ok(3), 'the version that is there')
}

export function put(store: Store, id: string, more: Partial<Put> = {}): Promise<PutResult> {
  return store.put({ ...AGENTS, id, data: `of ${id}`, ...more })
}

export function get(store: Store, id: string): Promise<Document | undefined> {
  return store.get('', 'agent', id)
}

export const ok = (version: number): PutResult => ({ result: 'ok', version })
export const conflict = (version: number): PutResult => ({ result: 'conflict', version })

export async function all(store: Store, query: Partial<DocumentsQuery> = {}): Promise<readonly Document[]> {
  return (await store.documents({ ...AGENTS, limit: 10_000, ...query })).items
}

export async function idsOf(store: Store, query?: Partial<DocumentsQuery>): Promise<string[]> {
  return (await all(store, query)).map(({ id }) => id)
}

export async function dataOf(store: Store): Promise<Json[]> {
  return (await all(store)).map(({ data }) => data)
}

export async function paged(
  store: Store,
  query: Partial<DocumentsQuery> & { readonly limit: number },
  between: (page: number) => Promise<void> = async () => {},
): Promise<string[]> {
  const ids: string[] = []
  let after: string | undefined
  let page = 0
  do {
    const found = await store.documents({ ...AGENTS, ...query, ...given('after', after) })
    holds(found.items.length <= query.limit, `${query.limit} were asked for, and ${found.items.length} came`)
    ids.push(...found.items.map(({ id }) => id))
    after = found.next
    await between(page++)
  } while (after !== undefined && page < 100)
  return ids
}

export function byUnits(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

export function given<Name extends string, T>(name: Name, value: T | undefined): { readonly [name in Name]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [name in Name]: T })
}
