/** Assembles the store: opens it, connects appends to the change feed, and closes the parts in order. */
import { HoldpointError, type Address, type MovableStore, type RepairableStore, type Store } from '@holdpoint/core'
import { openAppendLanes } from './append-lanes.ts'
import { pgErrorMessage } from './pg-error.ts'
import { checkServer } from './check-server.ts'
import { connect, type Connections } from './connections.ts'
import { openFiles } from './files.ts'
import { openDispatcher, type Deadline } from './dispatcher.ts'
import { openDocuments } from './documents.ts'
import { openEndpoint, type Endpoint } from './endpoint.ts'
import { openGenerations } from './generations.ts'
import { openLoad } from './load.ts'
import { migrate } from './migrate.ts'
import { openChangeFeed } from './change-feed.ts'
import { listenNotify } from './listen-notify.ts'
import { openLogRepair } from './log-repair.ts'
import { openNotes } from './notes.ts'
import { settingsOf, type PostgresStoreOptions, type Settings } from './settings.ts'
import { openOwnership } from './ownership.ts'
import { openLists } from './lists.ts'
import { openPending } from './pending.ts'
import { openBatches } from './batches.ts'
import { openReads } from './reads.ts'
import { fromStored, toStored } from './stored-name.ts'
import { sharedSessions, sharesSessions } from './shared-sessions.ts'
import type { StoreClient } from './store-client.ts'
import { openTenantRows } from './tenant-rows.ts'
import { openSweep } from './sweep.ts'

/** Opens a store in the PostgreSQL at `url`, and creates or migrates its tables. Any number of processes can share it. */
export async function postgresStore(url: string, options: PostgresStoreOptions = {}): Promise<Store> {
  const settings = settingsOf(url, options)
  const generations = openGenerations(settings.onWarning)
  const endpoint = openEndpoint(url, settings, generations)
  const direct = settings.listenUrl === undefined ? endpoint : openEndpoint(settings.listenUrl, settings, generations)
  await prepare(settings, endpoint, direct)
  const connections = connect(settings, endpoint)
  const { schema } = settings
  const dispatcher = openDispatcher(settings, connections, direct, async (deadline) => {
    const head = await headOf(settings, connections, deadline)
    if (head) changes.notifyHere(head.what, head.seq)
  })
  const changes = await openChangeFeed(
    settings,
    settings.notifier ?? listenNotify(connections, direct),
    dispatcher.nearDeadlineElsewhere,
  )
  const lanes = openAppendLanes(settings, connections, ({ to, k, seq, deadline, unowned }) => {
    changes.notify(to, seq, { unowned, near: deadline })
    if (deadline) dispatcher.note({ tenant: toStored(to.tenant), k })
  })
  let closing: Promise<void> | undefined

  const files = openFiles(settings, connections)
  const store: MovableStore & RepairableStore = {
    ...openLoad(schema, connections),
    ...openReads(schema, connections),
    ...openBatches(schema, connections),
    ...openLists(schema, connections),
    ...openPending(schema, connections),
    ...openNotes(settings, connections),
    ...openDocuments(settings, connections),
    ...openSweep(settings, connections),
    ...openOwnership(settings, connections),
    tenantRows: openTenantRows(schema, connections),
    logRepair: openLogRepair(settings, endpoint),
    files: () => files,
    append: async (write) => (closing ? { result: 'failed', why: 'This store is closed.' } : lanes.append(write)),
    confirm: () => connections.confirm(),
    watchServer: (changed) => generations.listen(changed),
    listen: (listener) => {
      dispatcher.start()
      return changes.listen(listener)
    },
    close: () =>
      (closing ??= (async () => {
        await lanes.drain()
        await dispatcher.close()
        await changes.close()
        await connections.end()
        for (const { watch } of [endpoint, direct]) watch.close()
      })()),
  }
  return store
}

/** Uses separate connections, which are closed before the store opens its own. */
async function prepare(settings: Settings, endpoint: Endpoint, direct: Endpoint): Promise<void> {
  const clients: StoreClient[] = []
  const open = async (to: Endpoint): Promise<StoreClient> => {
    const client = await to.open()
    clients.push(client)
    return client
  }
  try {
    const client = await open(endpoint)
    await checkServer(client, settings)
    const listener = endpoint === direct ? client : await open(direct)
    if (await sharesSessions(listener, () => open(direct))) throw sharedSessions(settings)
    await migrate(client, settings.schema)
  } catch (error) {
    if (HoldpointError.is(error)) throw error
    throw new HoldpointError('store-unusable', `The store could not be opened. ${pgErrorMessage(error)}`, {
      cause: error,
    })
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
}

async function headOf(
  { schema }: Settings,
  { read }: Connections,
  { tenant, k }: Deadline,
): Promise<{ readonly what: Address; readonly seq: number } | undefined> {
  const [row] = await read<{ readonly tenant: string; readonly id: string; readonly head_seq: number }>({
    name: 'head of',
    text: `select tenant, id, head_seq from ${schema}.conversations where tenant = $1 and k = $2 and k > 0`,
    values: [tenant, k],
  })
  return row && { what: { tenant: fromStored(row.tenant), id: fromStored(row.id) }, seq: row.head_seq }
}
