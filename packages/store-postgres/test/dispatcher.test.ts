import { randomUUID } from 'node:crypto'
import type { Address } from '@holdpoint/core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { at, draft } from './draft.ts'
import { testSchema, until, written, type TestSchema } from './kit.ts'

interface Look {
  readonly what: Address
  readonly seq: number
  readonly when: number
}

/** A handle that listens, with its dispatcher running. */
async function listening({
  open,
  sql,
  schema,
}: TestSchema): Promise<{ readonly looks: Look[]; readonly close: () => Promise<void> }> {
  const store = await open({ dispatcher: 'graphile' })
  const looks: Look[] = []
  store.listen((what, seq, look) => look && looks.push({ what, seq, when: Date.now() }))
  // No process runs jobs before there is one.
  const tenant = randomUUID()
  await written(store, draft('near', 0, { tenant, status: 'held', wakeAt: Date.now() + 1_200_000 }))
  const mine = `select 1 from ${schema}_jobs._private_jobs where payload->>'tenant' = $1`
  const count = (): Promise<number> =>
    sql(mine, [tenant]).then(
      (rows) => rows.length,
      () => -1,
    )
  await until(async () => (await count()) === 1)
  await written(store, draft('near', 1, { tenant }))
  await until(async () => (await count()) === 0)
  return { looks, close: store.close }
}

const jobs = ({ sql, schema }: TestSchema): Promise<{ key: string; run_at: Date }[]> =>
  sql(`select key, run_at from ${schema}_jobs.jobs order by key`)

test('one listener is notified of a deadline close to its time', async () => {
  const here = await testSchema()
  const [one, two] = [await listening(here), await listening(here)]
  const writer = await here.open({ dispatcher: 'graphile' })
  const deadline = (await writer.beat('n', 1)) + 1500
  await written(writer, draft('c', 0, { tenant: 'acme', status: 'held', wakeAt: deadline }))
  await until(() => one.looks.length + two.looks.length > 0)
  const looks = [...one.looks, ...two.looks]
  expect(looks).toEqual([{ what: at('c', 'acme'), seq: 1, when: expect.any(Number) as unknown }])
  expect(looks[0]!.when).toBeGreaterThanOrEqual(deadline - 100)
  expect(looks[0]!.when - deadline).toBeLessThan(60_000)
})

test('work without an owner is reported at once, and work with an owner is not', async () => {
  const here = await testSchema()
  const { looks } = await listening(here)
  const writer = await here.open({ dispatcher: 'graphile' })
  await writer.beat('busy', 60_000)
  await written(writer, draft('driven', 0, { status: 'running', node: 'busy' }))
  await written(writer, draft('driven', 1, { status: 'running' }))
  await written(writer, draft('at rest', 0, { status: 'idle' }))
  await written(writer, draft('left alone', 0, { status: 'running' }))
  await until(() => looks.length > 0)
  expect(looks.map(({ what }) => what.id)).toEqual(['left alone'])
})

test('a deadline has one job, which moves with it and is removed with it', async () => {
  const here = await testSchema()
  await listening(here)
  const writer = await here.open({ dispatcher: 'graphile' })
  const soon = Date.now() + 1_200_000
  for (const id of ['a', 'b']) await written(writer, draft(id, 0, { status: 'held', wakeAt: soon }))
  await until(async () => (await jobs(here)).length === 2)
  await written(writer, draft('a', 1, { status: 'held', wakeAt: soon + 1000 }))
  await written(writer, draft('b', 1, { status: 'idle' }))
  await expect.poll(async () => (await jobs(here)).map(({ run_at }) => run_at.getTime())).toEqual([soon + 1000])
})

test('a deadline has no job until it is near', async () => {
  const here = await testSchema()
  const { close } = await listening(here)
  let offset = 0
  const writer = await here.open({ dispatcher: 'graphile', clockOffset: () => offset })
  const [soon, far] = [Date.now() + 1_200_000, Date.now() + 86_400_000]
  await written(writer, draft('far', 0, { status: 'held', wakeAt: far }))
  await written(writer, draft('put off', 0, { status: 'held', wakeAt: soon }))
  await until(async () => (await jobs(here)).length > 0)
  expect((await jobs(here)).map(({ run_at }) => run_at.getTime())).toEqual([soon])
  await written(writer, draft('put off', 1, { status: 'held', wakeAt: far }))
  await until(async () => (await jobs(here)).length === 0)
  await close()
  offset = 86_400_000 - 1_200_000
  writer.listen(() => {})
  await until(async () => (await jobs(here)).length === 2)
})

test('a deadline that was set when no process ran jobs gets its job from the first process that does', async () => {
  const here = await testSchema()
  const writer = await here.open({ dispatcher: 'graphile' })
  await written(writer, draft('c', 0, { status: 'held', wakeAt: Date.now() + 1_200_000 }))
  await writer.close()
  expect(here.warnings).toEqual([])
  await listening(here)
  await until(async () => (await jobs(here)).length === 1)
})

test('jobs are added after the commit, many in one statement', async () => {
  const here = await testSchema()
  await listening(here)
  const writer = await here.open({ dispatcher: 'graphile' })
  const wakeAt = Date.now() + 1_200_000
  await Promise.all(Array.from({ length: 60 }, (_, n) => writer.append(draft(`c${n}`, 0, { status: 'held', wakeAt }))))
  await until(async () => (await jobs(here)).length === 60)
  const rows = await here.sql<{ n: number }>(
    `select count(distinct xmin::text)::int as n from ${here.schema}_jobs._private_jobs`,
  )
  const shared = await here.sql(
    `select 1 from ${here.schema}_jobs._private_jobs j join ${here.schema}.batches b on b.xmin = j.xmin`,
  )
  expect(rows[0]!.n).toBeLessThan(12)
  expect(shared).toEqual([])
})

test('a process that starts to run jobs does not disturb other workers of the database', async () => {
  const first = await testSchema()
  const { looks } = await listening(first)
  // Its tables are created here, which graphile-worker announces to all workers.
  const heard: string[] = []
  const { Client } = (await import('pg')).default
  const client = new Client(first.url)
  await client.connect()
  onTestFinished(() => client.end())
  client.on('notification', ({ payload = '' }) => void heard.push(payload))
  await client.query('listen "worker:migrate"')
  await listening(await testSchema())
  await first.sql(`select pg_notify('worker:migrate', '{"migrationNumber":99,"breaking":true}')`)
  await until(() => heard.length > 0)

  expect(heard).toEqual(['{"migrationNumber":99,"breaking":true}'])
  await written(await first.open({ dispatcher: 'graphile' }), draft('c', 0, { status: 'running' }))
  await until(() => looks.length > 0)
  expect(process.exitCode).toBeUndefined()
})

test('it prints nothing, handles no signals, and recovers after its connections were terminated', async () => {
  const printed = (['log', 'info', 'warn', 'error', 'trace', 'debug'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation(() => {}),
  )
  onTestFinished(() => printed.forEach((spy) => spy.mockRestore()))
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2']
  const handlers = signals.map((signal) => process.listenerCount(signal))

  const here = await testSchema()
  const { looks } = await listening(here)
  const writer = await here.open({ dispatcher: 'graphile' })
  expect(signals.map((signal) => process.listenerCount(signal))).toEqual(handlers)
  await here.sql(`select pg_terminate_backend(pid) from pg_stat_activity where query like $1`, [
    `%${here.schema}_jobs%`,
  ])
  await here.sql(`select pg_terminate_backend(pid) from pg_stat_activity where query like 'LISTEN "jobs:insert"%'`)
  let seq = 0
  await until(async () => {
    if ((await writer.append(draft('c', seq, { status: 'running' }))).result === 'ok') seq++
    return looks.length > 0
  })
  expect(printed.flatMap((spy) => spy.mock.calls)).toEqual([])
})

test('no job queue exists until a deadline is near, and then every listening process runs one', async () => {
  const here = await testSchema()
  const queue = (): Promise<unknown[]> =>
    here.sql(`select 1 from pg_namespace where nspname = $1`, [`${here.schema}_jobs`])
  const writer = await here.open({ dispatcher: 'graphile' })
  const listener = await here.open({ dispatcher: 'graphile' })
  listener.listen(() => {})
  await written(listener, draft('far', 0, { status: 'held', wakeAt: Date.now() + 86_400_000 }))
  await written(writer, draft('running', 0, { status: 'running' }))
  await listener.close()
  expect(await queue()).toEqual([])

  // With one reading connection, its first look ahead is over when this query is answered. It can only be notified now.
  const another = await here.open({ dispatcher: 'graphile', readers: 1 })
  another.listen(() => {})
  await another.due({ limit: 1 })
  await written(writer, draft('near', 0, { status: 'held', wakeAt: Date.now() + 1_200_000 }))
  const count = (): Promise<number> =>
    jobs(here).then(
      (rows) => rows.length,
      () => -1,
    )
  await until(async () => (await count()) === 1)
})

test('without a dispatcher there are no jobs, and polling finds due conversations', async () => {
  const { open, sql, schema } = await testSchema()
  const store = await open({ dispatcher: 'none' })
  store.listen(() => {})
  await written(store, draft('c', 0, { status: 'running', wakeAt: 1 }))
  expect((await store.due({ agents: ['desk'], limit: 9 })).conversations).toEqual([at('c')])
  expect(await sql(`select 1 from pg_namespace where nspname = $1`, [`${schema}_jobs`])).toEqual([])
})
