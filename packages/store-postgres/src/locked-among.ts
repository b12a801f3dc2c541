import type { Op } from './append-call.ts'
import type { Settings } from './settings.ts'
import type { StoreClient } from './store-client.ts'
import { named } from './transaction.ts'

/** The appends, by their position from 1, whose conversation another transaction keeps locked. It waits for no lock. */
export async function lockedAmong(
  client: StoreClient,
  { schema }: Settings,
  ops: readonly Op[],
  timeoutMs: number,
): Promise<readonly number[]> {
  const query = {
    name: 'locked',
    // The locks that this takes end with it, and nothing depends on them after a crash.
    text: `with s as materialized (
        select set_config('synchronous_commit', 'off', true), set_config('enable_seqscan', 'off', true)
      ),
      asked as materialized (
        select a.* from s cross join unnest($1::text[], $2::text[]) with ordinality as a(tenant, id, nth)
      ),
      free as materialized (
        select a.nth from asked a cross join lateral (
          select 1 from ${schema}.conversations where tenant = a.tenant and id = a.id limit 1 for no key update skip locked
        ) c
      )
      select a.nth from asked a where a.nth not in (select nth from free)
        and exists (select 1 from ${schema}.conversations where tenant = a.tenant and id = a.id)`,
    values: [ops.map(({ tenant }) => tenant), ops.map(({ id }) => id)],
  }
  const timed = { ...named(client, query), query_timeout: timeoutMs }
  const { rows } = await client.query<{ readonly nth: number }>(timed)
  return rows.map(({ nth }) => nth)
}
