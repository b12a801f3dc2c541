import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { actor, at, draft, folder, openStore } from './kit.ts'

const running = { status: 'running' } as const
const mine = { agents: ['desk'], limit: 10 } as const
const locksBeside = (path: string): string[] =>
  readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}-node-`))

test('conversations of a killed process are free at once, however long its lease', async () => {
  const path = join(folder(), 'a.db')
  const store = await openStore(path)
  const dies = await actor(path)
  await dies.ask('beat', 'dies', 3_600_000)
  expect(await dies.ask('append', draft('c', 0, { node: 'dies', rows: running }))).toMatchObject({ owned: true })
  expect(await store.due(mine)).toMatchObject({ conversations: [] })
  expect(await store.takeOver(at('c'), 'next')).toBeUndefined()

  dies.process.kill('SIGKILL')
  await dies.ended()
  expect(await store.due(mine)).toMatchObject({ conversations: [at('c')] })
  expect(await store.takeOver(at('c'), 'next')).toBe(2)
})

test('a message to a conversation of a killed process makes its sender the owner', async () => {
  const path = join(folder(), 'a.db')
  const store = await openStore(path)
  const dies = await actor(path)
  await dies.ask('beat', 'dies', 3_600_000)
  await dies.ask('append', draft('c', 0, { node: 'dies', rows: running }))
  const early = await store.append(draft('c', 1, { node: 'next', rows: running }))
  expect(early).toMatchObject({ result: 'ok', owned: false, epoch: 1 })
  dies.process.kill('SIGKILL')
  await dies.ended()
  const late = await store.append(draft('c', 2, { node: 'next', rows: running }))
  expect(late).toMatchObject({ result: 'ok', owned: true, epoch: 2 })
})

test('a stopped process loses its conversations when its lease expires, and is fenced when it resumes', async () => {
  const path = join(folder(), 'a.db')
  let late = 0
  const store = await openStore(path, { now: () => Date.now() + late })
  const sleeps = await actor(path)
  await sleeps.ask('beat', 'sleeps', 60_000)
  await sleeps.ask('append', draft('c', 0, { node: 'sleeps', rows: running }))
  sleeps.process.kill('SIGSTOP')
  late = 30_000
  expect(await store.takeOver(at('c'), 'next')).toBeUndefined()
  late = 61_000
  expect(await store.takeOver(at('c'), 'next')).toBe(2)

  sleeps.process.kill('SIGCONT')
  expect(await sleeps.ask('append', draft('c', 1, { epoch: 1, rows: running }))).toEqual({ result: 'fenced' })
  expect(locksBeside(path), 'its lock is its own until it ends').toHaveLength(1)
})

test('the rows and files of dead nodes are removed when another process looks for work', async () => {
  const path = join(folder(), 'a.db')
  let late = 0
  const store = await openStore(path, { now: () => Date.now() + late })
  const dies = await actor(path)
  await dies.ask('beat', 'dies', 1000)
  await store.beat('lives', 3_600_000)
  dies.process.kill('SIGKILL')
  await dies.ended()
  expect(locksBeside(path)).toHaveLength(2)
  late = 2000
  await store.due(mine)
  expect(locksBeside(path)).toHaveLength(1)
})

test('a node that leaves, or whose store closes, is no longer alive', async () => {
  const path = join(folder(), 'a.db')
  const [store, closes] = [await openStore(path), await openStore(path)]
  await store.beat('leaves', 3_600_000)
  await closes.beat('closes', 3_600_000)
  for (const node of ['leaves', 'closes']) await store.append(draft(node, 0, { node, rows: running }))
  expect(await store.due(mine)).toMatchObject({ conversations: [] })
  await store.leave('leaves')
  expect(await store.due(mine)).toMatchObject({ conversations: [at('leaves')] })
  await closes.close()
  expect((await store.due(mine)).conversations).toHaveLength(2)
  expect(locksBeside(path)).toEqual([])
})

test('two handles may send heartbeats for one node, which is alive while one of them is', async () => {
  const path = join(folder(), 'a.db')
  const [store, second, third] = [await openStore(path), await openStore(path), await openStore(path)]
  await store.beat('n', 3_600_000)
  await second.beat('n', 3_600_000)
  await store.append(draft('c', 0, { node: 'n', rows: running }))
  await store.close()
  await second.beat('n', 3_600_000)
  expect(await third.takeOver(at('c'), 'next')).toBeUndefined()
})

test('a removed lock file is taken again with the next heartbeat', async () => {
  const path = join(folder(), 'a.db')
  const [store, second] = [await openStore(path), await openStore(path)]
  await store.beat('n', 3_600_000)
  await store.append(draft('c', 0, { node: 'n', rows: running }))
  for (const name of locksBeside(path)) rmSync(join(dirname(path), name))
  await store.beat('n', 3_600_000)
  expect(await second.takeOver(at('c'), 'next')).toBeUndefined()
})

test('many deadlines do not hide abandoned work from `due`, nor the other way round', async () => {
  const store = await openStore(join(folder(), 'a.db'))
  for (let n = 0; n < 6; n++) {
    await store.append(draft(`late${n}`, 0, { rows: { status: 'held', wakeAt: n + 1 } }))
    await store.append(draft(`lost${n}`, 0, { rows: running }))
  }
  const { conversations } = await store.due({ agents: ['desk'], limit: 4 })
  expect(conversations.map(({ id }) => id)).toEqual(['late0', 'lost0', 'late1', 'lost1'])
})

test('lock files that no process holds are removed when the database is opened', async () => {
  const path = join(folder(), 'a.db')
  const [dies, lives] = [await actor(path), await actor(path)]
  await dies.ask('beat', 'dies', 3_600_000)
  await lives.ask('beat', 'lives', 3_600_000)
  dies.process.kill('SIGKILL')
  await dies.ended()
  expect(locksBeside(path)).toHaveLength(2)
  const store = await openStore(path)
  expect(locksBeside(path)).toHaveLength(1)
  await lives.ask('append', draft('c', 0, { node: 'lives', rows: running }))
  expect(await store.takeOver(at('c'), 'next'), 'the other process still counts as alive').toBeUndefined()
})
