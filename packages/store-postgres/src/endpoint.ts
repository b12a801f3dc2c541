/** Where a URL of the store leads to: its hosts, how to connect to them, and the watch over connections that are silent. */
import { types, type ClientConfig } from 'pg'
import type { Generations } from './generations.ts'
import { hostsOf, type Hosts } from './hosts.ts'
import type { Settings } from './settings.ts'
import { watchSilence, type Probed, type SilenceWatch } from './silence-watch.ts'
import { StoreClient, type StoreClientConfig, type Surroundings } from './store-client.ts'

export interface Endpoint extends Surroundings {
  readonly config: StoreClientConfig
  /** A connection to the primary, outside of any pool. `onError` is called when it breaks later. */
  open(onError?: (error: Error) => void): Promise<StoreClient>
}

const CONNECT_TIMEOUT_MS = 5000

export function openEndpoint(
  url: string,
  { timeoutMs }: Pick<Settings, 'timeoutMs'>,
  generations?: Generations,
): Endpoint {
  const hosts = hostsOf(url)
  const driver: ClientConfig = {
    fallback_application_name: 'holdpoint',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: Math.min(timeoutMs, CONNECT_TIMEOUT_MS),
    query_timeout: timeoutMs,
    types: { getTypeParser },
  }
  const endpoint: Endpoint = {
    hosts,
    ...(generations && { generations }),
    watch: watchSilence(() => reachedServer(endpoint)),
    get config() {
      return { ...driver, surroundings: endpoint }
    },
    open: (onError = () => {}) => withEachHost(hosts, () => openOne(endpoint, onError)),
  }
  return endpoint
}

/** Tries again while there are hosts that were not tried. */
export async function withEachHost<T>(hosts: Hosts, connect: () => Promise<T>): Promise<T> {
  for (let left = hosts.urls.length; ; left--) {
    try {
      return await connect()
    } catch (error) {
      if (left <= 1) throw error
    }
  }
}

async function openOne(endpoint: Endpoint, onError: (error: Error) => void): Promise<StoreClient> {
  const client = new StoreClient(endpoint.config)
  // Before anything else: a client that fails without an error handler ends the process.
  client.on('error', onError)
  try {
    await client.connect()
    await client.identify()
    return client
  } catch (error) {
    void client.end().catch(() => {})
    throw error
  }
}

/** Asks all hosts at once, so that a silent one does not delay the answer of another. The first primary counts. */
async function reachedServer({ hosts, config }: Endpoint): Promise<Probed> {
  return Promise.any(
    hosts.urls.map(async (url) => {
      const only: Hosts = { urls: [url], current: url, failed: () => {}, worked: hosts.worked }
      const surroundings: Surroundings = { hosts: only, watch: UNWATCHED }
      const client = new StoreClient({ ...config, surroundings, query_timeout: CONNECT_TIMEOUT_MS })
      client.on('error', () => {})
      try {
        await client.connect()
        await client.identify()
        const { rows } = await client.query<{ readonly pid: number }>(
          `select pid from pg_stat_activity where state = 'active'`,
        )
        return { server: client.server!, working: rows.map(({ pid }) => pid) }
      } finally {
        void client.end().catch(() => {})
      }
    }),
  )
}

/** Counts and keys stay far below 2^53. */
const getTypeParser = ((oid: number, format?: 'text') =>
  oid === types.builtins.INT8 ? Number : (types.getTypeParser(oid, format) as unknown)) as typeof types.getTypeParser

/** A probe that was watched would be probed itself. */
const UNWATCHED: SilenceWatch = { add: () => {}, remove: () => {}, close: () => {} }
