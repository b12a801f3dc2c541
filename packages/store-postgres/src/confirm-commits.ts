import type { Settings } from './settings.ts'
import type { StoreClient } from './store-client.ts'
import { named, settingsFor } from './transaction.ts'

/**
 * Resolves when the synchronous standby has every commit that is visible now. Nothing else says so: a commit whose wait for the
 * standby was ended is visible like any other. The standby gets commits in order, so this makes one, and waits for it.
 */
export async function confirmCommits(client: StoreClient, settings: Settings, timeoutMs: number): Promise<void> {
  const query = {
    name: 'confirm',
    text: `with s as materialized (select ${settingsFor('append', settings)})
      select case when current_setting('synchronous_standby_names') <> ''
        then pg_logical_emit_message(true, 'holdpoint', '') end from s`,
    values: [],
  }
  const timed = { ...named(client, query), query_timeout: timeoutMs }
  await client.query(timed)
}
