/** Behind a pooler, a session of the server belongs to many clients. */
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { at, draft, hold } from './draft.ts'
import { testSchema, until, written, type TestSchema } from './kit.ts'
import { pgBouncer, PGBOUNCER } from './pg-bouncer.ts'

const NONE = PGBOUNCER === undefined
if (NONE) console.warn('No pooler is tested: there is no pgbouncer on this machine.')

const SETTINGS = ['synchronous_commit', 'lock_timeout', 'enable_seqscan', 'jit', 'default_transaction_isolation']

/** Records the settings of every append that is committed. */
async function spy({ sql, schema }: TestSchema): Promise<() => Promise<readonly string[]>> {
  await sql(`create table ${schema}.seen (commits text)`)
  await sql(`create function ${schema}.see() returns trigger language plpgsql as
    $$ begin insert into ${schema}.seen values (current_setting('synchronous_commit')); return new; end $$`)
  await sql(`create trigger see after insert on ${schema}.batches for each row execute function ${schema}.see()`)
  return async () =>
    (await sql<{ commits: string }>(`select commits from ${schema}.seen`)).map(({ commits }) => commits)
}

/** Clients of another application, which hold all sessions of the pooler at once. */
async function otherApplication(url: string, sessions: number): Promise<(text: string) => Promise<string[]>> {
  const clients = Array.from({ length: sessions }, () => new pg.Client(url))
  await Promise.all(clients.map((client) => client.connect()))
  onTestFinished(async () => {
    await Promise.all(clients.map((client) => client.end()))
  })
  return async (text) => {
    await Promise.all(clients.map((client) => client.query('begin')))
    const answers = await Promise.all(clients.map((client) => client.query<Record<string, string>>(text)))
    await Promise.all(clients.map((client) => client.query('commit')))
    return answers.map(({ rows }) => JSON.stringify(rows))
  }
}

test.skipIf(NONE)(
  'a pooler in transaction mode is refused, in one sentence, unless a direct URL is given',
  async () => {
    const here = await testSchema()
    for (const sessions of [1, 3]) {
      const url = await pgBouncer(here.url, 'transaction', sessions)
      const why =
        /^This URL is a pooler in transaction mode, .*: name a direct connection in listenUrl, or use session mode\.$/
      await expect(here.open({ url })).rejects.toThrow(why)
      await expect(here.open({ listenUrl: url })).rejects.toThrow('listenUrl is a pooler in transaction mode')
      const store = await here.open({ url, listenUrl: here.url })
      await written(store, draft(`c${sessions}`, 0))
      await store.close()
    }
  },
)

test.skipIf(NONE)('a pooler in session mode needs no second URL, and notifications arrive through it', async () => {
  const here = await testSchema()
  const url = await pgBouncer(here.url, 'session', 30)
  const [store, other] = [await here.open({ url }), await here.open({ url })]
  let told = 0
  store.listen(() => void told++)
  await written(other, draft('c', 0))
  await expect.poll(() => told, { timeout: 30_000 }).toBeGreaterThan(0)
})

test.skipIf(NONE)(
  'behind a pooler in transaction mode, every method of the store works on mixed sessions',
  async () => {
    const here = await testSchema()
    const url = await pgBouncer(here.url, 'transaction', 3)
    const options = { url, listenUrl: here.url, dispatcher: 'graphile' } as const
    const [store, other] = [await here.open(options), await here.open(options)]
    const told = new Set<string>()
    other.listen(({ id }) => void told.add(id))
    const ids = Array.from({ length: 40 }, (_, n) => `c${n}`)
    await Promise.all(
      ids.map(async (id, n) => {
        const wakeAt = Date.now() + 60_000
        const held = { status: 'held', holds: [hold(`call ${n}`)], wakeAt, labels: ['=all'] } as const
        await written(n % 2 ? store : other, draft(id, 0, held))
        expect(await other.load(at(id))).toMatchObject({ seq: 1 })
        expect((await store.append(draft(id, 0))).result).toBe('conflict')
        await written(other, draft(id, 1, { key: 'a key' }))
        expect(await store.findKey(at(id), 'a key')).toBe(2)
        expect(await store.put({ tenant: '', kind: 'k', id, data: n })).toEqual({ result: 'ok', version: 1 })
        expect(await other.get('', 'k', id)).toMatchObject({ data: n })
        await store.note(at(id), { kind: 'n', seq: 1, at: 1, data: n })
        expect(await other.notes(at(id), { kind: 'n', limit: 1 })).toMatchObject([{ data: n }])
      }),
    )
    expect((await store.list({ tenant: '', labels: ['=all'], limit: 100 })).items).toHaveLength(40)
    expect((await store.pending({ tenant: '', limit: 100 })).items).toHaveLength(40)
    expect(await store.beat('n', 1000)).toBeGreaterThan(0)
    expect((await store.due({ limit: 10 })).conversations).toEqual([])
    await until(() => told.size === 40)
  },
)

test.skipIf(NONE)('a store leaves no setting behind for other applications of the pooler', async () => {
  const here = await testSchema()
  const url = await pgBouncer(here.url, 'transaction', 3)
  const ask = await otherApplication(url, 3)
  const settings = `select ${SETTINGS.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`
  const before = await ask(settings)
  const store = await here.open({ url, listenUrl: here.url, dispatcher: 'graphile' })
  store.listen(() => {})
  await Promise.all(
    Array.from({ length: 30 }, async (_, n) => {
      await written(store, draft(`c${n}`, 0, { wakeAt: Date.now() + 1000 }))
      await store.load(at(`c${n}`))
    }),
  )
  expect(await ask(settings)).toEqual(before)
  await store.close()
  expect(await ask(settings)).toEqual(before)
})

test.skipIf(NONE)('an append is as durable in a session that another application made careless', async () => {
  const here = await testSchema()
  const url = await pgBouncer(here.url, 'transaction', 3)
  const store = await here.open({ url, listenUrl: here.url })
  const seen = await spy(here)
  const ask = await otherApplication(url, 3)
  await ask(`set synchronous_commit = off`)
  expect(new Set(await ask('show synchronous_commit'))).toEqual(new Set(['[{"synchronous_commit":"off"}]']))
  await Promise.all(Array.from({ length: 20 }, (_, n) => written(store, draft(`c${n}`, 0))))
  expect(new Set(await seen())).toEqual(new Set(['on']))
})

test('an append waits for the synchronous standby even if the role does not, and a stronger setting stays', async () => {
  const here = await testSchema()
  const role = `role_${here.schema}`
  await here.sql(`create role ${role} login superuser`)
  onTestFinished(() => here.sql(`drop owned by ${role} cascade; drop role ${role}`).then(() => {}))
  const url = new URL(here.url)
  url.username = role
  const store = await here.open()
  const seen = await spy(here)
  for (const [nth, setting] of ['local', 'remote_apply'].entries()) {
    await here.sql(`alter role ${role} set synchronous_commit = ${setting}`)
    await written(await here.open({ url: url.href }), draft('c', nth))
  }
  expect(await seen()).toEqual(['on', 'remote_apply'])
  expect(await store.heads([at('c')])).toEqual([2])
})

test('two processes whose role isolates transactions more strictly append to the same conversations', async () => {
  const here = await testSchema()
  const role = `role_${here.schema}`
  await here.sql(`create role ${role} login superuser`)
  await here.sql(`alter role ${role} set default_transaction_isolation = serializable`)
  onTestFinished(() => here.sql(`drop owned by ${role} cascade; drop role ${role}`).then(() => {}))
  const url = new URL(here.url)
  url.username = role
  const stores = [await here.open({ url: url.href }), await here.open({ url: url.href })]
  const results = await Promise.all(
    stores.flatMap((store) => Array.from({ length: 20 }, (_, n) => store.append(draft(`c${n}`, 0)))),
  )
  expect(results.filter(({ result }) => result === 'ok')).toHaveLength(20)
  expect(results.filter(({ result }) => result === 'conflict')).toHaveLength(20)
})
