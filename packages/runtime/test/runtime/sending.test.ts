import { proves } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import {
  calls,
  count,
  expectSound,
  gated,
  noting,
  slow,
  timesAsked,
  types,
  World,
} from '../../../../test/kit/runtime-kit.ts'

test('a message to a new id makes the conversation, and the result is what the model said', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Good day.'] })

  expect(await a.runtime.send('c', 'Hello', { by: 'ann' })).toMatchObject({ status: 'done', text: 'Good day.' })

  const log = await world.log()
  expect(types(log)).toEqual(['turn.started', 'model.replied'])
  expect(log[0]).toMatchObject({ agent: 'desk', items: [{ message: { by: 'ann' } }] })
  expectSound(log, a)
})

test('create makes a place with an id of its own, and making it again changes nothing', async () => {
  const world = new World()
  const a = await world.process('a')

  const id = await a.runtime.create({ by: 'ann' })
  expect(await a.runtime.create({ id })).toBe(id)
  expect(await a.runtime.create({ id: 'mine' })).toBe('mine')

  expect(await world.log(id)).toMatchObject([{ type: 'conversation.opened', agent: 'desk', by: 'ann' }])
  expect(await a.runtime.send(id, 'Hello')).toMatchObject({ status: 'done' })
  expect(types(await world.log(id))).toEqual(['conversation.opened', 'turn.started', 'model.replied'])
})

test('two processes that create the same conversation at once make one', async () => {
  const world = new World()
  const a = await world.process('a')
  const b = await world.process('b')

  await Promise.all([a, b, a, b].map(({ runtime }) => runtime.create({ id: 'c' })))

  expect(types(await world.log())).toEqual(['conversation.opened'])
})

test('submit returns once the message is written, and the turn goes on without a waiting caller', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says: [calls('work')], tools: [work.tool] })

  expect(await a.runtime.submit('c', 'Work')).toMatchObject({ ok: true, turnId: 'a-2' })
  expect(types(await world.log())).toEqual(['turn.started'])

  await world.until(() => work.started.length === 1)
  work.release()
  await world.calm()
  expect(types(await world.log()).at(-1)).toBe('model.replied')
})

test('send waits until the turn is over, and a second message meanwhile is refused, queued or takes over, as asked', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says: [calls('work')], tools: [work.tool] })
  const first = a.runtime.send('c', 'One')
  await world.until(() => work.started.length === 1)

  expect(await a.runtime.send('c', 'Two')).toMatchObject({ status: 'refused', reason: 'turn-in-progress' })
  expect(await a.runtime.submit('c', 'Two')).toMatchObject({ ok: false, refusal: 'turn-in-progress' })
  expect(await a.runtime.submit('c', 'Later', { whileBusy: 'queue' })).toEqual({
    ok: true,
    turnId: undefined,
    waitsAt: 4,
  })
  expect(await a.runtime.submit('c', 'Now', { whileBusy: 'supersede' })).toMatchObject({ ok: true })
  expect(await first).toMatchObject({ status: 'stopped', reason: 'superseded' })

  for (const nth of [2, 3]) {
    await world.until(() => work.started.length === nth)
    work.release()
  }
  await world.calm()
  const log = await world.log()
  expect(count(log, 'turn.started')).toBe(3)
  expectSound(log, a)
})

test('continue waits for the turn that goes on, and takes up one that stopped early', async () => {
  const world = new World()
  const a = await world.process('a', { says: [calls('work'), calls('work'), 'Done.'], tools: [noting([], 'work')] })
  expect(await a.runtime.send('c', 'Work', { maxSteps: 1 })).toMatchObject({ status: 'stopped', reason: 'max_steps' })

  expect(await a.runtime.continue('c')).toMatchObject({ status: 'done', text: 'Done.' })
  // With nothing to do it says how the last turn ended, and calls no model.
  expect(await a.runtime.continue('c')).toMatchObject({ status: 'done', text: 'Done.' })
  expect(a.model.requests).toHaveLength(3)
})

test('a held turn is over for its sender, who is told what is held', async () => {
  const world = new World()
  const a = await world.process('a', { says: [calls('pay')], tools: [noting([], 'pay', gated)] })

  const { status, holds } = await a.runtime.send('c', 'Pay')

  expect(status).toBe('held')
  expect(holds).toMatchObject([{ name: 'pay', kind: 'approval', callId: 'a-2.1.1' }])
})

test('aborting the signal of a send cancels its turn', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says: [calls('work')], tools: [work.tool] })
  const leaving = new AbortController()
  const sending = a.runtime.send('c', 'Work', { signal: leaving.signal })
  await world.until(() => work.started.length === 1)

  leaving.abort()

  expect(await sending).toMatchObject({ status: 'stopped', reason: 'cancelled' })
  expectSound(await world.log(), a)
})

test('list gives the conversations, newest first, by agent and status, a page at a time', async () => {
  const world = new World()
  const a = await world.process('a', {
    says: [calls('pay')],
    tools: [noting([], 'pay', gated)],
    agents: ['one', 'two'],
  })
  for (const id of ['x', 'y']) await a.runtime.create({ id, agent: 'one' })
  await a.runtime.send('z', 'Pay', { agent: 'two' })

  const { items, next } = await a.runtime.list({ limit: 2 })
  expect(items).toMatchObject([
    { id: 'z', agent: 'two', status: 'held' },
    { id: 'y', agent: 'one', status: 'idle', seq: 1 },
  ])
  expect((await a.runtime.list({ limit: 2, after: next! })).items).toMatchObject([{ id: 'x' }])
  expect((await a.runtime.list({ agent: 'one' })).items).toHaveLength(2)
  expect((await a.runtime.list({ status: 'held' })).items).toMatchObject([{ id: 'z' }])
})

test('a list has the first words of each conversation, on one line and cut short, and asks for them once', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Good.'] })
  await a.runtime.create({ id: 'silent' })
  await a.runtime.create({ id: 'made' })
  await a.runtime.send('made', 'Write\n\n  to   Ada')
  await a.runtime.send('made', 'And to Grace')
  await a.runtime.send('long', `${'😀'.repeat(200)}`)
  await a.runtime.send('picture', [
    { type: 'file', mediaType: 'image/png', file: { kind: 'url', url: 'https://example.org/a.png' } },
  ])
  await a.runtime.send('picture', 'What is on it?')

  const words = async (): Promise<Record<string, string | undefined>> =>
    Object.fromEntries((await a.runtime.list()).items.map(({ id, firstMessage }) => [id, firstMessage]))
  const first = await words()
  expect(first).toEqual({
    silent: undefined,
    made: 'Write to Ada',
    long: `${'😀'.repeat(119)}…`,
    picture: 'What is on it?',
  })
  const reads = timesAsked(a, 'read')
  expect(await words()).toEqual(first)
  expect(timesAsked(a, 'read')).toBe(reads + 1)
})

test(
  proves(
    'log.no-gaps',
    'events gives the log in order from any seq, a page at a time, also to a process that never saw it',
  ),
  async () => {
    const world = new World()
    const a = await world.process('a', { says: [calls('work'), 'Done.'], tools: [noting([], 'work')] })
    await a.runtime.send('c', 'Work')
    const b = await world.process('b')

    const all = await b.runtime.events('c')
    expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
    expect(await b.runtime.events('c', 2, 2)).toEqual(all.slice(2, 4))
    expect(await b.runtime.events('c', 5)).toEqual([])
    expect(await b.runtime.events('c', 99)).toEqual([])
    expect(timesAsked(b, 'load', 'c')).toBe(0)
  },
)

test('cancel ends a turn that works, in whatever process it is asked for', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says: [calls('work')], tools: [work.tool] })
  const b = await world.process('b')
  const sending = a.runtime.send('c', 'Work')
  await world.until(() => work.started.length === 1)

  expect(await b.runtime.cancel('c', 'Stop it')).toEqual({ ok: true })

  expect(await sending).toMatchObject({ status: 'stopped', reason: 'cancelled', message: 'Stop it' })
  expect(await b.runtime.cancel('c')).toMatchObject({ ok: false, refusal: 'nothing-to-cancel' })
  work.release()
  await world.calm()
  expect(types(await world.log()).at(-1)).toBe('turn.ended')
})

test('a sender that gave up too late to cancel is told that the message was written', async () => {
  const world = new World()
  const away = (given: readonly unknown[]): boolean => JSON.stringify(given).includes('turn.ended')
  const a = await world.process('a', {
    says: ['Hello.'],
    agent: { hooks: { afterMessage: [{ name: 'slow', run: () => new Promise(() => {}) }] } },
    before: (question, given) =>
      question === 'append' && away(given) ? { result: 'failed', why: 'the disk is full' } : undefined,
  })
  const sent = a.runtime.send('c', 'Hi', { signal: AbortSignal.abort() }).catch((error: unknown) => error)
  await world.pass(15_000)

  const message = expect.stringMatching(/^The message is written/) as string
  expect(await sent).toMatchObject({ code: 'store-unavailable', message })
  expect((await world.log())[0]).toMatchObject({ type: 'turn.started' })
})

test('aborting the signal of a message that waited cancels its own turn, and not the one before', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says: [calls('work')], tools: [work.tool] })
  const first = a.runtime.send('c', 'One')
  await world.until(() => work.started.length === 1)
  const leaving = new AbortController()
  const second = a.runtime.send('c', 'Two', { whileBusy: 'queue', signal: leaving.signal })
  await world.calm()
  work.release()
  expect(await world.soon(first)).toMatchObject({ status: 'done' })
  await world.until(() => work.started.length === 2)

  leaving.abort()

  expect(await second).toMatchObject({ status: 'stopped', reason: 'cancelled' })
  expectSound(await world.log(), a)
})
