/** When the main thread stays awake for an answer. Time stands still here unless a test moves it. */
import type * as os from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Store } from '@holdpoint/core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { draft, folder } from './kit.ts'

const machine = vi.hoisted(() => ({ cores: 2 }))

vi.mock('node:os', async (original) => ({
  ...(await original<typeof os>()),
  availableParallelism: () => machine.cores,
}))

const clock = { now: 0 }

/** With the last answer having come at once; and how often the store looked for one while something was done. */
async function storeWith(cores: number): Promise<{
  readonly path: string
  readonly store: Store
  readonly looks: (work: () => Promise<unknown>) => Promise<number>
}> {
  machine.cores = cores
  vi.resetModules()
  const { sqliteStore } = await import('@holdpoint/store-sqlite')
  const path = join(folder(), 'a.db')
  const store = await sqliteStore(path)
  onTestFinished(async () => {
    vi.restoreAllMocks()
    await store.close()
  })
  clock.now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => clock.now)
  const looked = vi.spyOn(globalThis, 'setImmediate')
  await store.append(draft('first', 0))
  return {
    path,
    store,
    looks: async (work) => {
      looked.mockClear()
      await work()
      const times = looked.mock.calls.length
      // The last look may still be ahead, though the answer has come.
      await turn()
      return times
    },
  }
}

test('an answer that is expected soon is looked for, but not with a single core, which the thread needs', async () => {
  const two = await storeWith(2)
  expect(await two.looks(() => two.store.append(draft('c', 0)))).toBeGreaterThan(0)
  vi.restoreAllMocks()
  const one = await storeWith(1)
  expect(await one.looks(() => one.store.append(draft('c', 0)))).toBe(0)
})

test('after an answer was looked for in vain nobody looks for a while, and for longer when it happens again', async () => {
  const { path, store, looks } = await storeWith(2)
  let seq = 0
  const soon = (at: number): Promise<number> => {
    clock.now = at
    return looks(() => store.append(draft('soon', seq++)))
  }
  /** Somebody else writes meanwhile, and the time in which an answer is soon passes. */
  const inVain = async (id: string): Promise<number> => {
    const other = new DatabaseSync(path)
    other.exec('begin immediate')
    const late = looks(() => store.append(draft(id, 0)))
    await new Promise((resolve) => process.nextTick(resolve))
    clock.now += 2
    await turn()
    other.close()
    return late
  }
  expect(await inVain('a')).toBe(1)
  expect(await soon(2), 'the last answer took long').toBe(0)
  expect(await soon(2.9)).toBe(0)
  expect(await inVain('b'), 'still').toBe(0)

  expect(await soon(5), 'the last answer took long').toBe(0)
  expect(await inVain('c')).toBe(1)
  expect(await soon(7), 'the last answer took long').toBe(0)
  expect(await soon(8.9)).toBe(0)
  expect(await soon(9), 'and one was found').toBeGreaterThan(0)

  expect(await inVain('d')).toBe(1)
  expect(await soon(11), 'the last answer took long').toBe(0)
  expect(await soon(12.9)).toBe(0)
  expect(await soon(13), 'sooner than after one more in vain').toBeGreaterThan(0)
})

test('what is sent meanwhile makes nobody look any longer for what was sent before', async () => {
  const { path, store, looks } = await storeWith(2)
  const other = new DatabaseSync(path)
  other.exec('begin immediate')
  const answers: Promise<unknown>[] = []
  const send = async (id: string): Promise<void> => {
    answers.push(store.append(draft(id, 0)))
    await new Promise((resolve) => process.nextTick(resolve))
    clock.now += 1.5
    await turn()
  }
  await send('a')
  await send('b')
  expect(await looks(() => send('c'))).toBe(0)
  other.close()
  await Promise.all(answers)
})
