/**
 * The connections of a store: a few that append, some that read. Both are pools: a connection that breaks is forgotten,
 * and the next one that is needed is made anew. No error of theirs is ever thrown at the process.
 */
import { Pool, types, type ClientBase, type ClientConfig, type PoolClient, type QueryResultRow } from 'pg'
import { isConnectionError, unavailable } from './broken.ts'
import type { Settings } from './options.ts'
import { within } from './patience.ts'

const GOODBYE_MS = 5000

export interface Query {
  /** Prepared under this name, once for each connection. Left out where the plan should follow the values. */
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
}

export interface Connections {
  readonly writers: Pool
  /** Asks on any connection, and once more on another when the first one broke. */
  read<Row extends QueryResultRow>(query: Query): Promise<Row[]>
  /** Asks at most once. That it threw does not say that nothing was done. */
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
        if (!isConnectionError(first)) throw unavailable('A question was refused', first)
      }
      try {
        return (await readers.query<Row>(query)).rows
      } catch (second) {
        throw unavailable('A question could not be asked', second)
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
      await within(GOODBYE_MS, Promise.all([writers.end(), readers.end()]))
    },
  }
}

export interface PoolNeeds {
  readonly max: number
  readonly durable?: boolean
  /** Sends what is asked on a connection at once, and not only when what was asked before is answered. */
  readonly pipeline?: boolean
  readonly Client?: new () => ClientBase
}

export function poolOf(settings: Settings, { durable = true, ...needs }: PoolNeeds): Pool {
  const pool = new Pool({
    ...clientOf(settings),
    ...needs,
    idleTimeoutMillis: 60_000,
    verify: (client: PoolClient, verified: (error?: Error) => void) => {
      prepareSession(client, settings, durable).then(() => verified(), verified)
    },
  })
  // Both are needed: a pool tells of a connection that breaks while nobody uses it, a connection of itself in use.
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

/** Counts and keys are far from 2^53. */
const getTypeParser = ((oid: number, format?: 'text') =>
  oid === types.builtins.INT8 ? Number : (types.getTypeParser(oid, format) as unknown)) as typeof types.getTypeParser

/**
 * What the promise rests on is said by the session itself, so that no default of the role, and no change of the server's
 * settings while we run, takes it away. A commit that waits for more than the disk (a standby) is left as it is.
 * Every statement of ours has an index, and a plan made while a table was small must not read all of it once it is not.
 */
const SESSION = `select
  set_config('synchronous_commit', case
    when $1 = 'off' or ($1 = 'on' and current_setting('synchronous_commit') = 'off') then $1
    else current_setting('synchronous_commit') end, false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('lock_timeout', $2, false),
  set_config('jit', 'off', false),
  set_config('enable_seqscan', 'off', false)`

/** `durable: false` is for what is found again when it was lost: its commits need not wait for the disk. */
export async function prepareSession(
  client: ClientBase,
  { allowUnsafe, timeoutMs }: Settings,
  durable = true,
): Promise<void> {
  // Whoever waits for a row longer than that gives up while the connection still counts as good.
  const lockTimeout = Math.ceil(timeoutMs / 2)
  const commit = durable ? (allowUnsafe ? 'as it is' : 'on') : 'off'
  await client.query(SESSION, [commit, `${lockTimeout}`])
}
