import { join } from 'node:path'
import type { Address } from '@holdpoint/core'
import { expect, test, vi } from 'vitest'
import { actor, at, draft, folder, openStore } from './kit.ts'

test('two processes that append to one conversation leave no gaps and no duplicates', async () => {
  const path = join(folder(), 'a.db')
  const [one, other] = await Promise.all([actor(path), actor(path)])
  const marks = await Promise.all([one.compete('c', 150), other.compete('c', 150), one.compete('d', 50)])
  const store = await openStore(path)
  const events = await store.read(at('c'), 0)
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 300 }, (_, index) => index + 1))
  const written = events.map((event) => ('plugin' in event ? event.plugin : ''))
  expect(written.toSorted()).toEqual([...marks[0], ...marks[1]].toSorted())
  expect(await store.heads([at('d')])).toEqual([50])
})

test('a listener gets each write of another process once and in order', async () => {
  const path = join(folder(), 'a.db')
  const store = await openStore(path)
  const other = await actor(path)
  await other.ask('append', draft('before', 0))
  const heard: [Address, number][] = []
  store.listen((what, seq) => heard.push([what, seq]))
  for (const seq of [0, 1, 2]) await other.ask('append', { ...draft('c', seq), to: at('c', 'acme') })
  await vi.waitFor(() => expect(heard).toHaveLength(3))
  expect(heard).toEqual([1, 2, 3].map((seq) => [at('c', 'acme'), seq]))
})

test('a listener gets each of its own writes once, also between writes of others', async () => {
  const path = join(folder(), 'a.db')
  const [store, second] = [await openStore(path), await openStore(path)]
  const heard: string[] = []
  store.listen(({ id }, seq) => heard.push(`${id} ${seq}`))
  for (const seq of [0, 1, 2, 3, 4]) {
    await second.append(draft('theirs', seq))
    await store.append(draft('ours', seq))
  }
  await second.append(draft('end', 0))
  await vi.waitFor(() => expect(heard).toContain('end 1'))
  const all = ['ours', 'theirs'].flatMap((id) => [1, 2, 3, 4, 5].map((seq) => `${id} ${seq}`))
  expect(heard.toSorted()).toEqual(['end 1', ...all])
})

test('a write that took two attempts is reported once', async () => {
  const path = join(folder(), 'a.db')
  const [store, second] = [await openStore(path), await openStore(path)]
  const heard: string[] = []
  store.listen(({ id }) => heard.push(id))
  await Promise.all([store.append(draft('good', 0)), store.append(draft('bad', 0, { at: Number.NaN }))])
  await second.append(draft('end', 0))
  await vi.waitFor(() => expect(heard).toContain('end'))
  expect(heard).toEqual(['good', 'end'])
})

test('a listener that was removed gets no notifications', async () => {
  const path = join(folder(), 'a.db')
  const [store, second] = [await openStore(path), await openStore(path)]
  const [gone, stays] = [vi.fn<() => void>(), vi.fn<() => void>()]
  const stop = store.listen(gone)
  const stopLast = store.listen(stays)
  stop()
  await second.append(draft('c', 0))
  await vi.waitFor(() => expect(stays).toHaveBeenCalledTimes(1))
  stopLast()
  await second.append(draft('c', 1))
  await store.append(draft('c', 2))
  expect([gone, stays].map(({ mock }) => mock.calls.length)).toEqual([0, 1])
})
