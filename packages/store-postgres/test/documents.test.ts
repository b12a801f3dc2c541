import type { Put, Store } from '@holdpoint/core'
import pg from 'pg'
import { expect, test } from 'vitest'
import type { Connections, Query } from '../src/connections.ts'
import { openDocuments } from '../src/documents.ts'
import { settingsOf } from '../src/settings.ts'
import { openSweep } from '../src/sweep.ts'
import { testSchema, type TestSchema } from './kit.ts'
import { proxyTo } from './proxy.ts'

const doc = (id: string, more: Partial<Put> = {}): Put => ({ tenant: '', kind: 'agent', id, data: id, ...more })

test('a change whose answer is lost is not retried: it throws, and a read shows the outcome', async () => {
  const { open, url } = await testSchema()
  const wire = await proxyTo(url)
  const store = await open({ url: wire.url })
  await store.put(doc('a'))
  const change = doc('a', { expected: 1, data: 'only once' })
  wire.loseAnswerTo('only once')
  await expect(store.put(change)).rejects.toMatchObject({ code: 'store-unavailable' })
  expect(wire.lost).toBe(1)
  expect(await store.get('', 'agent', 'a')).toMatchObject({ version: 2, data: 'only once' })
  expect(await store.put(change)).toEqual({ result: 'conflict', version: 2 })
})

test('a change that conflicts writes nothing, and so does not wait for the disk', async () => {
  const { open, sql, schema } = await testSchema()
  const store = await open()
  await store.put(doc('a'))
  const [before] = await sql(`select xmin::text, xmax::text, ctid::text from ${schema}.documents`)
  for (let n = 0; n < 5; n++) expect((await store.put(doc('a', { expected: 0 }))).result).toBe('conflict')
  expect(await sql(`select xmin::text, xmax::text, ctid::text from ${schema}.documents`)).toEqual([before])
})

test('a document that the server refuses is reported, and the next one is stored', async () => {
  const { open } = await testSchema()
  const store = await open()
  for (const wrong of [doc('a', { expected: 0.5 }), doc(Array.from({ length: 9000 }, Math.random).join())]) {
    await expect(store.put(wrong)).rejects.toMatchObject({ code: 'store-unavailable' })
  }
  expect(await store.put(doc('a', { expected: 0 }))).toEqual({ result: 'ok', version: 1 })
})

interface Plan {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Node Type': string
  readonly Plans?: readonly Plan[]
}

/** The store's own statements with their cached plan: the rows they read, and how. */
async function explained(
  { url, schema }: TestSchema,
  ask: (asked: Pick<Store, 'get' | 'documents' | 'sweep'>) => Promise<unknown>,
): Promise<{ readonly rows: number; readonly nodes: readonly string[] }> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`set enable_seqscan = off; set plan_cache_mode = force_generic_plan`)
  const seen = { rows: 0, nodes: [] as string[] }
  const look = (plan: Plan): void => {
    seen.rows += (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
    seen.nodes.push(plan['Node Type'])
    plan.Plans?.forEach(look)
  }
  const read = async ({ text, values }: Query): Promise<never[]> => {
    await client.query(`prepare asked as ${text}`)
    const given = values.map((value) => pg.escapeLiteral(String(value))).join(', ')
    const { rows } = await client.query(`explain (analyze, format json) execute asked(${given})`)
    await client.query('deallocate asked')
    look((rows[0] as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan)
    return []
  }
  const settings = settingsOf(url, { schema })
  const connections = { read } as unknown as Connections
  try {
    await ask({ ...openDocuments(settings, connections), ...openSweep(settings, connections) })
  } finally {
    await client.end()
  }
  return seen
}

test('a query for documents reads few of 100,000 rows, with and without statistics', async () => {
  const here = await testSchema()
  await (await here.open()).close()
  await here.sql(`insert into ${here.schema}.documents (tenant, kind, id, version, at, until, data)
    select 't' || n % 10, case when n % 2 = 0 then 'agent' else 'claim' end, 'call-' || n, 1, n,
      case when n % 1000 = 0 then n end, '1' from generate_series(1, 100000) n`)
  const query = { tenant: 't4', kind: 'agent', limit: 20 }
  for (const analyzed of [false, true]) {
    if (analyzed) await here.sql(`analyze ${here.schema}.documents`)
    const questions = {
      get: ({ get }: Pick<Store, 'get'>) => get('t4', 'agent', 'call-4'),
      'a page': ({ documents }: Pick<Store, 'documents'>) => documents(query),
      'a later page': ({ documents }: Pick<Store, 'documents'>) => documents({ ...query, after: 'call-5' }),
      'by prefix': ({ documents }: Pick<Store, 'documents'>) => documents({ ...query, prefix: 'call-77' }),
      both: ({ documents }: Pick<Store, 'documents'>) => documents({ ...query, prefix: 'call-7', after: 'call-77' }),
    }
    for (const [what, ask] of Object.entries(questions)) {
      const { rows, nodes } = await explained(here, ask)
      expect(rows, `${what}: ${nodes.join(', ')}`).toBeLessThan(100)
      expect(nodes).not.toContain('Sort')
    }
    const swept = await explained(here, ({ sweep }) => sweep(20))
    expect(swept.rows, swept.nodes.join(', ')).toBeLessThan(400)
  }
})
