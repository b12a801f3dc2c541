import type { Address } from '@holdpoint/core'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { itemsOf, payloadsOf } from '../src/change-feed.ts'
import { at, draft } from './draft.ts'
import { testSchema, until, written } from './kit.ts'

/** The raw messages on the channel of a schema. */
async function overhear(url: string, schema: string): Promise<string[]> {
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  const heard: string[] = []
  client.on('notification', ({ payload = '' }) => void heard.push(payload))
  await client.query(`listen ${schema}`)
  return heard
}

test('a write of one handle soon reaches the listeners of another', async () => {
  const { open } = await testSchema()
  const [store, other] = [await open(), await open()]
  const told: [Address, number][] = []
  store.listen((what, seq) => void told.push([what, seq]))
  await written(other, draft('c', 0, { tenant: 'acme' }))
  const since = performance.now()
  await until(() => told.length > 0)
  expect(told).toEqual([[at('c', 'acme'), 1]])
  expect(performance.now() - since).toBeLessThan(30_000)
})

test('many writes make few messages, with each conversation once and at its newest seq', async () => {
  const { open, url, schema } = await testSchema()
  const heard = await overhear(url, schema)
  const store = await open()
  await Promise.all(Array.from({ length: 100 }, (_, n) => store.append(draft(`c${n % 50}`, Math.floor(n / 50)))))
  await store.close()
  await until(() => heard.flatMap((payload) => itemsOf('', payload)).filter(([, , seq]) => seq === 2).length === 50)
  expect(heard.length).toBeLessThan(20)
})

test('a handle is notified of its own writes at once, and not again by the server', async () => {
  const { open, url, schema } = await testSchema()
  const heard = await overhear(url, schema)
  const store = await open()
  const told: string[] = []
  store.listen(({ id }) => void told.push(id))
  await written(store, draft('own', 0))
  expect(told).toEqual(['own'])
  await until(() => heard.length > 0)
  await written(await open(), draft('foreign', 0))
  await until(() => told.includes('foreign'))
  expect(told).toEqual(['own', 'foreign'])
})

test('a conflict sends no notification', async () => {
  const { open, url, schema } = await testSchema()
  const heard = await overhear(url, schema)
  const store = await open()
  expect((await store.append(draft('c', 5))).result).toBe('conflict')
  await written(store, draft('d', 0))
  await until(() => heard.length > 0)
  expect(heard.flatMap((payload) => itemsOf('', payload))).toEqual([['', 'd', 1]])
})

test('a message never exceeds the server’s limit, and an item that is too long is left out', () => {
  const items = Array.from({ length: 1000 }, (_, n) => ['tenant', `${n}`.padEnd(60, 'ü'), n] as const)
  const huge = ['', '\u0001'.repeat(2000), 1] as const
  const payloads = payloadsOf('sender', [huge, ...items])
  expect(Math.max(...payloads.map((payload) => Buffer.byteLength(payload)))).toBeLessThan(8000)
  expect(payloads.flatMap((payload) => itemsOf('other', payload))).toEqual(items)
  expect(payloads.flatMap((payload) => itemsOf('sender', payload))).toEqual([])
  const short = Array.from({ length: 900 }, (_, n) => ['', `${n}`, 1] as const)
  expect(payloadsOf('sender', short).map((payload) => itemsOf('', payload).length)).toEqual([400, 400, 100])
})

test('foreign messages on the channel are ignored', async () => {
  const { open, sql, schema } = await testSchema()
  const store = await open()
  const told: string[] = []
  store.listen(({ id }) => void told.push(id))
  for (const payload of ['', 'x', '[', 'a[', 'a{}', 'a[1]', 'a[[1,2,3]]', 'a[null]', 'a[["t","i"]]', 'a["x"]']) {
    await sql(`select pg_notify($1, $2)`, [schema, payload])
  }
  await written(await open(), draft('c', 0))
  await until(() => told.includes('c'))
  expect(told).toEqual(['c'])
})

test('an error of a listener is reported as a warning, and the other listeners are still notified', async () => {
  const { open, warnings } = await testSchema()
  const store = await open()
  let told = 0
  store.listen(() => {
    throw new Error('no')
  })
  store.listen(() => void told++)
  await written(store, draft('c', 0))
  expect([told, warnings]).toEqual([1, ['A listener for changes threw an error.']])
})

test('listening recovers after its connection was terminated', async () => {
  const { open, sql, schema, warnings } = await testSchema()
  const [store, other] = [await open(), await open()]
  let told = 0
  store.listen(() => void told++)
  await sql(`select pg_terminate_backend(pid) from pg_stat_activity where query = $1`, [`listen ${schema}`])
  await until(() => warnings.some((warning) => warning.includes('listens for changes broke')))
  let seq = 0
  await until(async () => {
    await written(other, draft('c', seq++))
    return told > 0
  })
  expect(await store.heads([at('c')])).toEqual([seq])
})
