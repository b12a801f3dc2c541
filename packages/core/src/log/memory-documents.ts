/** The documents of the memory store. */
import type { Document, DocumentsQuery, Page, Put, PutResult } from './store.ts'

export interface MemoryDocuments {
  put(put: Put): PutResult
  get(tenant: string, kind: string, id: string): Document | undefined
  documents(query: DocumentsQuery): Page<Document>
  /** Removes at most `limit` expired documents. Returns how many it removed. */
  sweep(limit: number): number
}

export function memoryDocuments(now: () => number): MemoryDocuments {
  /** By tenant and kind, and then by id. */
  const byTenantAndKind = new Map<string, Map<string, Document>>()
  const shelfOf = (tenant: string, kind: string): Map<string, Document> => {
    const key = JSON.stringify([tenant, kind])
    const shelf = byTenantAndKind.get(key) ?? new Map<string, Document>()
    byTenantAndKind.set(key, shelf)
    return shelf
  }
  const isOver = ({ until = Infinity }: Document): boolean => until <= now()

  return {
    put: ({ tenant, kind, id, expected, data, ttlMs }) => {
      const shelf = shelfOf(tenant, kind)
      const kept = shelf.get(id)
      const there = kept && !isOver(kept) ? kept.version : 0
      if (expected !== undefined && expected !== there) return { result: 'conflict', version: there }
      if (data === undefined) {
        shelf.delete(id)
        return { result: 'ok', version: 0 }
      }
      const [version, at] = [(kept?.version ?? 0) + 1, now()]
      shelf.set(id, { kind, id, version, at, ...(ttlMs === undefined ? {} : { until: at + ttlMs }), data })
      return { result: 'ok', version }
    },
    get: (tenant, kind, id) => {
      const kept = shelfOf(tenant, kind).get(id)
      return kept && !isOver(kept) ? kept : undefined
    },
    documents: ({ tenant, kind, prefix = '', after, limit }) => {
      const found = [...shelfOf(tenant, kind).values()]
        .filter((document) => document.id.startsWith(prefix) && !isOver(document))
        .filter(({ id }) => after === undefined || id > after)
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      const items = found.slice(0, Math.max(0, limit))
      return { items, next: found.length > items.length ? items.at(-1)?.id : undefined }
    },
    sweep: (limit) => {
      let swept = 0
      for (const shelf of byTenantAndKind.values()) {
        for (const document of shelf.values()) {
          if (swept >= limit) return swept
          if (isOver(document) && shelf.delete(document.id)) swept++
        }
      }
      return swept
    },
  }
}
