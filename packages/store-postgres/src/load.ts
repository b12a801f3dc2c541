/** Loads conversations for a driver. Concurrent loads share a query. */
import type { Address, Json, Loaded, Store } from '@holdpoint/core'
import type { Connections } from './connections.ts'
import { readBatch, type StoredBatch } from './event-text.ts'
import { fromStored, toStored } from './stored-name.ts'
import { batchRequests } from './batch-requests.ts'

export function openLoad(schema: string, { read }: Connections): Pick<Store, 'load'> {
  const rowsOf = batchRequests<Address, readonly LoadRow[]>(async (from) => {
    // The state is in its own row instead of being repeated with every batch.
    const rows = await read<LoadRow>({
      name: 'load',
      text: `with c as (
            select a.nth, c.* from unnest($1::text[], $2::text[]) with ordinality as a(tenant, id, nth)
              cross join lateral (select * from ${schema}.conversations where tenant = a.tenant and id = a.id limit 1) c
          )
          select nth, head_seq, encode(head_hash, 'hex') as head_hash, agent, base_seq, base as events, null as seq, null as at from c
          union all
          select c.nth, null, null, null, null, b.events, b.seq, b.at from c cross join lateral (
              select * from ${schema}.batches where tenant = c.tenant and conv = c.k and seq > coalesce(c.base_seq, 0) offset 0
            ) b`,
      values: [from.map(({ tenant }) => toStored(tenant)), from.map(({ id }) => toStored(id))],
    })
    const found = Map.groupBy(rows, ({ nth }) => nth)
    return from.map((_, index) => found.get(index + 1) ?? [])
  })
  // Each caller decodes its own rows, so that an unreadable conversation fails only its own load.
  return { load: async (from) => loadedOf(await rowsOf(from)) }
}

type LoadRow = { readonly nth: number } & (
  | {
      readonly head_seq: number
      readonly head_hash: string
      readonly agent: string
      readonly base_seq: number | null
      readonly events: string
    }
  | ({ readonly head_seq: null } & StoredBatch)
)

function loadedOf(rows: readonly LoadRow[]): Loaded | undefined {
  const batches: StoredBatch[] = []
  let loaded: Omit<Loaded, 'events'> | undefined
  for (const row of rows) {
    if (row.head_seq === null) batches.push(row)
    else {
      const { head_seq: seq, head_hash: hash, base_seq } = row
      const base = base_seq === null ? undefined : { seq: base_seq, state: JSON.parse(row.events) as Json }
      loaded = { seq, hash, agent: fromStored(row.agent), base }
    }
  }
  return loaded && { ...loaded, events: batches.toSorted((a, b) => a.seq - b.seq).flatMap(readBatch) }
}
