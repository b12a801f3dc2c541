/**
 * Documents that the gateway stores beside the conversations: agents, keys, claims, answers by idempotency key. They
 * are small, change by compare-and-set, and may expire.
 */
import type { Document, Page, Put, PutResult, Store } from '@holdpoint/core'

/** The document methods of a store. */
export type DocumentStore = Pick<Store, 'put' | 'get' | 'documents'>

type DocumentsQuery = Parameters<Store['documents']>[0]

/** How long the tombstone of a removed document stays: long enough for writers that compare with an older version. */
const REMOVED_MS = 60_000

/** Replaces the document with an empty one that expires, so that `expected` keeps working. */
export function remove(
  documents: DocumentStore,
  { tenant, kind, id, expected }: Omit<Put, 'data' | 'ttlMs'>,
): Promise<PutResult> {
  return documents.put({ tenant, kind, id, data: null, ttlMs: REMOVED_MS, ...(expected !== undefined && { expected }) })
}

/** Returns undefined for a removed document too. */
export async function find(
  documents: DocumentStore,
  tenant: string,
  kind: string,
  id: string,
): Promise<Document | undefined> {
  const doc = await documents.get(tenant, kind, id)
  return doc?.data === null ? undefined : doc
}

export async function list(documents: DocumentStore, query: DocumentsQuery): Promise<Page<Document>> {
  const { items, next } = await documents.documents(query)
  return { items: items.filter(({ data }) => data !== null), next }
}

/** Documents per query in `listUpTo`. */
const BATCH = 4

/** Like `list`, for large documents: the page also ends after `chars` characters of JSON. */
export async function listUpTo(
  documents: DocumentStore,
  query: DocumentsQuery,
  chars: number,
): Promise<Page<Document>> {
  const items: Document[] = []
  let [left, after] = [chars, query.after]
  while (items.length < query.limit) {
    const limit = Math.min(BATCH, query.limit - items.length)
    const found = await list(documents, { ...query, limit, ...(after !== undefined && { after }) })
    for (const [index, item] of found.items.entries()) {
      items.push(item)
      left -= JSON.stringify(item.data).length
      const last = index === found.items.length - 1 && found.next === undefined
      if (left <= 0) return { items, next: last ? undefined : item.id }
    }
    if (found.next === undefined) return { items, next: undefined }
    after = found.next
  }
  return { items, next: after }
}

/** Writes a document that does not exist or was removed. */
export async function create(documents: DocumentStore, put: Omit<Put, 'expected'>): Promise<PutResult> {
  const first = await documents.put({ ...put, expected: 0 })
  if (first.result === 'ok') return first
  const existing = await documents.get(put.tenant, put.kind, put.id)
  return existing?.data === null ? documents.put({ ...put, expected: existing.version }) : first
}
