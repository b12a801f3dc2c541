/** Removes expired notes and documents, by the database's clock. */
import type { Store } from '@holdpoint/core'
import type { Connections } from './connections.ts'
import type { Settings } from './settings.ts'

/** Rows per transaction, so that it is short and stays below the timeout. */
const SWEEP_BATCH = 500

/** Each table and its primary key. */
const TABLES = { notes: 'tenant, conv, kind, seq', documents: 'tenant, kind, id' } as const

export function openSweep({ schema, clockOffset }: Settings, { read }: Connections): Pick<Store, 'sweep'> {
  const sweepOne = async (table: keyof typeof TABLES, limit: number): Promise<number> => {
    const key = TABLES[table]
    // Deletes by key: a row that was replaced meanwhile is checked again, and has not expired.
    const rows = await read<{ readonly swept: number }>({
      name: `sweep ${table}`,
      text: `with clock as materialized (select ${schema}.now_ms($2) as now),
        expired as materialized (
          select ${key} from ${schema}.${table} where until <= (select now from clock)
            order by until limit $1 for update skip locked
        ),
        removed as (delete from ${schema}.${table} where (${key}) in (select ${key} from expired) returning 1)
        select count(*) as swept from removed`,
      values: [limit, clockOffset()],
    })
    return rows[0]?.swept ?? 0
  }

  return {
    sweep: async (limit) => {
      let swept = 0
      for (const table of ['notes', 'documents'] as const) {
        for (let last = SWEEP_BATCH; last === SWEEP_BATCH && swept < limit; swept += last) {
          last = await sweepOne(table, Math.min(limit - swept, SWEEP_BATCH))
        }
      }
      return swept
    },
  }
}
