/** Stores that notify each other over real NATS servers. Without one on the machine, only the test without NATS runs. */
import { randomUUID } from 'node:crypto'
import { NO_HASH, type Store } from '@holdpoint/core'
import { postgresStore } from '@holdpoint/store-postgres'
import { Client } from 'pg'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { natsNotifier } from '../src/index.ts'
import { natsServer, startNats } from './nats-cluster.ts'

const NONE = natsServer === undefined
if (NONE) console.warn('Notifications over NATS are not tested: there is no nats-server on this machine.')

const url = inject('postgresUrl') ?? ''

/** Appends an event to a conversation. */
async function append(store: Store, id: string): Promise<void> {
  const to = { tenant: 'acme', id }
  const { seq, hash } = (await store.load(to)) ?? { seq: 0, hash: NO_HASH }
  const rows = { agent: 'desk', status: 'idle', wakeAt: undefined, base: undefined, holds: [] } as const
  const events = [{ type: 'conversation.opened', agent: 'desk' } as const]
  const write = { to, expectedSeq: seq, follows: hash, mark: randomUUID(), events, at: 1, rows }
  expect(await store.append(write)).toMatchObject({ result: 'ok' })
}

interface Heard {
  readonly store: Store
  /** The conversations that the store was told of. */
  readonly ids: Set<string>
  readonly warnings: string[]
}

/** Stores on one new schema. */
async function opened(count: number, servers: readonly string[], prefix?: string): Promise<Heard[]> {
  const schema = `nats_${randomUUID().slice(0, 8)}`
  const all: Heard[] = []
  onTestFinished(async () => {
    await Promise.all(all.map(({ store }) => store.close()))
    const client = new Client(url)
    await client.connect()
    await client.query(`drop schema if exists ${schema} cascade`)
    await client.end()
  })
  for (let nth = 0; nth < count; nth++) {
    const warnings: string[] = []
    const notifier = natsNotifier({
      servers,
      ...(prefix !== undefined && { prefix }),
      connection: { reconnectTimeWait: 50 },
    })
    const onWarning = (message: string): void => void warnings.push(message)
    const store = await postgresStore(url, { schema, dispatcher: 'none', notifier, onWarning })
    const ids = new Set<string>()
    store.listen(({ id }) => ids.add(id))
    all.push({ store, ids, warnings })
  }
  return all
}

test.skipIf(NONE)('stores on three NATS servers hear of every write, also after one was killed', async () => {
  const nats = await startNats(3)
  onTestFinished(() => nats.stop())
  // Each store prefers another server.
  const stores = await opened(3, nats.servers)
  const [one] = stores as [Heard, Heard, Heard]
  const tellAll = async (id: string): Promise<void> => {
    // A notification may be lost while the servers find each other.
    await vi.waitFor(
      async () => {
        await append(one.store, id)
        await vi.waitFor(() => expect(stores.every(({ ids }) => ids.has(id))).toBe(true), 500)
      },
      { timeout: 60_000, interval: 10 },
    )
  }
  await tellAll('first')
  await nats.kill(0)
  await tellAll('second')
  await nats.start(0)
  await nats.kill(1)
  await tellAll('third')
  await nats.start(1)
  await nats.kill(2)
  await tellAll('fourth')
  expect(stores.flatMap(({ warnings }) => warnings)).toContain('The connection to NATS broke; it is made again.')
})

test.skipIf(NONE)('the database carries no notification of such a store', async () => {
  const nats = await startNats(1)
  onTestFinished(() => nats.stop())
  const [one, two] = (await opened(2, nats.servers)) as [Heard, Heard]
  const client = new Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  const notified: unknown[] = []
  client.on('notification', (message) => notified.push(message))
  const { rows } = await client.query(`select nspname from pg_namespace where nspname like 'nats\\_%'`)
  for (const { nspname } of rows as { nspname: string }[]) await client.query(`listen ${nspname}`)
  await append(one.store, 'c')
  await vi.waitFor(() => expect(two.ids).toContain('c'))
  // What was sent before this answer would have come with it.
  await client.query('select 1')
  expect(notified).toEqual([])
})

test('a store opens, writes and closes without NATS, and says that notifications are lost', async () => {
  const [one] = (await opened(1, ['nats://127.0.0.1:1'])) as [Heard]
  await append(one.store, 'c')
  expect(one.ids).toContain('c')
  await vi.waitFor(() => expect(one.warnings).toContain('Notifications of writes could not be sent.'))
  expect(one.warnings[0]).toMatch(/^NATS does not answer yet/)
})
