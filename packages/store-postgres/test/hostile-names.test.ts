/** Names that PostgreSQL cannot store unchanged: it would refuse or, worse, confuse them. */
import { expect, test } from 'vitest'
import { fromStored, toStored } from '../src/stored-name.ts'
import { at, draft, hold, note } from './draft.ts'
import { testSchema, written } from './kit.ts'

const ODD = [
  'a\u0000b',
  'a\u0000',
  '\u0000',
  'a',
  'a\ud800',
  'a\ud801',
  'a\udc00',
  'a\ufffd',
  'a\u001a',
  'a\u001a0000',
  'a\u001ad800',
  'a\u001a001a',
  '\ud83d\ude00',
  '\ude00\ud83d',
  `a'"\\;--$1`,
]

test('every name is read back unchanged, and no two become one', () => {
  expect(ODD.map((name) => fromStored(toStored(name)))).toEqual(ODD)
  expect(new Set(ODD.map(toStored)).size).toBe(ODD.length)
  expect(ODD.map(toStored).every((stored) => stored.isWellFormed() && !stored.includes('\0'))).toBe(true)
})

test('conversations, tenants, keys, nodes, agents, calls and tools can have such names', async () => {
  const { open } = await testSchema()
  const store = await open()
  for (const [n, name] of ODD.entries()) {
    const rows = { agent: name, holds: [hold(name, { tool: name, heldAt: n })], wakeAt: 1 }
    await store.beat(name, 60_000)
    const write = draft(name, 0, { ...rows, tenant: name, key: name, mark: name, node: name, status: 'running' })
    expect(await store.append(write)).toEqual(expect.objectContaining({ result: 'ok', owned: true }))
    expect(await store.append(write)).toEqual(expect.objectContaining({ result: 'ok', owned: true }))
  }
  for (const name of ODD) {
    expect(await store.load(at(name, name))).toEqual(expect.objectContaining({ seq: 1, agent: name }))
    expect(await store.findKey(at(name, name), name)).toBe(1)
    expect(await store.readCall(at(name, name), name)).toHaveLength(1)
    expect((await store.list({ tenant: name, agent: name, limit: 9 })).items.map(({ id }) => id)).toEqual([name])
    const { items } = await store.pending({ tenant: name, conversationId: name, agent: name, tool: name, limit: 9 })
    expect(items).toEqual([expect.objectContaining({ callId: name, tool: name, agent: name, conversationId: name })])
    expect((await store.due({ agents: [name], limit: 99 })).conversations).toEqual([at(name, name)])
  }
  expect(await store.heads(ODD.map((name) => at(name, name)))).toEqual(ODD.map(() => 1))
})

test('notifications carry such names', async () => {
  const { open } = await testSchema()
  const [store, other] = [await open(), await open()]
  const told = new Set<string>()
  store.listen(({ tenant, id }) => void told.add(JSON.stringify([tenant, id])))
  for (const name of ODD) await written(other, draft(name, 0, { tenant: name }))
  await expect.poll(() => ODD.filter((name) => !told.has(JSON.stringify([name, name])))).toEqual([])
})

test('U+0000, a lone surrogate and a megabyte inside an event are stored unchanged', async () => {
  const { open } = await testSchema()
  const value = { '\u0000': ['\ud800', '\udfff\ud800', '\u0000'], z: 1, a: 'ü\u0000"\\'.repeat(100_000) }
  await written(await open(), draft('c', 0, { events: [note(value)], base: value }))
  const other = await open()
  const [event] = await other.read(at('c'), 0)
  expect(JSON.stringify(event)).toBe(JSON.stringify({ ...note(value), seq: 1, at: 1 }))
  expect(JSON.stringify((await other.load(at('c')))?.base?.state)).toBe(JSON.stringify(value))
})

test('an invalid cursor is refused, whatever it contains', async () => {
  const { open } = await testSchema()
  const store = await open()
  const refused = expect.objectContaining({ code: 'config-invalid' })
  const odd = ['', 'x', '[]', '[1]', '[1,2,3]', '["1",2,"x"]', '[1,2,"x",4]', '{"0":1}', 'null', `[1,2,"'"]; drop`]
  for (const after of [
    ...odd,
    '[1,2.5,"x"]',
    '[1,1e300,"x"]',
    '[1,2,"\\u0000"]',
    '[1,2,"\\ud800"]',
    '[1,2,"\\u001a"]',
  ]) {
    await expect(store.pending({ tenant: '', limit: 1, after }), after).rejects.toEqual(refused)
  }
  for (const after of [...odd.filter((each) => each !== '[1]'), '["1"]', '[1.5]']) {
    await expect(store.list({ tenant: '', limit: 1, after }), after).rejects.toEqual(refused)
  }
  expect((await store.pending({ tenant: '', limit: 1, after: `[1,2,"'; drop table x; --"]` })).items).toEqual([])
})

test('the limit of a page may be infinite', async () => {
  const { open } = await testSchema()
  const store = await open()
  for (const id of ['a', 'b', 'c']) await written(store, draft(id, 0, { holds: [hold('x')] }))
  expect((await store.list({ tenant: '', limit: Infinity })).items).toHaveLength(3)
  expect((await store.pending({ tenant: '', limit: Infinity })).items).toHaveLength(3)
  expect(await store.readBack(at('a'), Infinity, Infinity)).toHaveLength(1)
  expect(await store.read(at('a'), 0, Infinity)).toHaveLength(1)
})
