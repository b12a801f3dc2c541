/** What a process knows of the tasks in the store: nothing is forgotten, and a store that fails is not asked in a loop. */
import { manualClock, type ManualClock } from '@holdpoint/testing'
import { memoryStore, type Store } from 'holdpoint'
import { expect, test } from 'vitest'
import { Tasks, type TaskResult } from '../src/tasks.ts'

const TASK = { id: 'copy/1', group: 'channel phone', what: {} }

interface Opened {
  readonly clock: ManualClock
  readonly tasks: Tasks
  readonly ran: string[]
  readonly problems: unknown[]
}

/** `around`: methods of the store that do something else. `first`: the result of the first work. */
function open(around: (store: Store) => Partial<Store>, first?: TaskResult): Opened {
  const clock = manualClock()
  const store = memoryStore({ now: clock.now })
  const ran: string[] = []
  const problems: unknown[] = []
  const worker = {
    work: async ({ id }: { readonly id: string }) => {
      ran.push(id)
      return ran.length === 1 && first ? first : ({ done: true } as const)
    },
    retryAfter: () => undefined,
    problem: (error: unknown) => void problems.push(error),
  }
  const tasks = new Tasks({ ...store, ...around(store) }, clock, worker, () => tasks.begin())
  return { clock, tasks, ran, problems }
}

test('a task that is added while all tasks are read is not forgotten', async () => {
  const gate = Promise.withResolvers<void>()
  const { tasks, ran, clock } = open((store) => ({
    documents: async (query) => {
      const page = await store.documents(query)
      await gate.promise
      return page
    },
  }))
  const reading = tasks.refresh()
  await tasks.add(TASK)
  gate.resolve()
  await reading
  tasks.begin()
  await clock.advance(0)
  expect(ran).toEqual([TASK.id])
})

test('a task that becomes due again while all tasks are read is done again, though the page shows an older claim', async () => {
  const gate = Promise.withResolvers<void>()
  const { tasks, ran, clock } = open(
    (store) => ({
      documents: async (query) => {
        const page = await store.documents(query)
        await gate.promise
        return page
      },
    }),
    { at: manualClock().now() + 5000 },
  )
  await tasks.add(TASK)
  tasks.begin()
  // The page is read while the task is claimed, and arrives when the work has ended.
  const reading = tasks.refresh()
  await clock.advance(0)
  gate.resolve()
  await reading
  await clock.advance(5000)
  tasks.begin()
  await clock.advance(0)
  expect(ran).toEqual([TASK.id, TASK.id])
})

test('while the store refuses writes, a due task is tried once a second', async () => {
  let refused = 0
  let full = false
  const { tasks, ran, problems, clock } = open((store) => ({
    put: async (put) => {
      if (!full) return store.put(put)
      refused++
      await new Promise((resolve) => setImmediate(resolve))
      throw new Error('The disk is full.')
    },
  }))
  await tasks.add(TASK)
  full = true
  for (let seconds = 0; seconds < 5; seconds++) {
    tasks.begin()
    for (let turns = 0; turns < 10; turns++) await clock.advance(0)
    await clock.advance(1000)
  }
  expect(refused).toBe(5)
  expect(problems).toHaveLength(5)
  full = false
  tasks.begin()
  await clock.advance(0)
  expect(ran).toEqual([TASK.id])
})
