/** Finds out whether a pooler gives its clients another session of the server for each transaction. */
import { HoldpointError } from '@holdpoint/core'
import type { Settings } from './settings.ts'
import type { StoreClient } from './store-client.ts'

/** A pooler may happen to give a client the same session as before, but not every time. */
const TRIES = 5

/** Two clients take turns. If one of them changes its session, or both have the same one, the pooler shares them. */
export async function sharesSessions(one: StoreClient, open: () => Promise<StoreClient>): Promise<boolean> {
  if (!one.pooled) return false
  const session = await sessionOf(one)
  const other = await open()
  for (let nth = 0; nth < TRIES; nth++) {
    await other.query('begin')
    // Asked first: if the pooler has a single session, `one` would wait for it until this transaction ends.
    const shared = (await sessionOf(other)) === session || (await sessionOf(one)) !== session
    await other.query('commit')
    if (shared || (await sessionOf(one)) !== session) return true
  }
  return false
}

async function sessionOf(client: StoreClient): Promise<number | undefined> {
  const { rows } = await client.query<{ readonly pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}

export function sharedSessions({ listenUrl }: Settings): HoldpointError {
  return new HoldpointError(
    'store-unusable',
    listenUrl === undefined
      ? 'This URL is a pooler in transaction mode, where notifications are lost: name a direct connection in listenUrl, or use session mode.'
      : 'listenUrl is a pooler in transaction mode, where notifications are lost: name a direct connection.',
  )
}
