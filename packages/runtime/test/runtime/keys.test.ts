import { proves } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import {
  calls,
  count,
  expectSound,
  gated,
  heldId,
  noting,
  slow,
  World,
  type Process,
} from '../../../../test/kit/runtime-kit.ts'
import { diesAfter, diesBefore } from '../../../../test/kit/mortal.ts'

const key = { key: 'k' }

test(
  proves('key.once', 'a message that is sent again under its key is taken once, and gets the same result'),
  async () => {
    const world = new World()
    const a = await world.process('a', { says: ['Hi.'] })

    const first = await a.runtime.send('c', 'Hello', key)
    const again = await a.runtime.send('c', 'Hello', key)
    await a.runtime.send('c', 'Something else')

    expect(again).toEqual(first)
    expect(await a.runtime.send('c', 'Hello', key)).toMatchObject({ status: 'done', text: 'Hi.' })
    expect(await a.runtime.submit('c', 'Hello', key)).toMatchObject({ ok: true, repeated: true })
    expect(count(await world.log(), 'turn.started')).toBe(2)
    expect(a.model.requests).toHaveLength(2)
  },
)

test('another message under a used key is refused, and nothing of it is written', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Hi.'] })
  await a.runtime.send('c', 'Hello', key)
  const before = await world.log()

  expect(await a.runtime.send('c', 'Other', key)).toMatchObject({ status: 'refused', reason: 'key-reused' })
  expect(await a.runtime.submit('c', 'Hello', { ...key, by: 'bob' })).toMatchObject({ refusal: 'key-reused' })

  expect(await world.log()).toEqual(before)
})

test('the same message from several processes at once is taken once', async () => {
  const world = new World()
  const processes = [await world.process('a'), await world.process('b'), await world.process('d')]

  const results = await Promise.all(processes.map(({ runtime }) => runtime.send('c', 'Hello', key)))

  for (const result of results) expect(result).toMatchObject({ status: 'done', text: 'The end.' })
  expect(count(await world.log(), 'turn.started')).toBe(1)
  expect(processes.reduce((sum, { model }) => sum + model.requests.length, 0)).toBe(1)
})

test('a message that is sent again while its own turn is busy or held is recognised, not refused', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says: [calls('work')], tools: [work.tool] })
  const first = a.runtime.send('c', 'Work', key)
  await world.until(() => work.started.length === 1)

  const again = a.runtime.send('c', 'Work', key)
  await world.calm()
  work.release()

  expect(await again).toEqual(await first)
  const b = await world.process('b', { says: [calls('pay')], tools: [noting([], 'pay', gated)] })
  await b.runtime.send('d', 'Pay', key)
  expect(await b.runtime.send('d', 'Pay', key)).toMatchObject({ status: 'held' })
  expect(count(await world.log('d'), 'turn.started')).toBe(1)
})

test('a queued message under a key is queued once, and is still recognised after its turn', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says: [calls('work')], tools: [work.tool] })
  void a.runtime.submit('c', 'Work')
  await world.until(() => work.started.length === 1)

  const queue = { ...key, whileBusy: 'queue' } as const
  for (let n = 0; n < 3; n++) expect(await a.runtime.submit('c', 'Next', queue)).toMatchObject({ ok: true })
  for (const nth of [1, 2]) {
    await world.until(() => work.started.length === nth)
    work.release()
  }
  await world.calm()

  expect(await a.runtime.submit('c', 'Next', queue)).toMatchObject({ ok: true, repeated: true })
  expect(count(await world.log(), 'message.queued')).toBe(1)
  expectSound(await world.log(), a)
})

test.each([
  { name: 'before it was written', dies: diesBefore('turn.started') },
  { name: 'after it was written', dies: diesAfter('turn.started') },
])(
  proves('key.once', 'a message whose process died $name can be sent again elsewhere, and is taken once'),
  async ({ dies }) => {
    const world = new World()
    const ran: string[] = []
    const setup = { says: [calls('work'), 'Done.'], tools: [noting(ran, 'work')] }
    const a: Process = await world.process('a', { ...setup, ...dies })
    void a.runtime.send('c', 'Work', key)
    await world.calm()
    const b = await world.process('b', setup)

    expect(await world.soon(b.runtime.send('c', 'Work', key))).toMatchObject({ status: 'done', text: 'Done.' })

    expect(count(await world.log(), 'turn.started')).toBe(1)
    expect(ran).toHaveLength(1)
    expectSound(await world.log(), a, b)
  },
)

test('a key of long ago is known although the conversation left memory and went on', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Hi.'], agent: { context: { window: { messages: 2 } } } })
  await a.runtime.send('c', 'First', key)
  for (let n = 0; n < 20; n++) await a.runtime.send('c', `Turn ${n}`)
  const b = await world.process('b', { says: ['Hi.'], agent: { context: { window: { messages: 2 } } } })

  expect(await b.runtime.submit('c', 'First', key)).toMatchObject({ ok: true, turnId: 'a-2', repeated: true })
  expect(await b.runtime.send('c', 'First', key)).toMatchObject({ status: 'done', text: 'Hi.' })
  expect(b.model.requests).toHaveLength(0)
})

test('a key of a message that was refused is not used up', async () => {
  const world = new World()
  const a = await world.process('a', { says: [calls('pay')], tools: [noting([], 'pay', gated)] })
  await a.runtime.send('c', 'Pay')
  expect(await a.runtime.send('c', 'More', key)).toMatchObject({ status: 'refused', reason: 'turn-in-progress' })
  await a.runtime.reject('c', await heldId(a, 'pay'))
  await a.runtime.continue('c')

  expect(await a.runtime.send('c', 'More', key)).toMatchObject({ status: 'held' })
})

test('a waiting message that is sent again under its key gets the result of its own turn, as the first did', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', {
    says: [calls('work'), ({ prompt }) => `Messages: ${prompt.length}`],
    tools: [work.tool],
  })
  void a.runtime.submit('c', 'Work')
  await world.until(() => work.started.length === 1)
  const first = a.runtime.send('c', 'Next', { ...key, whileBusy: 'queue' })
  const again = a.runtime.send('c', 'Next', { ...key, whileBusy: 'queue' })
  await world.calm()
  work.release()
  await world.until(() => work.started.length === 2)
  void a.runtime.submit('c', 'Last', { whileBusy: 'queue' })
  await world.calm()
  work.release()

  expect(await world.soon(first)).toMatchObject({ status: 'done', text: 'Messages: 7' })
  expect(await world.soon(again)).toEqual(await first)
  work.release()
})
