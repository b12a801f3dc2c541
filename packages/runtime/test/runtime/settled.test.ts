import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, gated, noting, slow, World } from '../../../../test/kit/runtime-kit.ts'

test('settled waits until the turn of a submitted message is over', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says: [calls('work'), 'Done.'], tools: [work.tool] })
  const submitted = await a.runtime.submit('c', 'Work')
  if (!submitted.ok) throw new Error(submitted.message)

  let over = false
  const settled = a.runtime.settled('c', submitted).finally(() => (over = true))
  await world.until(() => work.started.length === 1)
  expect(over).toBe(false)
  work.release()

  expect(await settled).toMatchObject({ status: 'done', text: 'Done.' })
  expect(await a.runtime.settled('c', submitted)).toMatchObject({ status: 'done', text: 'Done.' })
})

test('settled returns at an open hold, and after the answer it waits for the end', async () => {
  const world = new World()
  const a = await world.process('a', { says: [calls('pay'), 'Paid.'], tools: [noting([], 'pay', gated)] })
  const submitted = await a.runtime.submit('c', 'Pay')
  if (!submitted.ok) throw new Error(submitted.message)

  const held = await a.runtime.settled('c', submitted)
  expect(held).toMatchObject({ status: 'held', holds: [{ name: 'pay' }] })

  await a.runtime.approve('c', held?.holds[0]?.callId ?? '')
  expect(await a.runtime.settled('c', submitted)).toMatchObject({ status: 'done', text: 'Paid.' })
})

test('settled waits for the turn of a queued message, and gives the result of that turn after later ones', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says: [calls('work')], tools: [work.tool] })
  await a.runtime.submit('c', 'One', { by: 'ann' })
  await world.until(() => work.started.length === 1)
  const queued = await a.runtime.submit('c', 'Two', { by: 'bob', whileBusy: 'queue' })
  if (!queued.ok) throw new Error(queued.message)
  expect(queued.turnId).toBeUndefined()
  const settled = a.runtime.settled('c', queued)

  for (const nth of [1, 2]) {
    await world.until(() => work.started.length === nth)
    work.release()
  }
  const second = await settled
  expect(second).toMatchObject({ status: 'done' })

  await a.runtime.submit('c', 'Three', { by: 'ann' })
  await world.until(() => work.started.length === 3)
  expect(await a.runtime.settled('c', queued)).toEqual(second)
})

test('settled follows a turn that another process drives', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says: [calls('work'), 'Done.'], tools: [work.tool] })
  const script = await world.process('b', { drive: false })
  const submitted = await a.runtime.submit('c', 'Work')
  if (!submitted.ok) throw new Error(submitted.message)
  await world.until(() => work.started.length === 1)

  const settled = script.runtime.settled('c', submitted)
  work.release()
  expect(await world.soon(settled)).toMatchObject({ status: 'done', text: 'Done.' })
})

test('settled reads on before it says that a turn waits, where no notification arrives', async () => {
  const world = new World()
  const a = await world.process('a', { says: [calls('pay'), 'Paid.'], tools: [noting([], 'pay', gated)] })
  const deaf = await world.process('b', { deaf: true, drive: false, lookMs: 3_600_000 })
  const submitted = await a.runtime.submit('c', 'Pay')
  if (!submitted.ok) throw new Error(submitted.message)
  await a.runtime.settled('c', submitted)
  const held = await deaf.runtime.settled('c', submitted)
  expect(held).toMatchObject({ status: 'held' })

  await a.runtime.approve('c', held?.holds[0]?.callId ?? '')
  await a.runtime.settled('c', submitted)
  expect(await deaf.runtime.settled('c', submitted)).toMatchObject({ status: 'done', text: 'Paid.' })
})

test('settled knows neither a turn nor a conversation that does not exist', async () => {
  const world = new World()
  const a = await world.process('a')
  await a.runtime.send('c', 'Hello')

  expect(await a.runtime.settled('c', { turnId: 'another' })).toBeUndefined()
  expect(await a.runtime.settled('elsewhere', { turnId: 'another' })).toBeUndefined()
  await expect(a.runtime.settled('c', { turnId: 7 as never })).rejects.toThrow('id of a turn')
  await expect(a.runtime.settled('c', { turnId: undefined, waitsAt: -1 })).rejects.toThrow('waitsAt')
})

test('the output of a settled turn has the defaults of its own schema, and of no other', async () => {
  const world = new World()
  const ofAgent = z.object({ city: z.string(), country: z.string().default('Norway') })
  const a = await world.process('a', { says: ['{"city":"Oslo"}'], agent: { output: ofAgent } })
  const first = await a.runtime.submit('c', 'Where?')
  const other = await a.runtime.submit('d', 'Where?', { output: z.object({ city: z.string() }) })
  if (!first.ok || !other.ok) throw new Error('refused')

  expect((await a.runtime.settled('c', first))?.output).toEqual({ city: 'Oslo', country: 'Norway' })
  expect((await a.runtime.settled('d', other))?.output).toEqual({ city: 'Oslo' })
})
