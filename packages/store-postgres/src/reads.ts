/** Reads of one conversation. A row is a batch of events, so the first and last batch are cut to the requested range. */
import type { Address, LogEvent, Store } from '@holdpoint/core'
import type { Connections } from './connections.ts'
import { joinConversation } from './join-conversation.ts'
import { readBatch, type StoredBatch } from './event-text.ts'
import { fromStored, toStored } from './stored-name.ts'

type Reads = Pick<Store, 'read' | 'readBack' | 'readCall' | 'findCall' | 'findKey' | 'heads'>

/** The most that one read returns, so that it fits into memory. The caller reads on from there. */
const MAX_BATCHES = 1000
const MAX_BYTES = 8_000_000

export function openReads(schema: string, { read }: Connections): Reads {
  const conversation = `(select k from ${schema}.conversations where tenant = $1 and id = $2)`
  const byAddress = ({ tenant, id }: Address): [string, string] => [toStored(tenant), toStored(id)]

  return {
    read: async (from, after, limit = MAX_BATCHES) => {
      if (limit < 1) return []
      const rows = await read<StoredBatch>({
        name: 'read',
        text: `select seq, at, events from (
            select seq, at, events, sum(pg_column_size(events)) over (order by seq) - pg_column_size(events) as before
              from (select * from ${schema}.batches where tenant = $1 and conv = ${conversation} and seq > $3 order by seq limit $4) b
          ) b where before < $5 order by seq`,
        values: [...byAddress(from), after, Math.min(limit, MAX_BATCHES), MAX_BYTES],
      })
      return eventsOf(rows, ({ seq }) => seq > after).slice(0, limit)
    },

    readBack: async (from, before, limit) => {
      if (limit < 1) return []
      // The batch with the last requested event may also contain later events.
      const rows = await read<StoredBatch>({
        name: 'read back',
        text: `with c as (select ${conversation} as k)
          select b.seq, b.at, b.events from c join ${schema}.batches b on b.tenant = $1 and b.conv = c.k
            where b.seq <= coalesce(
              (select l.seq from ${schema}.batches l where l.tenant = $1 and l.conv = c.k and l.seq >= $3::bigint - 1 order by l.seq limit 1), $3)
            order by b.seq desc limit $4`,
        values: [
          ...byAddress(from),
          Math.min(before, Number.MAX_SAFE_INTEGER),
          Math.min(limit, Number.MAX_SAFE_INTEGER),
        ],
      })
      return eventsOf(rows.toReversed(), ({ seq }) => seq < before).slice(-limit)
    },

    readCall: async (from, callId) => {
      const rows = await read<StoredBatch & { readonly wanted: string }>({
        name: 'read call',
        text: `select distinct b.seq, b.at, b.events, h.seqs as wanted
          from ${schema}.holds h
          cross join unnest(string_to_array(h.seqs, ',')::bigint[]) s(seq)
          cross join lateral (
            select * from ${schema}.batches where tenant = h.tenant and conv = h.conv and seq >= s.seq order by seq limit 1
          ) b
          where h.tenant = $1 and h.conv = ${conversation} and h.call_id = $3 order by b.seq`,
        values: [...byAddress(from), toStored(callId)],
      })
      const wanted = new Set(rows[0]?.wanted.split(',').map(Number))
      return eventsOf(rows, ({ seq }) => wanted.has(seq))
    },

    findCall: async (tenant, callId) => {
      const rows = await read<{ readonly id: string }>({
        name: 'find call',
        text: `select c.id from ${schema}.holds h ${joinConversation(schema, 'h')}
          where h.tenant = $1 and h.call_id = $2 order by h.conv limit 2`,
        values: [toStored(tenant), toStored(callId)],
      })
      return rows.map(({ id }) => fromStored(id))
    },

    findKey: async (from, key) => {
      const [row] = await read<{ readonly seq: number }>({
        name: 'find key',
        text: `select seq from ${schema}.keys where tenant = $1 and conv = ${conversation} and key = $3`,
        values: [...byAddress(from), toStored(key)],
      })
      return row?.seq
    },

    heads: async (of) => {
      const rows = await read<{ readonly head: number }>({
        name: 'heads',
        text: `select coalesce((select head_seq from ${schema}.conversations where tenant = a.tenant and id = a.id), 0) as head
          from unnest($1::text[], $2::text[]) with ordinality as a(tenant, id, nth) order by a.nth`,
        values: [of.map(({ tenant }) => toStored(tenant)), of.map(({ id }) => toStored(id))],
      })
      return rows.map(({ head }) => head)
    },
  }
}

function eventsOf(batches: readonly StoredBatch[], wanted: (event: LogEvent) => boolean = () => true): LogEvent[] {
  return batches.flatMap((batch) => readBatch(batch).filter(wanted))
}
