/**
 * What the gateway keeps beside the conversations: agents as JSON, keys, claims, answers it gave. Small, changed by
 * compare-and-set, and gone when their time is over.
 */
import type { Json, Page } from '@holdpoint/core'

export interface Doc {
  readonly id: string
  /** 1 for the first one, one more with every change. */
  readonly version: number
  readonly data: Json
}

export interface Put {
  readonly tenant: string
  readonly kind: string
  readonly id: string
  /** The version that is replaced; 0 when there must be none. Anything is replaced unless said. */
  readonly expected?: number
  readonly data: Json
  readonly ttlMs?: number
}

export type PutResult =
  | { readonly result: 'ok'; readonly version: number }
  /** `version` is what stands there; 0 for nothing. */
  | { readonly result: 'conflict'; readonly version: number }

export interface DocsQuery {
  readonly tenant: string
  readonly kind: string
  readonly prefix?: string
  readonly after?: string
  readonly limit: number
}

export interface Documents {
  put(put: Put): Promise<PutResult>
  get(tenant: string, kind: string, id: string): Promise<Doc | undefined>
  /** By id. */
  documents(query: DocsQuery): Promise<Page<Doc>>
}

/** How long a removed one is remembered as removed: long enough for whoever compares with an older version. */
const REMOVED_MS = 60_000

/** A removed document is an empty one that soon goes away, so that `expected` means the same as ever. */
export function remove(
  documents: Documents,
  { tenant, kind, id, expected }: Omit<Put, 'data' | 'ttlMs'>,
): Promise<PutResult> {
  return documents.put({ tenant, kind, id, data: null, ttlMs: REMOVED_MS, ...(expected !== undefined && { expected }) })
}

/** Undefined too when it was removed. */
export async function find(documents: Documents, tenant: string, kind: string, id: string): Promise<Doc | undefined> {
  const doc = await documents.get(tenant, kind, id)
  return doc?.data === null ? undefined : doc
}

export async function list(documents: Documents, query: DocsQuery): Promise<Page<Doc>> {
  const { items, next } = await documents.documents(query)
  return { items: items.filter(({ data }) => data !== null), next }
}

/** Writes where there is nothing, or nothing any more. */
export async function create(documents: Documents, put: Omit<Put, 'expected'>): Promise<PutResult> {
  const first = await documents.put({ ...put, expected: 0 })
  if (first.result === 'ok') return first
  const there = await documents.get(put.tenant, put.kind, put.id)
  return there?.data === null ? documents.put({ ...put, expected: there.version }) : first
}

/** Everything in this process: for tests, and for a store that keeps no documents. */
export function memoryDocuments(now: () => number = Date.now): Documents {
  const all = new Map<string, Doc & { readonly until: number }>()
  const keyOf = (tenant: string, kind: string, id: string): string => JSON.stringify([tenant, kind, id])
  const live = (key: string): Doc | undefined => {
    const found = all.get(key)
    if (found && found.until <= now()) all.delete(key)
    return found && found.until > now() ? found : undefined
  }
  return {
    put: async ({ tenant, kind, id, expected, data, ttlMs = Infinity }) => {
      const key = keyOf(tenant, kind, id)
      const version = live(key)?.version ?? 0
      if (expected !== undefined && expected !== version) return { result: 'conflict', version }
      all.set(key, { id, version: version + 1, data: JSON.parse(JSON.stringify(data)) as Json, until: now() + ttlMs })
      return { result: 'ok', version: version + 1 }
    },
    get: async (tenant, kind, id) => live(keyOf(tenant, kind, id)),
    documents: async ({ tenant, kind, prefix = '', after = '', limit }) => {
      const found = [...all.keys()].flatMap((key) => {
        const [ofTenant, ofKind, id = ''] = JSON.parse(key) as string[]
        const doc =
          ofTenant === tenant && ofKind === kind && id.startsWith(prefix) && id > after ? live(key) : undefined
        return doc ? [doc] : []
      })
      const items = found.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit)
      return { items, next: found.length > limit ? items.at(-1)?.id : undefined }
    },
  }
}

/** The store's own documents, where it keeps any. */
export function documentsOf(store: object): Documents | undefined {
  const { put, get, documents } = store as Partial<Documents>
  if (typeof put !== 'function' || typeof get !== 'function' || typeof documents !== 'function') return undefined
  const given = store as Documents
  return {
    put: (what) => given.put(what),
    get: (tenant, kind, id) => given.get(tenant, kind, id),
    documents: (query) => given.documents(query),
  }
}
