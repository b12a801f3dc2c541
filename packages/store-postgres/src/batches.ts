/** Reads batches with their hashes: what follows a head that a process knows, and the log as it was written. */
import { following, type Address, type Batch, type Store } from '@holdpoint/core'
import type { Connections } from './connections.ts'
import { fromEventText } from './event-text.ts'
import { toStored } from './stored-name.ts'

/** The most that one read returns. The caller reads on from there. */
const MAX_BATCHES = 1000

export function openBatches(schema: string, { read }: Connections): Pick<Store, 'follow' | 'batches' | 'inspect'> {
  const conversation = `(select k from ${schema}.conversations where tenant = $1 and id = $2)`
  const byAddress = ({ tenant, id }: Address): [string, string] => [toStored(tenant), toStored(id)]

  return {
    follow: async (from, head) => {
      const rows = await read<Batch>({
        name: 'follow',
        text: `select seq, at, case when seq = $3 then '' else events end as events, encode(hash, 'hex') as hash
          from ${schema}.batches where tenant = $1 and conv = ${conversation} and seq >= $3 order by seq limit $4`,
        values: [...byAddress(from), head.seq, MAX_BATCHES],
      })
      return following(head, rows.map(decoded))
    },

    batches: async (from, after, limit) => {
      if (limit < 1) return []
      const rows = await read<Batch>({
        name: 'batches',
        text: `select seq, at, events, encode(hash, 'hex') as hash
          from ${schema}.batches where tenant = $1 and conv = ${conversation} and seq > $3 order by seq limit $4`,
        values: [...byAddress(from), after, Math.min(limit, MAX_BATCHES)],
      })
      return rows.map(decoded)
    },

    inspect: async () => {
      const problems: string[] = []
      for (const table of ['batches', 'holds']) {
        const [row] = await read<{ readonly count: number }>({
          text: `select count(*) as count from ${schema}.${table} t /* all tenants */
            where not exists (select 1 from ${schema}.conversations c where c.tenant = t.tenant and c.k = t.conv)`,
          values: [],
        })
        if (row && row.count > 0) problems.push(`${row.count} rows of ${table} belong to no conversation`)
      }
      return problems
    },
  }
}

function decoded({ seq, at, events, hash }: Batch): Batch {
  return { seq, at, events: fromEventText(events), hash }
}
