/**
 * The connections of a store: one pool for appends and one for reads. A broken connection is dropped and replaced when the
 * next one is needed. No connection error is ever unhandled.
 */
import { Pool, type PoolClient, type QueryResultRow } from 'pg'
import { openConfirm } from './confirm-commits.ts'
import { withEachHost, type Endpoint } from './endpoint.ts'
import { isConnectionError, unavailable } from './pg-error.ts'
import type { Settings } from './settings.ts'
import { settleWithin } from './settle-within.ts'
import { StoreClient } from './store-client.ts'
import { inTransaction } from './transaction.ts'

const CLOSE_TIMEOUT_MS = 5000

export interface Query {
  /** The name of the prepared statement. Leave it out if the plan should depend on the values. */
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
}

/** A connection of a pool, until it is released. `release(true)` closes it. */
export type Acquired = StoreClient & Pick<PoolClient, 'release'>

export interface Connections {
  /** A connection for appends. */
  writer(): Promise<Acquired>
  /** Runs a query, and retries it once on another connection if the first one broke. */
  read<Row extends QueryResultRow>(query: Query): Promise<Row[]>
  /** Runs a query at most once. If it throws, the query may still have been executed. */
  once<Row extends QueryResultRow>(query: Query): Promise<Row[]>
  /** See `Store.confirm`. */
  confirm(): Promise<void>
  end(): Promise<void>
}

export function connect(settings: Settings, endpoint: Endpoint): Connections {
  const writers = poolOf(settings, endpoint, { max: settings.lanes, pipeline: true })
  const readers = poolOf(settings, endpoint, { max: settings.readers, pipeline: true })
  const run = async <Row extends QueryResultRow>(query: Query): Promise<Row[]> => {
    const client = await acquire(readers, endpoint)
    try {
      const { rows } = await inTransaction<Row>(client, settings, query)
      client.release()
      return rows
    } catch (error) {
      client.release(isConnectionError(error))
      throw error
    }
  }
  const read: Connections['read'] = async (query) => {
    try {
      return await run(query)
    } catch (first) {
      if (!isConnectionError(first)) throw unavailable('A query was refused', first)
    }
    return run<never>(query).catch((second: unknown) => Promise.reject(unavailable('A query failed', second)))
  }
  return {
    writer: () => acquire(writers, endpoint),
    read,
    confirm: openConfirm(read),
    once: async (query) => {
      try {
        return await run(query)
      } catch (error) {
        throw unavailable('A change was refused, or its answer was lost', error)
      }
    },
    end: async () => {
      await settleWithin(CLOSE_TIMEOUT_MS, Promise.all([writers.end(), readers.end()]))
    },
  }
}

async function acquire(pool: Pool, { hosts }: Endpoint): Promise<Acquired> {
  return (await withEachHost(hosts, () => pool.connect())) as Acquired
}

export interface PoolNeeds {
  readonly max: number
  /** Sends a query before the previous one on the connection is answered. */
  readonly pipeline?: boolean
  readonly Client?: typeof StoreClient
}

export function poolOf(
  { onWarning }: Settings,
  endpoint: Endpoint,
  { Client = StoreClient, ...needs }: PoolNeeds,
): Pool {
  const pool = new Pool({
    ...endpoint.config,
    ...needs,
    // The types of pg say that it is constructed without a configuration.
    Client: Client as never,
    idleTimeoutMillis: 60_000,
    // A store that nothing is asked of does not keep its process alive.
    allowExitOnIdle: true,
    verify: (client: PoolClient, verified: (error?: Error) => void) => {
      ;(client as unknown as StoreClient).identify().then(() => verified(), verified)
    },
  })
  // Both handlers are needed: the pool reports idle connections that break, and a connection in use reports itself.
  pool.on('error', (error) => onWarning('A connection to PostgreSQL broke while it was idle.', error))
  pool.on('connect', (client) => {
    client.on('error', (error) => onWarning('A connection to PostgreSQL broke.', error))
  })
  return pool
}
