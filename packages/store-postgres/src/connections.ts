/**
 * The connections of a store: one pool for appends and one for reads. A broken connection is dropped and replaced when the
 * next one is needed. No connection error is ever unhandled.
 */
import { Pool, types, type ClientBase, type ClientConfig, type PoolClient, type QueryResultRow } from 'pg'
import { isConnectionError, unavailable } from './pg-error.ts'
import type { Settings } from './settings.ts'
import { settleWithin } from './settle-within.ts'

const CLOSE_TIMEOUT_MS = 5000

export interface Query {
  /** The name of the prepared statement. Leave it out if the plan should depend on the values. */
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
}

export interface Connections {
  readonly writers: Pool
  /** Runs a query, and retries it once on another connection if the first one broke. */
  read<Row extends QueryResultRow>(query: Query): Promise<Row[]>
  /** Runs a query at most once. If it throws, the query may still have been executed. */
  once<Row extends QueryResultRow>(query: Query): Promise<Row[]>
  end(): Promise<void>
}

export function connect(settings: Settings): Connections {
  const writers = poolOf(settings, { max: settings.lanes, pipeline: true })
  const readers = poolOf(settings, { max: settings.readers })
  return {
    writers,
    read: async <Row extends QueryResultRow>(query: Query) => {
      try {
        return (await readers.query<Row>(query)).rows
      } catch (first) {
        if (!isConnectionError(first)) throw unavailable('A query was refused', first)
      }
      try {
        return (await readers.query<Row>(query)).rows
      } catch (second) {
        throw unavailable('A query failed', second)
      }
    },
    once: async <Row extends QueryResultRow>(query: Query) => {
      try {
        return (await readers.query<Row>(query)).rows
      } catch (error) {
        throw unavailable('A change was refused, or its answer was lost', error)
      }
    },
    end: async () => {
      await settleWithin(CLOSE_TIMEOUT_MS, Promise.all([writers.end(), readers.end()]))
    },
  }
}

export interface PoolNeeds {
  readonly max: number
  readonly durable?: boolean
  /** Sends a query before the previous one on the connection is answered. */
  readonly pipeline?: boolean
  readonly Client?: new () => ClientBase
}

export function poolOf(settings: Settings, { durable = true, ...needs }: PoolNeeds): Pool {
  const pool = new Pool({
    ...clientOf(settings),
    ...needs,
    idleTimeoutMillis: 60_000,
    // A store that nothing is asked of does not keep its process alive.
    allowExitOnIdle: true,
    verify: (client: PoolClient, verified: (error?: Error) => void) => {
      prepareSession(client, settings, durable).then(() => verified(), verified)
    },
  })
  // Both handlers are needed: the pool reports idle connections that break, and a connection in use reports itself.
  pool.on('error', (error) => settings.onWarning('A connection to PostgreSQL broke while it was idle.', error))
  pool.on('connect', (client) => {
    client.on('error', (error) => settings.onWarning('A connection to PostgreSQL broke.', error))
  })
  return pool
}

export function clientOf({ url, timeoutMs }: Settings): ClientConfig {
  return {
    connectionString: url,
    fallback_application_name: 'holdpoint',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: Math.min(timeoutMs, 10_000),
    query_timeout: timeoutMs,
    types: { getTypeParser },
  }
}

/** Counts and keys stay far below 2^53. */
const getTypeParser = ((oid: number, format?: 'text') =>
  oid === types.builtins.INT8 ? Number : (types.getTypeParser(oid, format) as unknown)) as typeof types.getTypeParser

/**
 * Durability depends on these settings, so the session sets them itself: no default of the role and no later change of the
 * server's settings can weaken them. A commit that also waits for a standby keeps doing so. Every statement has an index, so
 * sequential scans are off: a plan that was cached for a small table must not scan it when it is large.
 */
const SESSION = `select
  set_config('synchronous_commit', case
    when $1 = 'off' or ($1 = 'on' and current_setting('synchronous_commit') = 'off') then $1
    else current_setting('synchronous_commit') end, false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('lock_timeout', $2, false),
  set_config('jit', 'off', false),
  set_config('enable_seqscan', 'off', false)`

/** `durable: false` is for data that can be recovered: its commits do not wait for the disk. */
export async function prepareSession(
  client: ClientBase,
  { allowUnsafe, timeoutMs }: Settings,
  durable = true,
): Promise<void> {
  // A statement that waits for a lock fails before the connection counts as broken.
  const lockTimeout = Math.ceil(timeoutMs / 2)
  const commit = durable ? (allowUnsafe ? 'unchanged' : 'on') : 'off'
  await client.query(SESSION, [commit, `${lockTimeout}`])
}
