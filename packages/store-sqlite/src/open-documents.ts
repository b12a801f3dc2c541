/** The store's methods for documents: reads on the main thread, writes in the writer thread. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  fromSortableId,
  sortableIdRange,
  toSortableId,
  type Document,
  type DocumentsQuery,
  type Json,
  type Page,
  type Store,
} from '@holdpoint/core'
import { toColumn } from './column-name.ts'
import type { OpResult, PutOp } from './writer-messages.ts'

export interface DocumentAccess {
  /** The connection for reads. */
  readonly db: DatabaseSync
  readonly now: () => number
  reading<T>(what: () => T): Promise<T>
  asking(op: PutOp, wanted: 'put'): Promise<Extract<OpResult, { result: 'put' }>>
}

/** SQLite's limit is an integer, so an infinite limit is capped. */
const MAX_PAGE = 1_000_000

interface Row extends Omit<Document, 'kind' | 'until' | 'data'> {
  readonly until: number | null
  readonly data: string
}

export function openDocuments({ db, now, reading, asking }: DocumentAccess): Pick<Store, 'put' | 'get' | 'documents'> {
  const reader = new DocumentReader(db)
  return {
    put: async ({ tenant, kind, id, expected = null, data, ttlMs }) => {
      const time = now()
      const { answer } = await asking(
        {
          op: 'put',
          tenant: toColumn(tenant),
          kind: toColumn(kind),
          id: toSortableId(id),
          expected,
          data: data === undefined ? null : JSON.stringify(data),
          until: ttlMs === undefined ? null : time + ttlMs,
          now: time,
        },
        'put',
      )
      return answer
    },
    get: (tenant, kind, id) => reading(() => reader.get(tenant, kind, id, now())),
    documents: (query) => reading(() => reader.page(query, now())),
  }
}

class DocumentReader {
  readonly #one: StatementSync
  readonly #from: StatementSync
  readonly #after: StatementSync

  constructor(db: DatabaseSync) {
    const all = `select id, version, at, until, data from documents
      where tenant = ? and kind = ? and (until is null or until > ?)`
    this.#one = db.prepare(`${all} and id = ?`)
    this.#from = db.prepare(`${all} and id >= ? and id < ? order by id limit ?`)
    this.#after = db.prepare(`${all} and id > ? and id < ? order by id limit ?`)
  }

  get(tenant: string, kind: string, id: string, now: number): Document | undefined {
    const row = this.#one.get(toColumn(tenant), toColumn(kind), now, toSortableId(id)) as Row | undefined
    return row && toDocument(kind, row)
  }

  page({ tenant, kind, limit, ...query }: DocumentsQuery, now: number): Page<Document> {
    if (limit < 1) return { items: [], next: undefined }
    const { from, behind, to } = sortableIdRange(query)
    const most = Math.min(limit, MAX_PAGE)
    // Read one row more than the page, to know whether there is another page.
    const rows = (behind ? this.#after : this.#from).all(toColumn(tenant), toColumn(kind), now, from, to, most + 1)
    const items = (rows as unknown as Row[]).slice(0, most).map((row) => toDocument(kind, row))
    return { items, next: rows.length > most ? items.at(-1)?.id : undefined }
  }
}

function toDocument(kind: string, { id, version, at, until, data }: Row): Document {
  const end = until === null ? {} : { until }
  return { kind, id: fromSortableId(id), version, at, ...end, data: JSON.parse(data) as Json }
}
