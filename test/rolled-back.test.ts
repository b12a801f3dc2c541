/** The store loses its newest writes under processes that go on running: only those writes may be lost, and the operator is told. */
import { HoldpointError, type Appended } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { restorable } from './kit/restorable.ts'
import {
  calls,
  expectSound,
  gated,
  heldId,
  inMemory,
  LEASE,
  noting,
  outcomes,
  slow,
  types,
  World,
  writesOf,
  type Process,
} from './kit/runtime-kit.ts'

const LOST = { code: 'store-rolled-back' }

function codes({ problems }: Process): readonly unknown[] {
  return problems.map(({ error }) => (HoldpointError.is(error) ? error.code : error))
}

function messages({ problems }: Process): string {
  return problems.map(({ error }) => (error as Error).message).join('\n')
}

test('one person’s no is lost, and another’s yes is accepted: the call has one outcome, and the process that knows of the no starts again', async () => {
  const place = restorable()
  const world = new World(place)
  const says = [calls('pay'), calls('work'), 'Done.']
  const ran: string[] = []
  const work = [slow('work'), slow('work')] as const
  const tools = work.map(({ tool }) => [noting(ran, 'pay', gated), tool])
  const a = await world.process('a', { says, tools: tools[0]! })
  const b = await world.process('b', { says, tools: tools[1]! })
  await world.soon(a.runtime.send('c', 'Pay'))
  const call = await heldId(a, 'pay')
  const restore = place.keep()

  expect(await a.runtime.reject('c', call)).toMatchObject({ verdict: 'accepted' })
  await world.until(() => work[0].started.length > 0)
  restore()
  expect(await b.runtime.approve('c', call)).toMatchObject({ verdict: 'accepted' })
  await world.until(() => work[1].started.length > 0)
  work[0].release('a’s work')
  await world.pass(3000)
  work[1].release('b’s work')
  await world.pass(LEASE + 3000)

  const log = await world.log()
  expectSound(log, b)
  expect(ran).toEqual([`pay ${call}`])
  expect(outcomes(log)).toMatchObject({ [call]: { ok: true, value: 'pay done' } })
  expect(types(log).at(-1)).toBe('model.replied')
  expect(JSON.stringify(log)).not.toContain('a’s work')
  expect(a.problems[0]).toMatchObject({ error: LOST, conversation: { id: 'c' } })
  expect(codes(b)).toEqual([])
  expect(await a.runtime.send('c', 'And now?')).toMatchObject({ status: expect.stringMatching(/held|done/) })
  expectSound(await world.log(), b)
})

test('a turn does not continue from an answer that is not in the log', async () => {
  const place = restorable()
  const world = new World(place)
  const work = slow('work')
  const says = [calls('pay'), calls('work'), 'Done.']
  const a = await world.process('a', { says, tools: [noting([], 'pay', gated), work.tool] })
  await world.soon(a.runtime.send('c', 'Pay'))
  const call = await heldId(a, 'pay')
  const restore = place.keep()
  const before = await world.log()
  await a.runtime.approve('c', call)
  await world.until(() => work.started.length > 0)
  const known = await world.log()

  restore()
  work.release()
  await world.pass(5000)

  expect(await world.log()).toEqual(before)
  expect(messages(a)).toContain(`lost ${known.length - before.length} acknowledged events of "c"`)
  expect(await heldId(a, 'pay')).toBe(call)
  expect(await a.runtime.approve('c', call)).toMatchObject({ verdict: 'accepted' })
  await world.until(() => work.started.length > 1)
  work.release()
  await world.pass(3000)
  expect(types(await world.log()).at(-1)).toBe('model.replied')
  expectSound(await world.log(), a)
})

test('a caller whose turn is gone is told so, and appends do not go in a circle', async () => {
  const place = restorable()
  const world = new World(place)
  const work = slow('work')
  const a = await world.process('a', { says: [calls('work'), 'Done.'], tools: [work.tool] })
  const restore = place.keep()
  const sending = a.runtime.send('c', 'Hi')
  const queued = world
    .until(() => work.started.length > 0)
    .then(() => a.runtime.send('c', 'And this', { whileBusy: 'queue' }))
  await world.until(() => work.started.length > 0)
  await world.until(async () => types(await world.log()).includes('message.queued'))
  const events = (await world.log()).length
  const writes = writesOf(a).length

  restore()
  work.release()
  expect(await world.soon(Promise.allSettled([sending, queued]))).toMatchObject([
    { status: 'rejected', reason: LOST },
    { status: 'rejected', reason: LOST },
  ])

  expect(writesOf(a).length - writes).toBeLessThan(5)
  expect(await world.log()).toEqual([])
  expect(codes(a)).toEqual(['store-rolled-back'])
  expect(messages(a)).toContain(`lost ${events} acknowledged events of "c"`)
  const again = a.runtime.send('c', 'Hi')
  await world.until(() => work.started.length > 1)
  work.release()
  expect(await world.soon(again)).toMatchObject({ status: 'done', text: 'Done.' })
})

test('a store that refuses every append and shows no other events is reported, and not asked for ever', async () => {
  let refused = 0
  let refuses = false
  const place = inMemory()
  const world = new World({
    open: async (clock) => {
      const store = await place.open(clock)
      const conflict = async (): Promise<Appended> => (refused++, { result: 'conflict' })
      return { ...store, append: (write) => (refuses ? conflict() : store.append(write)) }
    },
  })
  const a = await world.process('a', { says: ['Hi.'] })
  await world.soon(a.runtime.send('c', 'Hi'))
  refuses = true

  await expect(world.soon(a.runtime.send('c', 'Again'))).rejects.toMatchObject({ code: 'store-unavailable' })

  expect(refused).toBeGreaterThan(5)
  expect(refused).toBeLessThan(50)
})

test('a takeover that the store lost is made again', async () => {
  const place = restorable()
  const world = new World(place)
  let away = false
  const a: Process = await world.process('a', { says: [() => (a.kill(), 'never heard')] })
  const b = await world.process('b', {
    says: ['Done.'],
    before: (question) => {
      if (away && question === 'append') throw new Error('The connection broke.')
    },
  })
  void a.runtime.submit('c', 'Hi')
  await world.calm()
  const restore = place.keep()
  away = true
  await world.pass(LEASE + 2000)
  expect(b.model.requests).toHaveLength(1)

  restore()
  away = false
  await world.pass(2 * LEASE)

  expect(types(await world.log())).toEqual(['turn.started', 'model.replied'])
})

test('a reader who has events that are gone is told to read again', async () => {
  const place = restorable()
  const world = new World(place)
  const a = await world.process('a', { says: ['One.', 'Two.'] })
  const b = await world.process('b', { drive: false })
  await world.soon(a.runtime.send('c', 'One'))
  const restore = place.keep()
  await world.soon(a.runtime.send('c', 'Two'))
  const readers = [a, b].map(({ runtime }) => runtime.subscribe('c').forEach(() => {}))
  const ended = Promise.allSettled(readers)
  await world.pass(2000)

  restore()
  await world.pass(3000)

  const rejected = { status: 'rejected', reason: LOST }
  expect(await world.soon(ended)).toMatchObject([rejected, rejected])
})
