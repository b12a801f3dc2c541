/** Puts a store together: opens it, lets appends tell others of what they wrote, and closes it in the right order. */
import { HoldpointError, type Address, type Store } from '@holdpoint/core'
import { Client } from 'pg'
import { openLanes } from './append-lanes.ts'
import { why } from './broken.ts'
import { checkServer } from './check-server.ts'
import { clientOf, connect, prepareSession, type Connections } from './connections.ts'
import { openDispatcher, type Deadline } from './dispatcher.ts'
import { openDocuments } from './documents.ts'
import { openLoad } from './load.ts'
import { migrate } from './migrate.ts'
import { openNews } from './news.ts'
import { openNotes } from './notes.ts'
import { settingsOf, type PostgresStoreOptions, type Settings } from './options.ts'
import { openOwnership } from './ownership.ts'
import { openQuestions } from './questions.ts'
import { openReads } from './reads.ts'
import { fromStored, toStored } from './storable-text.ts'
import { openSweep } from './sweep.ts'

/** Opens conversations in the PostgreSQL at `url`, and makes or updates their tables. Any number of processes may. */
export async function postgresStore(url: string, options: PostgresStoreOptions = {}): Promise<Store> {
  const settings = settingsOf(url, options)
  await prepare(settings)
  const connections = connect(settings)
  const { schema } = settings
  const dispatcher = openDispatcher(settings, connections, async (deadline) => {
    const there = await headOf(settings, connections, deadline)
    if (there) news.look(there.what, there.seq)
  })
  const news = await openNews(settings, connections, dispatcher.heard)
  const lanes = openLanes(settings, connections.writers, ({ to, k, seq, deadline, work }) => {
    news.spread(to, seq, { work, near: deadline })
    if (deadline) dispatcher.note({ tenant: toStored(to.tenant), k })
  })
  let closing: Promise<void> | undefined

  return {
    ...openLoad(schema, connections),
    ...openReads(schema, connections),
    ...openQuestions(schema, connections),
    ...openNotes(settings, connections),
    ...openDocuments(settings, connections),
    ...openSweep(settings, connections),
    ...openOwnership(settings, connections),
    append: async (write) => (closing ? { result: 'failed', why: 'This store is closed.' } : lanes.append(write)),
    listen: (changed) => {
      dispatcher.start()
      return news.listen(changed)
    },
    close: () =>
      (closing ??= (async () => {
        await lanes.drain()
        await dispatcher.close()
        await news.close()
        await connections.end()
      })()),
  }
}

/** On a connection of its own, which is gone before the store opens any that stay. */
async function prepare(settings: Settings): Promise<void> {
  const client = new Client(clientOf(settings))
  client.on('error', () => {})
  try {
    await client.connect()
    await prepareSession(client, settings)
    await checkServer(client, settings)
    await migrate(client, settings.schema)
  } catch (error) {
    if (HoldpointError.is(error)) throw error
    throw new HoldpointError('store-unusable', `The store could not be opened. ${why(error)}`, { cause: error })
  } finally {
    await client.end().catch(() => {})
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
