/** How notes and documents go whose time is over: found through an index, by the database's clock. */
import type { Store } from '@holdpoint/core'
import type { Connections } from './connections.ts'
import type { Settings } from './options.ts'

/** So many are removed in one transaction: nobody waits long for it, and it is over before a connection's patience is. */
const SWEPT_AT_ONCE = 500

/** Each table, and what a row of it is found by. */
const TABLES = { notes: 'tenant, conv, kind, seq', documents: 'tenant, kind, id' } as const

export function openSweep({ schema, clockOffset }: Settings, { read }: Connections): Pick<Store, 'sweep'> {
  const sweepOne = async (table: keyof typeof TABLES, limit: number): Promise<number> => {
    const place = TABLES[table]
    // By place and not by row: a row that is replaced meanwhile is looked at anew, and is not over any more.
    const rows = await read<{ readonly swept: number }>({
      name: `sweep ${table}`,
      text: `with clock as materialized (select ${schema}.now_ms($2) as now),
        over as materialized (
          select ${place} from ${schema}.${table} where until <= (select now from clock)
            order by until limit $1 for update skip locked
        ),
        removed as (delete from ${schema}.${table} where (${place}) in (select ${place} from over) returning 1)
        select count(*) as swept from removed`,
      values: [limit, clockOffset()],
    })
    return rows[0]?.swept ?? 0
  }

  return {
    sweep: async (limit) => {
      let swept = 0
      for (const table of ['notes', 'documents'] as const) {
        for (let last = SWEPT_AT_ONCE; last === SWEPT_AT_ONCE && swept < limit; swept += last) {
          last = await sweepOne(table, Math.min(limit - swept, SWEPT_AT_ONCE))
        }
      }
      return swept
    },
  }
}
