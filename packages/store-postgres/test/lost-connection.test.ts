import type { Append, Appended } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { at, draft, note } from './draft.ts'
import { lock, testSchema, until, written, type TestSchema } from './kit.ts'
import { proxyTo } from './proxy.ts'

test('a connection that breaks after the commit makes the result unknown, and a repeat of the write is not written twice', async () => {
  const { open, url, sql, schema } = await testSchema()
  const wire = await proxyTo(url)
  const store = await open({ url: wire.url })
  await written(store, draft('c', 0))

  const write = draft('c', 1, { key: 'order 7', events: [note('never heard of')] })
  wire.loseAnswerTo('never heard of')
  expect(await store.append(write)).toEqual({
    result: 'unknown',
    why: expect.stringContaining('PostgreSQL: ') as unknown,
  })
  expect(wire.lost).toBe(1)
  expect(await sql(`select head_seq from ${schema}.conversations`)).toEqual([{ head_seq: '2' }])

  expect(await store.append(write)).toEqual(expect.objectContaining({ result: 'ok' }))
  expect(await store.append(write)).toEqual(expect.objectContaining({ result: 'ok' }))
  expect(await store.heads([at('c')])).toEqual([2])
  expect(await store.append(draft('c', 2, { key: 'order 7' }))).toEqual({ result: 'repeated', seq: 2 })
})

test('repeating a write that took a conversation over, after an unknown result, returns the owner', async () => {
  const { open, url } = await testSchema()
  const wire = await proxyTo(url)
  const store = await open({ url: wire.url })
  await store.beat('n', 60_000)
  const write = draft('c', 0, { status: 'running', node: 'n', events: [note('never heard of')] })
  wire.loseAnswerTo('never heard of')
  expect((await store.append(write)).result).toBe('unknown')
  expect(await store.append(write)).toEqual(expect.objectContaining({ result: 'ok', epoch: 1, owned: true }))
})

test('all appends of a call whose connection broke are unknown, and a repeat of each returns its outcome', async () => {
  const { open, url } = await testSchema()
  const wire = await proxyTo(url)
  const store = await open({ url: wire.url, lanes: 1 })
  await written(store, draft('warm', 0))
  const writes = Array.from({ length: 20 }, (_, n) => draft(`c${n}`, 0, { events: [note(`the ${n}th`)] }))
  wire.loseAnswerTo('the 7th')
  const results = await Promise.all(writes.map((write) => store.append(write)))
  expect(new Set(results.map(({ result }) => result))).toEqual(new Set(['unknown']))
  const again = await Promise.all(writes.map((write) => store.append(write)))
  expect(new Set(again.map(({ result }) => result))).toEqual(new Set(['ok']))
  expect(await store.heads(writes.map(({ to }) => to))).toEqual(writes.map(() => 1))
})

test('if a connection with two calls breaks, both are unknown, and both can be repeated', async () => {
  const there = await testSchema()
  const { open, url } = there
  const wire = await proxyTo(url)
  const store = await open({ url: wire.url, lanes: 1 })
  await written(store, draft('warm', 0))
  const faster = await slowDown(there, 2)
  const writes = ['in front', 'behind'].map((text) => draft(text, 0, { events: [note(`what is ${text}`)] }))
  wire.loseAnswerTo('what is in front')
  const front = store.append(writes[0]!)
  await until(() => wire.sent('what is in front'))
  const behind = store.append(writes[1]!)
  await until(() => wire.sent('what is behind'))
  expect((await Promise.all([front, behind])).map(({ result }) => result)).toEqual(['unknown', 'unknown'])
  await faster()
  const again = await Promise.all(writes.map((write) => store.append(write)))
  expect(again.map(({ result }) => result)).toEqual(['ok', 'ok'])
  expect(await store.heads(writes.map(({ to }) => to))).toEqual([1, 1])
})

test('an append that never reached the server fails, and works once the server is back', async () => {
  const { open, url, warnings } = await testSchema()
  const wire = await proxyTo(url)
  const store = await open({ url: wire.url })
  await written(store, draft('c', 0))
  wire.cut()
  await until(() => warnings.some((warning) => warning.includes('idle')))
  const answers = await Promise.all([store.append(draft('c', 1)), store.append(draft('d', 0))])
  expect(answers.map(({ result }) => result)).toEqual(['failed', 'failed'])
  await expect(store.heads([at('c')])).rejects.toEqual(expect.objectContaining({ code: 'store-unavailable' }))
  wire.restore()
  await written(store, draft('c', 1))
  expect(await store.heads([at('c')])).toEqual([2])
})

test('a read whose answer got lost is retried once', async () => {
  const { open, url } = await testSchema()
  const wire = await proxyTo(url)
  const store = await open({ url: wire.url })
  await written(store, draft('some conversation', 0))
  wire.loseAnswerTo('some conversation')
  expect(await store.load(at('some conversation'))).toEqual(expect.objectContaining({ seq: 1 }))
  expect(wire.lost).toBe(1)
})

test('a takeover whose answer got lost is retried and returns the epoch', async () => {
  const { open, url } = await testSchema()
  const wire = await proxyTo(url)
  const store = await open({ url: wire.url })
  await store.beat('node 1', 60_000)
  await written(store, draft('c', 0, { status: 'running' }))
  wire.loseAnswerTo('node 1')
  const epoch = await store.takeOver(at('c'), 'node 1')
  expect(wire.lost).toBe(1)
  expect(epoch).toBe(1)
  await written(store, draft('c', 1, { epoch: 1, status: 'running' }))
})

test('a takeover that cannot be sent fails at once', async () => {
  const { open, url } = await testSchema()
  const wire = await proxyTo(url)
  const store = await open({ url: wire.url })
  wire.cut()
  await expect(store.takeOver(at('c'), 'n')).rejects.toEqual(expect.objectContaining({ code: 'store-unavailable' }))
})

test('appends continue, each written once, while their connections are terminated', async () => {
  const { open, sql } = await testSchema()
  const application = `hp ${Date.now()}`
  const store = await open({ url: `${(await testSchema()).url}?application_name=${encodeURIComponent(application)}` })
  let stopped = false
  const writers = Array.from({ length: 8 }, async (_, n) => {
    const results = new Set<Appended['result']>()
    let seq = 0
    let write: Append = draft(`c${n}`, 0)
    while (!stopped) {
      const { result } = await store.append(write)
      results.add(result)
      if (result === 'ok') write = draft(`c${n}`, ++seq)
    }
    return { results, seq }
  })
  for (let round = 0; round < 12; round++) {
    await new Promise((resolve) => setTimeout(resolve, 40))
    await sql('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [application])
  }
  stopped = true
  const ends = await Promise.all(writers)
  const heads = await store.heads(ends.map((_, n) => at(`c${n}`)))
  // The last append of a writer may be written without an answer, but never one after it.
  for (const [n, { seq }] of ends.entries()) expect([seq, seq + 1]).toContain(heads[n])
  expect(new Set(ends.flatMap(({ results }) => [...results])).has('conflict')).toBe(false)
})

test('an append to a server that does not answer times out as unknown', async () => {
  const there = await testSchema()
  const store = await there.open({ timeoutMs: 2000, lanes: 1 })
  await written(store, draft('c', 0))
  const faster = await slowDown(there, 4)
  const write = draft('c', 1)
  expect(await store.append(write)).toEqual({ result: 'unknown', why: 'PostgreSQL: Query read timeout' })
  // This waits for the first one, which is still running.
  await faster()
  expect((await store.append(write)).result).toBe('ok')
  expect(await store.heads([at('c')])).toEqual([2])
})

test('connections that the network has forgotten are replaced long before their timeout', async () => {
  const { open, url } = await testSchema()
  const wire = await proxyTo(url)
  const store = await open({ url: wire.url, timeoutMs: 240_000 })
  await written(store, draft('c', 0))
  expect(await store.heads([at('c')])).toEqual([1])
  const since = performance.now()
  wire.forget()
  const write = draft('c', 1)
  expect((await store.append(write)).result).toBe('unknown')
  await written(store, write)
  // Each idle connection is found to be lost when it is used.
  await until(() =>
    store.heads([at('c')]).then(
      ([head]) => head === 2,
      () => false,
    ),
  )
  expect(performance.now() - since).toBeLessThan(60_000)
})

test('a conversation that another process keeps locked delays only its own writers', async () => {
  const there = await testSchema()
  const store = await there.open({ timeoutMs: 20_000, lanes: 1 })
  for (const id of ['locked', 'free']) await written(store, draft(id, 0))
  const release = await lock(there, ['locked'])
  const answers = await Promise.all([store.append(draft('free', 1)), store.append(draft('locked', 1))])
  expect(answers.map(({ result }) => result)).toEqual(['ok', 'failed'])
  await release()
})

test('two calls that wait for locks in turn time out before their connection does', async () => {
  const there = await testSchema()
  const wire = await proxyTo(there.url)
  const store = await there.open({ url: wire.url, timeoutMs: 20_000, lanes: 1 })
  for (const id of ['a', 'b']) await written(store, draft(id, 0))
  const release = await lock(there, ['a', 'b'])
  const first = store.append(draft('a', 1, { events: [note('the first')] }))
  await until(() => wire.sent('the first'))
  const answers = await Promise.all([first, store.append(draft('b', 1))])
  expect(answers.map(({ result }) => result)).toEqual(['failed', 'failed'])
  await release()
})

test('the timeout of a call behind a slow one includes the time of both', async () => {
  const there = await testSchema()
  const { open, url } = there
  const wire = await proxyTo(url)
  const store = await open({ url: wire.url, timeoutMs: 5000, lanes: 1 })
  await written(store, draft('warm', 0))
  await slowDown(there, 2.8)
  const first = store.append(draft('a', 0, { events: [note('the first')] }))
  await until(() => wire.sent('the first'))
  const answers = await Promise.all([first, store.append(draft('b', 0))])
  expect(answers.map(({ result }) => result)).toEqual(['ok', 'ok'])
})

test('an append whose stored events cannot be decoded is unknown, and does not block close', async () => {
  const { open, sql, schema } = await testSchema()
  const store = await open({ lanes: 1 })
  const write = draft('damaged', 0)
  await written(store, write)
  await sql(`update ${schema}.batches set events = 'not JSON'`)
  const answers = await Promise.all([store.append(write), store.append(draft('fine', 0))])
  expect(answers.map(({ result }) => result)).toEqual(['unknown', 'ok'])
  await store.close()
})

/** Makes every append take this long, until the function that it resolves to is called. */
async function slowDown({ sql, schema }: TestSchema, seconds: number): Promise<() => Promise<void>> {
  await sql(`create function ${schema}.sleep() returns trigger language plpgsql as
    $$ begin perform pg_sleep(${seconds}); return new; end $$`)
  await sql(`create trigger sleep before insert on ${schema}.batches for each row execute function ${schema}.sleep()`)
  return async () => void (await sql(`drop trigger sleep on ${schema}.batches`))
}
