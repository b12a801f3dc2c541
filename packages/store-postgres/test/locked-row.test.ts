/** A row that another transaction keeps locked, such as an administrator's or a backup tool's. */
import { expect, test } from 'vitest'
import { at, draft } from './draft.ts'
import { lock, testSchema, written } from './kit.ts'

test('while conversations stay locked, appends to others do not wait for their locks', async () => {
  const here = await testSchema()
  const store = await here.open()
  const locked = Array.from({ length: 100 }, (_, n) => `locked ${n}`)
  const others = Array.from({ length: 40 }, (_, n) => `other ${n}`)
  for (const id of [...locked, ...others]) await written(store, draft(id, 0))
  const release = await lock(here, locked)

  const waiting = locked.map(async (id) => {
    // As the runtime does: it repeats what failed.
    const write = draft(id, 1)
    for (;;) {
      const { result } = await store.append(write)
      if (result === 'ok') return
      expect(result).toBe('failed')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })
  let longest = 0
  await Promise.all(
    others.map(async (id) => {
      for (let seq = 1; seq <= 20; seq++) {
        const since = performance.now()
        await written(store, draft(id, seq))
        longest = Math.max(longest, performance.now() - since)
      }
    }),
  )
  // With the wait of each lock, 25 s or more. Without, a fraction of a second, but the machine may be busy.
  expect(longest).toBeLessThan(15_000)
  await release()
  await Promise.all(waiting)
  expect(await store.heads([...locked, ...others].map((id) => at(id)))).toEqual([
    ...locked.map(() => 2),
    ...others.map(() => 21),
  ])
})

test('reads and other changes continue while more conversations are locked than there are connections', async () => {
  const here = await testSchema()
  const store = await here.open({ readers: 2 })
  const locked = Array.from({ length: 6 }, (_, n) => `locked ${n}`)
  for (const id of [...locked, 'free']) await written(store, draft(id, 0, { status: 'running' }))
  const release = await lock(here, locked)
  const takeovers = locked.map((id) => store.takeOver(at(id), 'n').catch((error: unknown) => error))
  expect(await store.heads([at('free')])).toEqual([1])
  expect(await store.takeOver(at('free'), 'n')).toBe(1)
  for (const error of await Promise.all(takeovers)) expect(error).toMatchObject({ code: 'store-unavailable' })
  await release()
  expect(await store.takeOver(at('locked 0'), 'n')).toBe(1)
})
