import { proves } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import {
  calls,
  count,
  expectSound,
  gated,
  heldId,
  noting,
  outcomes,
  slow,
  timesAsked,
  types,
  World,
} from '../../../../test/kit/runtime-kit.ts'

const says = [calls('work'), 'Done.']

test(
  proves(
    'close.hands-over',
    'closing lets a running tool finish, writes its result, begins nothing new, and another goes on at once',
  ),
  async () => {
    const world = new World()
    const work = slow('work')
    const ran: string[] = []
    const tools = [work.tool, noting(ran, 'second')]
    const a = await world.process('a', { says: [calls('work'), calls('second'), 'Done.'], tools })
    const b = await world.process('b', { says: [calls('work'), calls('second'), 'Done.'], tools })
    await a.runtime.submit('c', 'Work')
    await world.until(() => work.started.length === 1)

    const closing = a.runtime.close()
    await world.calm()
    work.release()
    await world.soon(closing)
    expect(types(await world.log()).at(-1)).toBe('call.settled')
    expect([a.model.requests.length, ran.length]).toEqual([1, 0])

    await world.pass(1500)
    expect(types(await world.log()).at(-1)).toBe('model.replied')
    expect(b.model.requests).toHaveLength(2)
    expect(work.started).toHaveLength(1)
    expectSound(await world.log(), a, b)
  },
)

test('closing lets the model finish its reply, and the next process runs the calls in it', async () => {
  const world = new World()
  const ran: string[] = []
  const speaking = Promise.withResolvers<void>()
  const setup = { says, tools: [noting(ran, 'work')] }
  const a = await world.process('a', { ...setup, before: (question) => (question === 'append' ? wait() : undefined) })
  const wait = (): Promise<void> | undefined => (a.model.requests.length > 0 ? speaking.promise : undefined)
  await a.runtime.submit('c', 'Work')
  await world.calm()

  const closing = a.runtime.close()
  await world.calm()
  speaking.resolve()
  await world.soon(closing)

  expect(count(await world.log(), 'model.replied')).toBe(1)
  expect(ran.length).toBe(count(await world.log(), 'call.started'))
  const b = await world.process('b', setup)
  await world.calm()
  expect(outcomes(await world.log())).toMatchObject({ 'a-2.1.1': { ok: true } })
  expect(ran).toHaveLength(1)
  expectSound(await world.log(), a, b)
})

test('a tool that takes longer than the grace is left: it is told to stop, and the next process finds a lost call', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says, tools: [work.tool], graceMs: 3000 })
  await a.runtime.submit('c', 'Work')
  await world.until(() => work.started.length === 1)
  let closed = false
  const closing = a.runtime.close().then(() => (closed = true))

  await world.pass(2500)
  expect(closed).toBe(false)
  await world.pass(1000)
  await closing
  expect(work.aborted).toHaveLength(1)

  work.release('too late')
  const b = await world.process('b', { says, tools: [work.tool] })
  await world.until(() => work.started.length === 2)
  work.release('in time')
  await world.calm()
  expect(outcomes(await world.log())).toEqual({ 'a-2.1.1': { ok: true, value: 'in time' } })
  expectSound(await world.log(), a, b)
})

test('the lease is renewed while a long tool finishes, so no other process takes its conversation', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says, tools: [work.tool], graceMs: 120_000 })
  const b = await world.process('b', { says, tools: [work.tool] })
  await a.runtime.submit('c', 'Work')
  await world.until(() => work.started.length === 1)

  const closing = a.runtime.close()
  await world.pass(60_000)
  work.release()
  await world.soon(closing)
  await world.pass(1500)

  expect(work.started).toHaveLength(1)
  expectSound(await world.log(), a, b)
})

test('a waiting caller is told that the runtime was closed, and so is every later request', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says, tools: [work.tool] })
  const sending = a.runtime.send('c', 'Work').catch((error: unknown) => error)
  await world.until(() => work.started.length === 1)
  const waiting = a.runtime.continue('c').catch((error: unknown) => error)
  await world.calm()
  const closing = a.runtime.close()

  for (const told of await Promise.all([sending, waiting])) expect(told).toMatchObject({ code: 'closed' })
  work.release()
  await world.soon(closing)
  const late = [
    () => a.runtime.send('c', 'More'),
    () => a.runtime.submit('c', 'More'),
    () => a.runtime.continue('c'),
    () => a.runtime.create(),
    () => a.runtime.approve('c', 'x'),
    () => a.runtime.cancel('c'),
    async () => a.runtime.subscribe('c'),
    () => a.runtime.tenant('t').send('c', 'More'),
  ]
  for (const request of late) await expect(request()).rejects.toMatchObject({ code: 'closed' })
})

test('a message that is sent while the runtime closes is written and left to others, or refused; it is never worked on here', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Hi.'] })
  const told = a.runtime.send('c', 'Hi').catch((error: unknown) => error)
  await a.runtime.close()
  const asked = a.model.requests.length

  expect(await told).toMatchObject({ code: 'closed' })
  await world.pass(20_000)

  expect(a.model.requests).toHaveLength(asked)
  const b = await world.process('b', { says: ['Hi.'] })
  await world.calm()
  expect(b.model.requests).toHaveLength((await world.log()).length > 0 ? 1 : 0)
})

test('an answer that is on its way when the runtime closes is told truly, and is carried on elsewhere', async () => {
  const world = new World()
  const ran: string[] = []
  const setup = { says, tools: [noting(ran, 'work', gated)] }
  const arriving = Promise.withResolvers<void>()
  let slowly = false
  const a = await world.process('a', {
    ...setup,
    before: (question) => (slowly && question === 'append' ? arriving.promise : undefined),
  })
  await a.runtime.send('c', 'Work')
  slowly = true
  const answering = a.runtime.approve('c', await heldId(a, 'work'))
  await world.calm()

  const closing = a.runtime.close()
  await world.calm()
  arriving.resolve()
  await world.soon(closing)

  expect(await answering).toMatchObject({ verdict: 'accepted' })
  await world.process('b', setup)
  await world.calm()
  expect(ran).toEqual(['work a-2.1.1'])
})

test('closing twice is closing once, and the store is closed only if that was asked for', async () => {
  const world = new World()
  const a = await world.process('a')
  const b = await world.process('b', { closeStore: true })

  await Promise.all([a.runtime.close(), a.runtime.close(), a.runtime.tenant('t').close(), b.runtime.close()])

  expect([timesAsked(a, 'leave'), timesAsked(a, 'close')]).toEqual([1, 0])
  expect(timesAsked(b, 'close')).toBe(1)
})

test('what is held waits on after a close, and a closed process writes nothing more', async () => {
  const world = new World()
  const a = await world.process('a', { says, tools: [noting([], 'work', gated)] })
  await a.runtime.send('c', 'Work')
  await a.runtime.close()
  const asked = a.asked.length
  const before = await world.log()

  await world.pass(60_000)

  expect(a.asked).toHaveLength(asked)
  expect(await world.log()).toEqual(before)
  const b = await world.process('b', { says, tools: [noting([], 'work', gated)] })
  expect(await b.runtime.approve('c', await heldId(b, 'work'))).toMatchObject({ verdict: 'accepted' })
})
