import type { Appended } from '@holdpoint/core'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { at, draft, hold, note } from './draft.ts'
import { testSchema, until, written } from './kit.ts'
import { proxyTo } from './proxy.ts'

test('appends of one tick share a transaction, and each has its own answer', async () => {
  const { open, sql, schema } = await testSchema()
  const store = await open({ lanes: 1 })
  const before = draft('again', 0)
  await written(store, before)
  await written(store, draft('behind', 0))
  await written(store, draft('keyed', 0, { key: 'k' }))
  const { epoch } = await written(store, draft('driven', 0, { node: 'n', status: 'running' }))

  const answers = await Promise.all([
    store.append(draft('new', 0)),
    store.append(draft('behind', 0)),
    store.append(draft('driven', 1, { epoch: epoch - 1 })),
    store.append(draft('keyed', 1, { key: 'k' })),
    store.append(before),
    store.append(draft('driven', 1, { epoch })),
    store.append(draft('missing', 3)),
    store.append(draft('another', 0)),
    store.append(draft('new', 1)),
  ])
  expect(answers.map(({ result }) => result)).toEqual([
    'ok',
    'conflict',
    'fenced',
    'repeated',
    'ok',
    'ok',
    'conflict',
    'ok',
    'ok',
  ])
  expect(answers[4]).toHaveProperty('events', [{ ...before.events[0], seq: 1, at: 1 } as unknown])
  // One transaction wrote two. The next one wrote the append that followed another to the same conversation.
  const rows = await sql(`select count(*)::int as n from ${schema}.batches group by xmin::text order by 1`)
  expect(rows).toEqual([1, 1, 1, 1, 2, 2].map((n) => ({ n })))
})

test('of appends in one call, refused ones write nothing, and the others write all of theirs', async () => {
  const { open, sql, schema } = await testSchema()
  const store = await open({ lanes: 1 })
  for (const id of ['a', 'c', 'e']) await written(store, draft(id, 0))
  const about = (id: string) =>
    ({ status: 'held', wakeAt: 2, key: `key of ${id}`, holds: [hold(`call of ${id}`)] }) as const
  const answers = await Promise.all([
    store.append(draft('a', 5, about('a'))),
    store.append(draft('b', 0, about('b'))),
    store.append(draft('c', 0, about('c'))),
    store.append(draft('d', 0, about('d'))),
    store.append(draft('e', 1, about('e'))),
  ])
  expect(answers.map(({ result }) => result)).toEqual(['conflict', 'ok', 'conflict', 'ok', 'ok'])
  const of = (table: string, what: string) =>
    sql(`select c.id, ${what} from ${schema}.${table} t join ${schema}.conversations c on c.k = t.conv order by 1`)
  const each = (what: (id: string) => object) => ['b', 'd', 'e'].map((id) => ({ id, ...what(id) }))
  expect(await of('holds', 't.call_id')).toEqual(each((id) => ({ call_id: `call of ${id}` })))
  expect(await of('keys', 't.key')).toEqual(each((id) => ({ key: `key of ${id}` })))
  expect(await of('agenda', 't.status')).toEqual(each(() => ({ status: 'held' })))
})

test('appends that arrive during a call share the next one', async () => {
  const { open, sql, schema } = await testSchema()
  const store = await open({ lanes: 1 })
  await written(store, draft('warm', 0))
  const first = store.append(draft('first', 0))
  await new Promise((resolve) => setImmediate(resolve))
  const rest: Promise<Appended>[] = Array.from({ length: 60 }, (_, n) => store.append(draft(`c${n}`, 0)))
  expect(new Set((await Promise.all([first, ...rest])).map(({ result }) => result))).toEqual(new Set(['ok']))
  const [row] = await sql<{ n: number }>(`select count(distinct xmin::text)::int as n from ${schema}.batches`)
  expect(row!.n).toBeLessThanOrEqual(4)
})

test('the answers of a large call are delivered in two halves, so that the server stays busy', async () => {
  const { open, sql, schema } = await testSchema()
  const store = await open({ lanes: 1 })
  const twice = Array.from({ length: 20 }, async (_, n) => {
    await written(store, draft(`c${n}`, 0))
    await written(store, draft(`c${n}`, 1))
  })
  await Promise.all(twice)
  const rows = await sql(`select count(*)::int as n from ${schema}.batches group by seq, xmin::text order by seq`)
  expect(rows).toEqual([20, 10, 10].map((n) => ({ n })))
})

test('the next call is sent before the last one is answered, but never with a conversation of that call', async () => {
  const { open, url, schema } = await testSchema()
  const wire = await proxyTo(url)
  const store = await open({ url: wire.url, lanes: 1 })
  await written(store, draft('locked', 0))
  const other = new Client(url)
  await other.connect()
  await other.query('begin')
  await other.query(`select 1 from ${schema}.conversations for update`)
  const said = (text: string) => ({ events: [note(text)] })
  const first = store.append(draft('locked', 1, said('the first')))
  await until(() => wire.sent('the first'))
  const rest = [
    store.append(draft('locked', 2, said('the one after'))),
    store.append(draft('free', 0, said('another'))),
  ]
  await until(() => wire.sent('another'))
  expect(wire.sent('the one after')).toBe(false)
  await other.query('commit')
  await other.end()
  expect((await Promise.all([first, ...rest])).map(({ result }) => result)).toEqual(['ok', 'ok', 'ok'])
})

test('the appends of one conversation run in order', async () => {
  const { open } = await testSchema()
  const store = await open({ lanes: 4 })
  const ids = ['a', 'b', 'c', 'd', 'e']
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => store.append(draft(ids[n % 5]!, Math.floor(n / 5), { events: [note(n)] }))),
  )
  expect(answers.every(({ result }) => result === 'ok')).toBe(true)
})

test('an append that fails a call does not fail the others in it', async () => {
  const { open, sql, schema } = await testSchema()
  const store = await open({ lanes: 1 })
  await written(store, draft('warm', 0))
  await sql(`alter table ${schema}.batches add constraint no_evil check (events not like '%evil%')`)
  const answers = await Promise.all(
    ['a', 'evil', 'b', 'evil', 'c'].map((value, n) => store.append(draft(`c${n}`, 0, { events: [note(value)] }))),
  )
  expect(answers.map(({ result }) => result)).toEqual(['ok', 'failed', 'ok', 'failed', 'ok'])
  expect(answers[1]).toEqual(expect.objectContaining({ why: expect.stringContaining('no_evil') as unknown }))
  expect(await store.heads(['c0', 'c1', 'c2', 'c3', 'c4'].map((id) => at(id)))).toEqual([1, 0, 1, 0, 1])
})

test('two handles that race for every seq write each of them once', async () => {
  const { open } = await testSchema()
  const handles = [await open(), await open()]
  const wins = await Promise.all(
    handles.map(async (store, n) => {
      let won = 0
      for (let seq = 0; seq < 60; seq++) {
        const { result } = await store.append(draft('c', seq, { events: [note(`${n} at ${seq}`)] }))
        if (result === 'ok') won++
        else expect(result).toBe('conflict')
        // The loser reads the new head, as a writer would.
        if (result !== 'ok') await store.heads([at('c')])
      }
      return won
    }),
  )
  expect(wins[0]! + wins[1]!).toBe(60)
  const log = await handles[0]!.read(at('c'), 0)
  expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1))
})

test('an append that another process overtakes is a conflict, and none of it is written', async () => {
  const { open, url, schema } = await testSchema()
  const store = await open()
  await written(store, draft('c', 0))
  const other = new Client(url)
  await other.connect()
  await other.query('begin')
  await other.query(`update ${schema}.conversations set head_seq = 2`)
  const overtaken = store.append(draft('c', 1, { status: 'held', key: 'k', holds: [hold('call')] }))
  // It has read the old head, and waits for the row.
  await until(async () => {
    const blocked = `select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))`
    return (await other.query(blocked)).rowCount === 1
  })
  await other.query('commit')
  expect(await overtaken).toEqual({ result: 'conflict' })
  for (const [table, rows] of Object.entries({ batches: 1, keys: 0, holds: 0, agenda: 0 }))
    expect((await other.query(`select 1 from ${schema}.${table}`)).rowCount, table).toBe(rows)
  await other.end()
})

test('two processes that write to the same conversations at once do not deadlock', async () => {
  const { open, sql } = await testSchema()
  const deadlocks = (): Promise<unknown> =>
    sql('select deadlocks from pg_stat_database where datname = current_database()')
  const before = await deadlocks()
  const handles = [await open({ lanes: 1 }), await open({ lanes: 1 })]
  const ids = Array.from({ length: 40 }, (_, n) => `c${n}`)
  const rounds = handles.map(async (store, n) => {
    const order = n === 0 ? ids : ids.toReversed()
    const answers: Appended[] = []
    for (let round = 0; round < 15; round++) {
      const heads = await store.heads(order.map((id) => at(id)))
      answers.push(...(await Promise.all(order.map((id, index) => store.append(draft(id, heads[index]!))))))
    }
    return answers
  })
  const results = new Set((await Promise.all(rounds)).flat().map(({ result }) => result))
  expect([...results].filter((result) => result !== 'ok' && result !== 'conflict')).toEqual([])
  expect(await deadlocks()).toEqual(before)
})

test('a name that is too long for an index is refused without failing other appends', async () => {
  const { open } = await testSchema()
  const store = await open()
  const long = 'x'.repeat(2001)
  const answers = await Promise.all([
    store.append(draft(long, 0)),
    store.append(draft('tenant', 0, { tenant: long })),
    store.append(draft('key', 0, { key: long })),
    store.append(draft('call', 0, { holds: [hold(long)] })),
    store.append(draft('fine', 0, { tenant: 'ü'.repeat(500), key: 'ü'.repeat(999), holds: [hold('ü'.repeat(900))] })),
  ])
  expect(answers.map(({ result }) => result)).toEqual(['failed', 'failed', 'failed', 'failed', 'ok'])
  expect(answers[0]).toEqual({ result: 'failed', why: 'tenant and id: 2001 bytes, and the limit is 2000.' })
  expect(await store.load(at(long))).toBeUndefined()
})

test('an append to a closed store fails', async () => {
  const { open } = await testSchema()
  const store = await open()
  await store.close()
  expect(await store.append(draft('c', 0))).toEqual({ result: 'failed', why: 'This store is closed.' })
})
