import { expect, test } from 'vitest'
import { observeLeases } from '../src/observed-leases.ts'
import { at, draft } from './draft.ts'
import { testSchema, until, written } from './kit.ts'

test('a lease expires by the database’s clock, and its node is then fenced, whatever the node’s own clock says', async () => {
  const { open, sql } = await testSchema()
  const [store, other] = [await open(), await open()]
  const told = await store.beat('slow', 300)
  const [clock] = await sql<{ now: number }>('select extract(epoch from clock_timestamp())::float8 * 1000 as now')
  expect(Math.abs(clock!.now - told)).toBeLessThan(60_000)
  const { epoch } = await written(store, draft('c', 0, { status: 'running', node: 'slow' }))

  await other.beat('next', 60_000)
  let newEpoch: number | undefined
  await until(async () => (newEpoch = await other.takeOver(at('c'), 'next')) !== undefined)
  expect(await other.beat('next', 60_000)).toBeGreaterThanOrEqual(told + 300)
  expect(newEpoch).toBe(epoch + 1)
  expect(await store.append(draft('c', 1, { status: 'running', epoch }))).toEqual({ result: 'fenced' })
  await written(other, draft('c', 1, { status: 'running', epoch: epoch + 1 }))
})

test('the rows of long-expired nodes are deleted, and those of live nodes are not', async () => {
  const { open, sql, schema } = await testSchema()
  let offset = 0
  const store = await open({ clockOffset: () => offset })
  for (const node of ['a', 'b', 'c']) await store.beat(node, 1000)
  await store.beat('long', 10 * 3_600_000)
  offset = 2 * 3_600_000
  await store.beat('c', 1000)
  expect(await sql(`select node from ${schema}.nodes order by node`)).toEqual([{ node: 'c' }, { node: 'long' }])
})

test('`clockOffset` moves the clock of one store, and other stores use the database’s clock', async () => {
  const { open } = await testSchema()
  const [moved, plain] = [await open({ clockOffset: () => 3_600_000 }), await open()]
  const ahead = (await moved.beat('a', 1)) - (await plain.beat('b', 1))
  expect(Math.abs(ahead - 3_600_000)).toBeLessThan(60_000)
})

test('a clock that is set back by an hour does not keep the conversations of a node that is gone', async () => {
  const { open, sql, schema } = await testSchema()
  let offset = 3_600_000
  const store = await open({ clockOffset: () => offset })
  const ttlMs = 600
  await store.beat('gone', ttlMs)
  await written(store, draft('c', 0, { status: 'running', node: 'gone' }))
  for (const node of ['next', 'alive']) await store.beat(node, ttlMs)
  offset = 0
  const since = performance.now()
  await until(async () => {
    for (const node of ['next', 'alive']) await store.beat(node, ttlMs)
    return (await store.takeOver(at('c'), 'next')) !== undefined
  })
  // Not before its lease can have ended.
  expect(performance.now() - since).toBeGreaterThan(ttlMs / 2)
  expect(await sql(`select node from ${schema}.nodes order by node`)).toEqual([{ node: 'alive' }, { node: 'next' }])
})

test('a lease of another clock that no one saw begin ends after two minutes, and one that is renewed never does', () => {
  let clock = 0
  const leases = observeLeases(() => clock)
  const hour = 3_600_000
  const at = (ms: number, rows: Record<string, number>): string[] => {
    clock = ms
    const all = Object.entries(rows).map(([node, until]) => ({ node, until }))
    return leases.ended(all, ms, 15_000).map(({ node }) => node)
  }
  expect(at(0, { stuck: hour, slow: 60_000, ahead: hour })).toEqual([])
  expect(at(50_000, { stuck: hour, slow: 60_000, ahead: hour + 50_000 })).toEqual([])
  expect(at(61_000, { stuck: hour, slow: 60_000, ahead: hour + 60_000 })).toEqual(['slow'])
  expect(at(119_000, { stuck: hour, ahead: hour + 110_000 })).toEqual([])
  expect(at(121_000, { stuck: hour, ahead: hour + 120_000 })).toEqual(['stuck'])
})
