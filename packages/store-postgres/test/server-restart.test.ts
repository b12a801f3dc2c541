import type { Append, Appended } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { at, draft } from './draft.ts'
import { ownServer, testSchema, until, written } from './kit.ts'

test('no acknowledged append is lost, and none is written twice, when the server crashes while appends run', async () => {
  const server = await ownServer()
  const { open, sql, schema } = await testSchema(server.url)
  const store = await open()
  let stopped = false
  const seen = new Set<Appended['result']>()
  const writers = Array.from({ length: 10 }, async (_, n) => {
    let acknowledged = 0
    let write: Append = draft(`c${n}`, 0)
    while (!stopped) {
      const { result } = await store.append(write)
      seen.add(result)
      if (result === 'ok') write = draft(`c${n}`, ++acknowledged)
      else await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return acknowledged
  })
  for (const mode of ['immediate', 'kill', 'fast'] as const) {
    const [before] = await sql<{ n: number }>(`select count(*)::int as n from ${schema}.batches`)
    await until(async () => {
      const [now] = await sql<{ n: number }>(`select count(*)::int as n from ${schema}.batches`)
      return now!.n > before!.n + 100 || seen.has('conflict')
    })
    await server.restart(mode)
  }
  await until(async () => (await store.append(draft('last', 0))).result === 'ok')
  stopped = true
  const acknowledged = await Promise.all(writers)

  const heads = await store.heads(acknowledged.map((_, n) => at(`c${n}`)))
  for (const [n, count] of acknowledged.entries()) {
    // One more than acknowledged may be written: the one whose answer was lost in the crash.
    expect([count, count + 1]).toContain(heads[n])
    expect((await store.read(at(`c${n}`), 0)).map(({ seq }) => seq).at(-1)).toBeGreaterThan(0)
  }
  expect(seen.has('conflict'), 'a repeated append was taken for another write').toBe(false)
  expect(seen.has('failed'), 'that the server was away was met').toBe(true)
})

test('reads, notifications and leases recover after a restart of the server', async () => {
  const server = await ownServer()
  const { open } = await testSchema(server.url)
  const [store, other] = [await open(), await open()]
  let told = 0
  store.listen(() => void told++)
  await written(other, draft('c', 0))
  await until(() => told > 0)

  await server.restart('immediate')
  await until(() =>
    store.beat('n', 1000).then(
      () => true,
      () => false,
    ),
  )
  expect(await store.heads([at('c')])).toEqual([1])
  const before = told
  let seq = 1
  await until(async () => {
    if ((await other.append(draft('c', seq))).result === 'ok') seq++
    return told > before
  })
})

test('opening a store fails while its server is down, and works once it is up', async () => {
  const server = await ownServer()
  const { open } = await testSchema(server.url)
  await (await open()).close()
  const restarted = server.restart('kill')
  const tries: string[] = []
  await until(() =>
    open().then(
      () => true,
      (error: unknown) => {
        tries.push((error as { code: string }).code)
        return false
      },
    ),
  )
  await restarted
  expect(new Set(tries)).toEqual(new Set(['store-unusable']))
})
