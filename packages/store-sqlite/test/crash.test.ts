import { renameSync } from 'node:fs'
import { join } from 'node:path'
import type * as workerThreads from 'node:worker_threads'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import { actor, at, draft, folder, openStore, results } from './kit.ts'

/** Every thread that a store in this file has started. */
const threads = vi.hoisted((): workerThreads.Worker[] => [])

vi.mock('node:worker_threads', async (original) => {
  const real = await original<typeof workerThreads>()
  return {
    ...real,
    Worker: class extends real.Worker {
      constructor(...args: ConstructorParameters<typeof real.Worker>) {
        super(...args)
        threads.push(this)
      }
    },
  }
})

const running = { status: 'running' } as const

test('after kill -9 every acknowledged write is in the file, and the file is intact', async () => {
  const path = join(folder(), 'a.db')
  for (let round = 0; round < 3; round++) {
    const dies = await actor(path)
    const answered: number[] = []
    const writes = Array.from({ length: 100 }, async (_, n) => {
      const { result } = await dies.ask('append', draft(`c${round}-${n}`, 0))
      if (result === 'ok') answered.push(n)
    })
    void Promise.allSettled(writes)
    await vi.waitFor(() => expect(answered.length).toBeGreaterThan(0), { interval: 1 })
    dies.process.kill('SIGKILL')
    await dies.ended()

    const store = await openStore(path)
    const told = [...answered]
    expect(await store.heads(told.map((n) => at(`c${round}-${n}`)))).toEqual(told.map(() => 1))
    await store.close()
    const db = new DatabaseSync(path)
    expect(db.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    db.close()
  }
})

test('when the writer thread dies, its open operations are unknown, and the next write gets a new thread', async () => {
  const path = join(folder(), 'a.db')
  const store = await openStore(path, { busyTimeoutMs: 120_000 })
  // The thread waits for this lock, so that it cannot answer before it dies.
  const other = new DatabaseSync(path)
  other.exec('begin immediate')
  const write = draft('c', 0)
  const inFlight = store.append(write)
  process.nextTick(() => void threads.at(-1)?.terminate())
  expect(await inFlight).toMatchObject({ result: 'unknown', why: expect.stringMatching(/thread/) })
  other.close()
  expect(await store.append(write), 'the same write, given again').toMatchObject({ result: 'ok' })
  expect(await store.heads([at('c')])).toEqual([1])
})

test('an operation that arrives while the thread is replaced runs in the next thread', async () => {
  const store = await openStore(join(folder(), 'a.db'))
  const asked = draft('c', 0)
  const ended = threads.at(-1)?.terminate()
  await ended
  expect(results(await Promise.all([store.append(asked), store.append(draft('d', 0))]))).toEqual(['ok', 'ok'])
  await threads.at(-1)?.terminate()
  expect(await store.beat('n', 1000)).toBeGreaterThan(0)
})

test('a node stays alive when its writer thread is replaced, and listeners still get notifications', async () => {
  const path = join(folder(), 'a.db')
  const store = await openStore(path)
  const thread = threads.at(-1)
  const other = await openStore(path)
  const heard = vi.fn<() => void>()
  store.listen(heard)
  await store.beat('n', 3_600_000)
  await store.append(draft('c', 0, { node: 'n', rows: running }))
  await thread?.terminate()
  heard.mockClear()
  let seq = 0
  await vi.waitFor(async () => {
    await other.append(draft('d', seq++))
    expect(heard).toHaveBeenCalled()
  })
  expect(await other.takeOver(at('c'), 'next')).toBeUndefined()
})

test('a file that was moved away is not written to', async () => {
  const home = folder()
  const store = await openStore(join(home, 'a.db'))
  await store.append(draft('c', 0))
  renameSync(join(home, 'a.db'), join(home, 'b.db'))
  expect(await store.append(draft('c', 1))).toMatchObject({
    result: 'failed',
    why: expect.stringMatching(/moved, removed or replaced/),
  })
})

test('a write waits while another process writes', async () => {
  const path = join(folder(), 'a.db')
  const store = await openStore(path)
  const other = new DatabaseSync(path)
  other.exec('begin immediate')
  const waits = store.append(draft('c', 0))
  expect(await Promise.race([waits, new Promise((resolve) => setTimeout(resolve, 50, 'waits'))])).toBe('waits')
  other.close()
  expect(await waits).toMatchObject({ result: 'ok' })
})

test('a write that waits too long fails with a message', async () => {
  const path = join(folder(), 'a.db')
  const store = await openStore(path, { busyTimeoutMs: 20 })
  const other = new DatabaseSync(path)
  other.exec('begin immediate')
  expect(await store.append(draft('c', 0))).toMatchObject({ result: 'failed', why: expect.stringMatching(/locked/) })
  await expect(store.takeOver(at('c'), 'n')).rejects.toMatchObject({
    code: 'store-unavailable',
    message: expect.stringMatching(/takeOver.*locked/),
  })
  other.close()
})
