/**
 * Runs statements with the settings that they need. The settings end with the transaction, because a pooler may give the
 * session to another application next, and our next statement to a session with the settings of another application.
 *
 * - `synchronous_commit`: no default of the role or the server lets a commit return before it is on disk, on the synchronous
 *   standby too if there is one. A commit that also waits until the standby applied it keeps doing so.
 * - `lock_timeout`: one locked row must not keep the connection from other work.
 * - `enable_seqscan`: every statement has an index. A plan that was cached for a small table must not scan it when it is
 *   large. `jit` would compile the plans that this makes look expensive.
 */
import type { QueryResult, QueryResultRow } from 'pg'
import type { Query } from './connections.ts'
import type { Settings } from './settings.ts'
import type { StoreClient } from './store-client.ts'

/** How long a statement waits for a row that another transaction keeps locked. An append waits less: others wait behind it. */
const LOCK_MS = { read: 1000, append: 250 }

/** Sent together with the statement and the commit, so it costs no round trip. */
export async function inTransaction<Row extends QueryResultRow>(
  client: StoreClient,
  settings: Settings,
  query: Query,
): Promise<QueryResult<Row>> {
  const { unconfirmed } = client
  const parts = await Promise.allSettled([
    client.query(`begin isolation level read committed; select ${settingsFor('read', settings)}`),
    client.query<Row>(named(client, query)),
    client.query('commit'),
  ])
  for (const part of parts) if (part.status === 'rejected') throw part.reason
  if (client.unconfirmed !== unconfirmed) throw new UnconfirmedCommit()
  return (parts[1] as PromiseFulfilledResult<QueryResult<Row>>).value
}

/** The settings as expressions of a `select`. */
export function settingsFor(what: keyof typeof LOCK_MS, { allowUnsafe, timeoutMs }: Settings): string {
  const lockMs = Math.min(LOCK_MS[what], Math.ceil(timeoutMs / 2))
  const settings = [
    ...(allowUnsafe ? [] : [`set_config('synchronous_commit', ${DURABLE}, true) as durable`]),
    `set_config('lock_timeout', '${lockMs}', true) as patient`,
    `set_config('enable_seqscan', 'off', true) as indexed`,
    `set_config('jit', 'off', true) as interpreted`,
  ]
  return settings.join(', ')
}

const DURABLE = `case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end`

/** A prepared statement belongs to a session, which a pooler may change. */
export function named(client: StoreClient, query: Query): Query {
  return client.pooled ? { text: query.text, values: query.values } : query
}

/** The commit is on the primary's disk. The standby may not have it. */
export class UnconfirmedCommit extends Error {
  constructor() {
    super('the wait for the synchronous standby was ended, and it may not have the commit')
  }
}
