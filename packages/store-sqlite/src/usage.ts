/** The usage of a tenant. It reads the size of every batch, in slices, because a read blocks the event loop. */
import type { Store } from '@holdpoint/core'
import { toColumn } from './column-name.ts'
import type { DatabaseSync } from './database.ts'

export interface UsageAccess {
  readonly db: DatabaseSync
  reading<T>(what: () => T): Promise<T>
}

/** Conversations per slice. */
const SLICE = 50

export function openUsage({ db, reading }: UsageAccess): Pick<Store, 'usage'> {
  const count = db.prepare('select count(*) as shown from conversations where tenant = ? and hidden = 0')
  // `octet_length` does not read text that is stored outside of the row.
  const slice = db.prepare(
    `select max(id) as last, sum(bytes) as size from (
       select id, (select sum(octet_length(events)) from batches where conv = k) as bytes
       from conversations where tenant = ? and id >= ? order by id limit ${SLICE})`,
  )
  return {
    usage: async (name) => {
      const tenant = toColumn(name)
      const { shown } = await reading(() => count.get(tenant) as { shown: number })
      let bytes = 0
      for (let from = ''; ;) {
        const { last, size } = await reading(() => slice.get(tenant, from) as { last: string | null; size: number })
        if (last === null) return { conversations: shown, bytes }
        bytes += size
        // The first text after `last`.
        from = `${last}\0`
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}
