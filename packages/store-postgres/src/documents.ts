/** Documents, which belong to no conversation. Each operation is one statement. */
import {
  fromSortableId,
  sortableIdRange,
  toSortableId,
  type Document,
  type DocumentsQuery,
  type Json,
  type Store,
} from '@holdpoint/core'
import type { Connections } from './connections.ts'
import type { Settings } from './settings.ts'
import { toStored } from './stored-name.ts'

type Documents = Pick<Store, 'put' | 'get' | 'documents'>

/** Caps an infinite limit to a number that the server accepts. */
const MAX_ROWS = 1_000_000_000

export function openDocuments({ schema, clockOffset }: Settings, { read, once }: Connections): Documents {
  const select = `with clock as materialized (select ${schema}.now_ms($1) as now)
    select id, version, at, until, data from ${schema}.documents
      where tenant = $2 and kind = $3 and (until is null or until > (select now from clock))`

  return {
    put: async ({ tenant, kind, id, expected, data, ttlMs }) => {
      // Not retried: after a lost answer, a retry could conflict with its own first attempt.
      const [row] = await once<{ readonly done: boolean; readonly head: number }>({
        name: 'put',
        text: `select done, head from ${schema}.put($1, $2, $3, $4, $5, $6, $7)`,
        values: [
          clockOffset(),
          toStored(tenant),
          toStored(kind),
          toSortableId(id),
          expected ?? null,
          data === undefined ? null : JSON.stringify(data),
          ttlMs ?? null,
        ],
      })
      return { result: row!.done ? 'ok' : 'conflict', version: row!.head }
    },

    get: async (tenant, kind, id) => {
      const [row] = await read<DocumentRow>({
        name: 'get',
        text: `${select} and id = $4`,
        values: [clockOffset(), toStored(tenant), toStored(kind), toSortableId(id)],
      })
      return row && toDocument(kind, row)
    },

    documents: async ({ tenant, kind, limit, ...query }: DocumentsQuery) => {
      if (limit < 1) return { items: [], next: undefined }
      const { from, behind, to } = sortableIdRange(query)
      const most = Math.min(limit, MAX_ROWS)
      const rows = await read<DocumentRow>({
        name: behind ? 'documents after' : 'documents',
        text: `${select} and id ${behind ? '>' : '>='} $4 and id < $5 order by id limit $6`,
        // Read one row more than the page, to know whether there is another page.
        values: [clockOffset(), toStored(tenant), toStored(kind), from, to, most + 1],
      })
      const items = rows.slice(0, most).map((row) => toDocument(kind, row))
      return { items, next: rows.length > most ? items.at(-1)?.id : undefined }
    },
  }
}

interface DocumentRow {
  readonly id: string
  readonly version: number
  readonly at: number
  readonly until: number | null
  readonly data: string
}

function toDocument(kind: string, { id, version, at, until, data }: DocumentRow): Document {
  const end = until === null ? {} : { until }
  return { kind, id: fromSortableId(id), version, at, ...end, data: JSON.parse(data) as Json }
}
