/**
 * What the gateway keeps beside the conversations: agents as JSON, keys, claims, answers it gave. Small, changed by
 * compare-and-set, and gone when their time is over.
 */
import type { Document, Page, Put, PutAnswer, Store } from '@holdpoint/core'

/** The part of a store that keeps them. */
export type Documents = Pick<Store, 'put' | 'get' | 'documents'>

type DocumentsQuery = Parameters<Store['documents']>[0]

/** How long a removed one is remembered as removed: long enough for whoever compares with an older version. */
const REMOVED_MS = 60_000

/** A removed document is an empty one that soon goes away, so that `expected` means the same as ever. */
export function remove(
  documents: Documents,
  { tenant, kind, id, expected }: Omit<Put, 'data' | 'ttlMs'>,
): Promise<PutAnswer> {
  return documents.put({ tenant, kind, id, data: null, ttlMs: REMOVED_MS, ...(expected !== undefined && { expected }) })
}

/** Undefined too when it was removed. */
export async function find(
  documents: Documents,
  tenant: string,
  kind: string,
  id: string,
): Promise<Document | undefined> {
  const doc = await documents.get(tenant, kind, id)
  return doc?.data === null ? undefined : doc
}

export async function list(documents: Documents, query: DocumentsQuery): Promise<Page<Document>> {
  const { items, next } = await documents.documents(query)
  return { items: items.filter(({ data }) => data !== null), next }
}

/** Writes where there is nothing, or nothing any more. */
export async function create(documents: Documents, put: Omit<Put, 'expected'>): Promise<PutAnswer> {
  const first = await documents.put({ ...put, expected: 0 })
  if (first.result === 'ok') return first
  const there = await documents.get(put.tenant, put.kind, put.id)
  return there?.data === null ? documents.put({ ...put, expected: there.version }) : first
}
