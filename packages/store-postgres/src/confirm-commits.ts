/**
 * A commit whose wait for the standby was ended is visible like any other, and nothing says that the standby may not have it. The
 * standby gets commits in order. So this makes one and waits for it, and then the standby has all that were visible before.
 */
import type { Connections } from './connections.ts'
import type { Settings } from './settings.ts'
import type { StoreClient } from './store-client.ts'
import { named, settingsFor } from './transaction.ts'

const EMITTED = `case when current_setting('synchronous_standby_names') <> ''
  then pg_logical_emit_message(true, 'holdpoint', '') end`

/** Resolves when the standby of this connection's server has every commit that was visible there. */
export async function confirmCommits(client: StoreClient, settings: Settings, timeoutMs: number): Promise<void> {
  const query = {
    name: 'confirm here',
    text: `with s as materialized (select ${settingsFor('append', settings)}) select ${EMITTED} from s`,
    values: [],
  }
  const timed = { ...named(client, query), query_timeout: timeoutMs }
  await client.query(timed)
}

/** The same for the server that a query reaches now. */
export function openConfirm(read: Connections['read']): () => Promise<void> {
  const query = { name: 'confirm', text: `select ${EMITTED}`, values: [] }
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined
  // Callers share the next one: while a standby is away, each would keep a connection that others read with.
  return () =>
    (next ??= last.then(async () => {
      next = undefined
      const running = read(query)
      last = running.catch(() => {})
      await running
    }))
}
