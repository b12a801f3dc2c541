/** A store whose connections lead to another server than before, or to one that cannot be written to. */
import type { Append, Store } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { at, draft } from '../../packages/store-postgres/test/draft.ts'
import { testPair } from './pair.ts'

/** Long, so that a store that waits for it is told from one that does not, on a busy machine too. */
const timeoutMs = 240_000
const SOON_MS = 60_000

test('a URL with several hosts leads to the primary, and follows it when the standby takes over', async () => {
  const { pair, open } = await testPair('synchronous')
  const url = `postgres://postgres@127.0.0.1:${pair.standby.port},127.0.0.1:${pair.primary.port}/postgres`
  const store = await open({ url: `${url}?target_session_attrs=read-write`, timeoutMs })
  await accepted(store, draft('c', 0))
  await pair.primary.kill()
  const old = await pair.promote()
  const promoted = performance.now()
  await accepted(store, draft('c', 1))
  expect(await store.heads([at('c')])).toEqual([2])
  expect(performance.now() - promoted).toBeLessThan(SOON_MS)
  await old.remove()
})

test('a standby is not read from, and the store recovers soon after the return of the primary', async () => {
  const { pair, open } = await testPair('asynchronous')
  const store = await open({ timeoutMs })
  await accepted(store, draft('c', 0))
  await pair.primary.kill()
  pair.clients.to(pair.standby.port)
  const write = draft('c', 1)
  // The first one finds its connection broken.
  await expect.poll(async () => (await store.append(write)).result).toBe('failed')
  await expect(store.heads([at('c')])).rejects.toThrow('this server cannot be written to')
  // Connections to the standby stay open meanwhile.
  await pair.primary.start()
  pair.clients.to(pair.primary.port)
  const returned = performance.now()
  await accepted(store, write)
  expect(await store.heads([at('c')])).toEqual([2])
  expect(performance.now() - returned).toBeLessThan(SOON_MS)
})

test('a server that becomes read-only under its connections fails appends, until it can be written to again', async () => {
  const { pair, open } = await testPair('asynchronous')
  const store = await open()
  await accepted(store, draft('c', 0))
  const readOnly = async (on: boolean): Promise<void> => {
    await pair.primary.connected(async (client) => {
      await client.query(`alter system set default_transaction_read_only = ${on ? 'on' : 'off'}`)
      await client.query('select pg_reload_conf()')
    })
  }
  await readOnly(true)
  await expect.poll(async () => (await store.append(draft('other', 0))).result).toBe('failed')
  await readOnly(false)
  await accepted(store, draft('c', 1))
})

test('a primary that falls silent is left long before the timeout, and an append that it may have is unknown', async () => {
  const { pair, open } = await testPair('synchronous')
  const store = await open({ timeoutMs })
  await accepted(store, draft('c', 0))
  // A read that finds no connection would give up as soon as it can make none.
  expect(await store.heads([at('c')])).toEqual([1])
  const frozen = performance.now()
  pair.primary.freeze()
  const answers = Promise.all([store.append(draft('c', 1)), store.append(draft('d', 0))])
  const read = store.heads([at('c')])
  const old = await pair.promote()
  const results = (await answers).map(({ result }) => result)
  expect(results).toContain('unknown')
  // One that found no connection was certainly not written.
  expect(['unknown', 'failed']).toEqual(expect.arrayContaining(results))
  expect(await read.catch(() => store.heads([at('c')]))).toEqual([1])
  await accepted(store, draft('c', 1))
  expect(performance.now() - frozen).toBeLessThan(SOON_MS)
  await old.remove()
})

test('a server that is only slow keeps its connections', async () => {
  const { pair, open, warnings } = await testPair('asynchronous')
  const store = await open()
  await pair.primary.sql(`create function sleep() returns trigger language plpgsql as
    $$ begin perform pg_sleep(4); return new; end $$`)
  await pair.primary.sql(
    'create trigger sleep before insert on holdpoint.batches for each row execute function sleep()',
  )
  expect((await store.append(draft('c', 0))).result).toBe('ok')
  expect(warnings).toEqual([])
})

/** Appends again until the result is known, as the runtime does. */
async function accepted(store: Store, write: Append): Promise<void> {
  for (;;) {
    const { result } = await store.append(write)
    if (result === 'ok') return
    expect(['failed', 'unknown']).toContain(result)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
