import { randomBytes } from 'node:crypto'
import type { Note, Store } from '@holdpoint/core'
import pg from 'pg'
import { expect, test } from 'vitest'
import type { Connections, Query } from '../src/connections.ts'
import { openNotes } from '../src/notes.ts'
import { settingsOf } from '../src/settings.ts'
import { openSweep } from '../src/sweep.ts'
import { at, draft } from './draft.ts'
import { testSchema, written, type TestSchema } from './kit.ts'

const noted = (seq: number, more: Partial<Note> = {}): Note => ({ kind: 'summary', seq, at: 1, data: seq, ...more })

test('kinds that PostgreSQL cannot store unchanged stay distinct', async () => {
  const { open } = await testSchema()
  const store = await open()
  await written(store, draft('c', 0))
  const kinds = ['a\u0000', 'a', 'a\ud800', 'a\udc00', 'a\ufffd', 'a\u001a', 'a\u001a0000', `a'"\\;--$1`]
  for (const kind of kinds) await store.note(at('c'), noted(1, { kind, data: { [kind]: kind } }))
  for (const kind of kinds) {
    const kept = await store.notes(at('c'), { kind, limit: 9 })
    expect(kept).toEqual([noted(1, { kind, data: { [kind]: kind } })])
  }
})

test('a note that the server refuses is reported, and the next one is stored', async () => {
  const { open } = await testSchema()
  const store = await open()
  await written(store, draft('c', 0))
  for (const wrong of [noted(1.5), noted(1, { kind: randomBytes(8000).toString('hex') })]) {
    await expect(store.note(at('c'), wrong)).rejects.toMatchObject({ code: 'store-unavailable' })
  }
  await store.note(at('c'), noted(1))
  expect(await store.notes(at('c'), { kind: 'summary', limit: 9 })).toEqual([noted(1)])
})

test('a limit of notes or of a sweep may be infinite or zero', async () => {
  const { open } = await testSchema()
  const store = await open()
  await written(store, draft('c', 0))
  await Promise.all(Array.from({ length: 1201 }, (_, n) => store.note(at('c'), noted(n, n % 2 ? { until: 1 } : {}))))
  expect(await store.notes(at('c'), { kind: 'summary', before: Infinity, limit: Infinity })).toHaveLength(601)
  for (const none of [0, -1]) {
    expect(await store.notes(at('c'), { kind: 'summary', limit: none })).toEqual([])
    expect(await store.sweep(none)).toBe(0)
  }
  expect(await store.sweep(Infinity)).toBe(600)
})

test('two concurrent sweeps and a handle that replaces notes neither wait for each other nor count twice', async () => {
  const { open } = await testSchema()
  const [store, other] = [await open(), await open()]
  await written(store, draft('c', 0))
  const numbers = Array.from({ length: 1500 }, (_, n) => n)
  await Promise.all(numbers.map((n) => store.note(at('c'), noted(n, { until: 1 }))))
  const replaced = numbers.filter((n) => n % 10 === 0).toReversed()
  const [one, two] = await Promise.all([
    store.sweep(5000),
    other.sweep(5000),
    ...replaced.map((n) => other.note(at('c'), noted(n, { data: 'replaced' }))),
  ])
  const left = (await store.sweep(5000)) + one + two
  expect(left).toBeGreaterThanOrEqual(1350)
  expect(left).toBeLessThanOrEqual(1500)
  expect(await store.notes(at('c'), { kind: 'summary', limit: 5000 })).toHaveLength(150)
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
  ask: (asked: Pick<Store, 'notes' | 'sweep'>) => Promise<unknown>,
): Promise<{ readonly rows: number; readonly nodes: ReadonlySet<string> }> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`set enable_seqscan = off; set plan_cache_mode = force_generic_plan`)
  const seen = { rows: 0, nodes: new Set<string>() }
  const look = (plan: Plan): void => {
    seen.rows += (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
    seen.nodes.add(plan['Node Type'])
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
  try {
    const settings = settingsOf(url, { schema })
    const connections = { read } as unknown as Connections
    await ask({ ...openNotes(settings, connections), ...openSweep(settings, connections) })
  } finally {
    await client.end()
  }
  return seen
}

test('a query for notes reads few of 100,000 rows, with and without statistics', async () => {
  const here = await testSchema()
  await (await here.open()).close()
  await here.sql(`insert into ${here.schema}.conversations
      (tenant, id, agent, head_seq, epoch, status, created_at, updated_at)
    select 't' || n % 10, 'c' || n, 'desk', 1, 0, 'idle', n, n from generate_series(1, 100) n`)
  await here.sql(`insert into ${here.schema}.notes (tenant, conv, kind, seq, at, until, data)
    select c.tenant, c.k, case when n % 2 = 0 then 'audit' else 'summary' end, n, n, case when n % 3 = 0 then n end, '1'
      from ${here.schema}.conversations c, generate_series(1, 1000) n`)
  const query = { kind: 'audit', limit: 20 }
  for (const analyzed of [false, true]) {
    if (analyzed) await here.sql(`analyze ${here.schema}.notes, ${here.schema}.conversations`)
    const read = await explained(here, ({ notes }) => notes(at('c7', 't7'), query))
    expect(read.rows, [...read.nodes].join(', ')).toBeLessThan(100)
    expect(read.nodes).not.toContain('Sort')
    const back = await explained(here, ({ notes }) => notes(at('c7', 't7'), { ...query, before: 500 }))
    expect(back.rows, [...back.nodes].join(', ')).toBeLessThan(100)
    const swept = await explained(here, ({ sweep }) => sweep(20))
    expect(swept.rows, [...swept.nodes].join(', ')).toBeLessThan(250)
  }
})
