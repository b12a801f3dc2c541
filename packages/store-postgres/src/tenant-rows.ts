/** The rows of a tenant, for a copy of it in another store: see core's `TenantRows`. */
import type { ConversationStatus, Json, TenantRows } from '@holdpoint/core'
import type { Connections } from './connections.ts'
import { fromStored, toStored } from './stored-name.ts'

const TABLES = [
  'batches',
  'keys',
  'holds',
  'notes',
  'agenda',
  'conversation_labels',
  'hold_labels',
  'documents',
  'file_pieces',
  'files',
  'conversations',
]

interface NoteRow {
  readonly kind: string
  readonly seq: number
  readonly at: number
  readonly until: number | null
  readonly data: string
}

export function openTenantRows(schema: string, { read, once }: Connections): TenantRows {
  const log = `(select k from ${schema}.conversations where tenant = $1 and id = $2)`
  return {
    logs: async (tenant, { after = '', limit }) => {
      const rows = await read<{ readonly id: string; readonly agent: string; readonly status: ConversationStatus }>({
        name: 'logs of tenant',
        text: `select id, agent, status from ${schema}.conversations where tenant = $1 and id > $2 order by id limit $3`,
        values: [toStored(tenant), after, limit],
      })
      const items = rows.map(({ id, agent, status }) => ({ id: fromStored(id), agent: fromStored(agent), status }))
      return { items, next: rows.length === limit ? rows.at(-1)?.id : undefined }
    },
    besides: async ({ tenant, id }) => {
      const values = [toStored(tenant), toStored(id)]
      const keys = await read<{ readonly key: string; readonly seq: number }>({
        name: 'keys of log',
        text: `select key, seq from ${schema}.keys where tenant = $1 and conv = ${log} order by seq`,
        values,
      })
      const notes = await read<NoteRow>({
        name: 'notes of log',
        text: `select kind, seq, at, until, data from ${schema}.notes where tenant = $1 and conv = ${log}`,
        values,
      })
      return {
        keys: keys.map(({ key, seq }) => ({ key: fromStored(key), seq })),
        notes: notes.map(({ kind, until, data, ...note }) => ({
          ...note,
          kind: fromStored(kind),
          ...(until !== null && { until }),
          data: JSON.parse(data) as Json,
        })),
      }
    },
    kinds: async (tenant) => {
      const rows = await read<{ readonly kind: string }>({
        name: 'kinds of tenant',
        text: `select distinct kind from ${schema}.documents where tenant = $1`,
        values: [toStored(tenant)],
      })
      return rows.map(({ kind }) => fromStored(kind))
    },
    forget: async (tenant) => {
      for (const table of TABLES)
        await once({
          name: `forget ${table}`,
          text: `delete from ${schema}.${table} where tenant = $1`,
          values: [toStored(tenant)],
        })
    },
  }
}
