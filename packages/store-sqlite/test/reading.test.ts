import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Store } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { at, draft, folder, hold, openStore } from './kit.ts'

test('unusual values and names are read back unchanged after the file was closed', async () => {
  const path = join(folder(), 'a.db')
  const odd = ['\u0000', 'a\u0000b', '\ud800', '\udfff\ud800', '"quoted"', '', '\ufeff', '💥'.repeat(3), '\\u0000']
  const first = await openStore(path)
  for (const [n, name] of odd.entries()) {
    const events = [{ type: 'state.changed', plugin: name, value: { [name]: [name, n] } }] as const
    const rows = { base: { [name]: name }, holds: [hold(name, { tool: name })] }
    const write = { ...draft('', 0, { events, rows, key: name }), to: at(name, name) }
    expect(await first.append(write)).toMatchObject({ result: 'ok' })
  }
  await first.close()
  const store = await openStore(path)
  for (const [n, name] of odd.entries()) {
    const [event] = await store.read(at(name, name), 0)
    expect(event).toMatchObject({ plugin: name, value: { [name]: [name, n] } })
    expect(await store.load(at(name, name))).toMatchObject({ base: { seq: 1, state: { [name]: name } } })
    expect((await store.pending({ tenant: name, limit: 9 })).items).toMatchObject([{ callId: name, tool: name }])
    expect(await store.readCall(at(name, name), name)).toEqual([event])
    expect(await store.findKey(at(name, name), name)).toBe(1)
  }
})

test('reading back from beyond the end of the log returns its last events', async () => {
  const store = await openStore(join(folder(), 'a.db'))
  for (const seq of [0, 1, 2]) await store.append(draft('c', seq))
  expect((await store.readBack(at('c'), 99, 2)).map(({ seq }) => seq)).toEqual([2, 3])
  expect((await store.readBack(at('c'), Infinity, 9)).map(({ seq }) => seq)).toEqual([1, 2, 3])
})

test('a failed read is reported as unavailable, and a closed store as unusable', async () => {
  const path = join(folder(), 'a.db')
  const store = await openStore(path)
  await store.append(draft('c', 0))
  const other = new DatabaseSync(path)
  other.exec('alter table batches rename to elsewhere')
  await expect(store.read(at('c'), 0)).rejects.toMatchObject({ code: 'store-unavailable' })
  other.close()
  await store.close()
  await expect(store.read(at('c'), 0)).rejects.toMatchObject({ code: 'store-unusable' })
})

test('events that are invalid JSON fail the reads of their conversation only', async () => {
  const path = join(folder(), 'a.db')
  const store = await openStore(path)
  for (const id of ['c', 'd']) await store.append(draft(id, 0))
  const other = new DatabaseSync(path)
  for (const damaged of ['[{"type"', '5']) {
    other.prepare('update batches set events = ? where pos = 1').run(damaged)
    await expect(store.load(at('c'))).rejects.toMatchObject({ code: 'log-damaged' })
  }
  other.close()
  expect((await store.load(at('d')))?.events).toHaveLength(1)
})

test('a long series of reads lets other work run in between', async () => {
  const store = await openStore(join(folder(), 'a.db'))
  await store.append(draft('c', 0))
  let turns = 0
  let reading = true
  const others = (): void => {
    turns++
    if (reading) setImmediate(others)
  }
  setImmediate(others)
  for (let n = 0; n < 1000; n++) await store.load(at('c'))
  reading = false
  expect(turns).toBeGreaterThan(10)
})

test('an invalid cursor is refused', async () => {
  const store = await openStore(join(folder(), 'a.db'))
  for (const after of ['nonsense', '[]', '{}', '[1,2]', '["a",1,"b"]', 'null']) {
    await expect(store.pending({ tenant: '', after, limit: 1 }), after).rejects.toMatchObject({
      code: 'config-invalid',
    })
    await expect(store.list({ tenant: '', after, limit: 1 }), after).rejects.toMatchObject({ code: 'config-invalid' })
  }
})

test('the first page costs the same however many rows there are', async () => {
  const path = join(folder(), 'a.db')
  const store = await openStore(path)
  await store.append(draft('first', 0))
  fill(path, 100)
  const few = [
    await cost(() => store.pending({ tenant: 't', limit: 20 })),
    await cost(() => store.list({ tenant: 't', limit: 20 })),
  ]
  fill(path, 20_000)
  const many = [
    await cost(() => store.pending({ tenant: 't', limit: 20 })),
    await cost(() => store.list({ tenant: 't', limit: 20 })),
  ]
  // Reading all of it, or sorting it, would be a hundred times as dear and more.
  for (const [index, ms] of many.entries()) expect(ms).toBeLessThan(Math.max(10 * (few[index] ?? 0), 2))
})

test.each([
  ['pending by tool', (store: Store) => store.pending({ tenant: 't', tool: 'none', limit: 20 })],
  ['pending by kind', (store: Store) => store.pending({ tenant: 't', kind: 'client', limit: 20 })],
  ['running', (store: Store) => store.list({ tenant: 't', status: 'running', limit: 20 })],
  ['held, of another tenant', (store: Store) => store.list({ tenant: 'v', status: 'held', limit: 20 })],
])('to find out that nothing is %s costs the same, however much else is there', async (_what, ask) => {
  const path = join(folder(), 'a.db')
  const store = await openStore(path)
  await store.append(draft('first', 0))
  fill(path, 100)
  const few = await cost(() => ask(store))
  fill(path, 20_000)

  expect((await ask(store)).items).toEqual([])
  expect(await cost(() => ask(store))).toBeLessThan(Math.max(10 * few, 0.5))
})

test('held conversations are found quickly among very many others', async () => {
  const path = join(folder(), 'a.db')
  const store = await openStore(path)
  await store.append({ ...draft('', 0, { rows: { status: 'held' } }), to: at('one', 't') })
  fill(path, 20_000, 'idle')

  const held = (): Promise<unknown> => store.list({ tenant: 't', status: 'held', limit: 20 })

  expect(await held()).toMatchObject({ items: [{ id: 'one' }], next: undefined })
  expect(await cost(held)).toBeLessThan(0.5)
})

test('open holds are listed in the order in which they were held, across kinds and pages', async () => {
  const store = await openStore(join(folder(), 'a.db'))
  const kinds = ['client', 'approval', 'external', 'elicitation'] as const
  for (let n = 0; n < 40; n++) {
    const holds = [hold(`call-${n}`, { kind: kinds[(n * 7) % 4]!, heldAt: Math.floor(((n * 13) % 40) / 3) })]
    await store.append(draft(`c${n}`, 0, { rows: { status: 'held', holds } }))
  }
  const whole = (await store.pending({ tenant: '', limit: 100 })).items
  const paged: (typeof whole)[number][] = []
  for (let after: string | undefined, more = true; more;) {
    const { items, next } = await store.pending({ tenant: '', limit: 7, ...(after !== undefined && { after }) })
    paged.push(...items)
    after = next
    more = next !== undefined
  }

  expect(whole.map(({ heldAt }) => heldAt)).toEqual(whole.map(({ heldAt }) => heldAt).toSorted((a, b) => a - b))
  expect(new Set(whole.map(({ kind }) => kind)).size).toBe(4)
  expect(paged).toEqual(whole)
  expect(whole).toHaveLength(40)
})

/** Inserts conversations with one open hold each, for two tenants, without the store. */
function fill(path: string, count: number, status = 'held'): void {
  const db = new DatabaseSync(path, { timeout: 5000 })
  db.exec(`
    begin;
    create temp table n as with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n;
    insert into conversations(tenant, id, agent, status, epoch, created_at)
      select iif(i % 2, 't', 'u'), 'id' || (i + (select max(k) from conversations)), 'desk', '${status}', 1, i from n;
    insert into batches(conv, seq, at, mark, events) select k, 1, 1, 'm', '[]' from conversations
      where k not in (select conv from batches);
    insert into holds(conv, call_id, tenant, tool, kind, held_at, expires_at, seqs)
      select k, 'call', tenant, 'tool', 'approval', k % 7, 2, '[1]' from conversations where k not in (select conv from holds);
    commit`)
  db.close()
}

/** The median of several runs. */
async function cost(what: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 21; round++) {
    const start = performance.now()
    await what()
    times.push(performance.now() - start)
  }
  return times.toSorted((a, b) => a - b)[10] ?? 0
}
