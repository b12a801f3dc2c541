/**
 * Notes beside the log. Each operation is one idempotent statement. A note that is written while its conversation is erased
 * would stay, so it locks the conversation against appends.
 */
import type { Json, Note, Store } from '@holdpoint/core'
import type { Connections } from './connections.ts'
import type { Settings } from './settings.ts'
import { toStored } from './stored-name.ts'

type Notes = Pick<Store, 'note' | 'notes'>

/** Caps an infinite limit to a number that the server accepts. */
const MAX = Number.MAX_SAFE_INTEGER

export function openNotes({ schema, clockOffset }: Settings, { read }: Connections): Notes {
  const conversation = `(select k from ${schema}.conversations where tenant = $1 and id = $2)`

  return {
    note: async ({ tenant, id }, { kind, seq, at, until, data }) => {
      await read({
        name: 'note',
        text: `insert into ${schema}.notes (tenant, conv, kind, seq, at, until, data)
          select tenant, k, $3, $4, $5, $6, $7 from ${schema}.conversations
            where tenant = $1 and id = $2 and not hidden for share
          on conflict (tenant, conv, kind, seq) do update
            set at = excluded.at, until = excluded.until, data = excluded.data`,
        values: [toStored(tenant), toStored(id), toStored(kind), seq, at, until ?? null, JSON.stringify(data)],
      })
    },

    notes: async ({ tenant, id }, { kind, before = MAX, limit }) => {
      if (limit < 1) return []
      const rows = await read<NoteRow>({
        name: 'notes',
        text: `with clock as materialized (select ${schema}.now_ms($6) as now)
          select seq, at, until, data from ${schema}.notes
            where tenant = $1 and conv = ${conversation} and kind = $3 and seq < $4
              and (until is null or until > (select now from clock))
            order by seq desc limit $5`,
        values: [
          toStored(tenant),
          toStored(id),
          toStored(kind),
          Math.min(before, MAX),
          Math.min(limit, MAX),
          clockOffset(),
        ],
      })
      return rows.map((row) => toNote(kind, row))
    },
  }
}

interface NoteRow {
  readonly seq: number
  readonly at: number
  readonly until: number | null
  readonly data: string
}

function toNote(kind: string, { seq, at, until, data }: NoteRow): Note {
  return { kind, seq, at, ...(until === null ? {} : { until }), data: JSON.parse(data) as Json }
}
