import { memoryStore, proves } from '@holdpoint/testing'
import { Session, tool, type Store } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { troubledStore } from './crash.ts'
import { addressOf, call, desk, inTime, live, say } from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const description = 'For a test'
const tools = [tool({ name: 'pay', description, input, approval: 'required', run: () => 'paid' })]
const many = Array.from({ length: 20 }, (_, nth) => `Reply ${nth}.`)

function messages(store: Store): Promise<readonly string[]> {
  return store
    .read(addressOf('c'), 0)
    .then((events) =>
      events.flatMap((event) =>
        event.type === 'turn.started' ? event.items : event.type === 'message.queued' ? [event.item] : [],
      ),
    )
    .then((items) => items.map((item) => JSON.stringify(item)))
}

test('a message that is sent again under its key is taken once, and its sender is told what it came to', async () => {
  const store = memoryStore({ now: () => 0 })
  const { agent, model } = desk(many)
  const session = await Session.open(agent, { store, id: 'c' })

  const first = await session.send('Buy', { key: 'k' })
  const again = await session.send('Buy', { key: 'k' })

  expect(again).toEqual(first)
  expect(first).toMatchObject({ status: 'done', text: 'Reply 0.' })
  expect(model.requests).toHaveLength(1)
  expect(await messages(store)).toHaveLength(1)
})

test('a message that comes again after others, and in another process, is told of its own turn', async () => {
  const store = memoryStore({ now: () => 0 })
  const options = { context: { window: { messages: 1 } } }
  const here = await live(desk(many, options).agent, store)
  await say(here, 'Buy', { key: 'k' })
  for (let nth = 0; nth < 5; nth++) await say(here, `Message ${nth}`)

  expect(await say(here, 'Buy', { key: 'k' })).toMatchObject({ status: 'done', text: 'Reply 0.' })
  const there = await live(desk([], { ...options, process: 'q' }).agent, store)
  expect(await say(there, 'Buy', { key: 'k' })).toMatchObject({ status: 'done', text: 'Reply 0.' })

  expect(await there.submit('Buy', { key: 'k' })).toMatchObject({ ok: true, repeated: true })
  expect(await messages(store)).toHaveLength(6)
})

test('a message that is sent twice at once, here and elsewhere, is taken once', async () => {
  const store = memoryStore({ now: () => 0 })
  const [here, there] = await Promise.all(
    ['p', 'q'].map((process) => Session.open(desk(many, { process }).agent, { store, id: 'c' })),
  )

  await Promise.all([here!, here!, there!, there!].map((session) => session.send('Buy', { key: 'k' })))

  expect(await messages(store)).toHaveLength(1)
})

test(
  proves(
    'bad-input.nothing-half-written',
    'a key that was used for another message is refused, and nothing is written',
  ),
  async () => {
    const store = memoryStore({ now: () => 0 })
    const session = await Session.open(desk(many).agent, { store, id: 'c' })
    await session.send('Buy', { key: 'k', by: 'ada' })

    const refused = { status: 'refused', reason: 'key-reused' }
    expect(await session.send('Sell', { key: 'k', by: 'ada' })).toMatchObject(refused)
    expect(await session.send('Buy', { key: 'k', by: 'bob' })).toMatchObject(refused)

    expect(await messages(store)).toHaveLength(1)
    expect(await session.send('Sell', { key: 'l' })).toMatchObject({ status: 'done', text: 'Reply 1.' })
  },
)

test('a message that comes again while its turn goes on is no second one', async () => {
  const store = memoryStore({ now: () => 0 })
  const session = await Session.open(desk([{ calls: [call('pay')] }, 'Paid.'], { tools }).agent, { store, id: 'c' })
  await session.send('Pay', { key: 'k' })

  expect(await session.send('Pay', { key: 'k' })).toMatchObject({ status: 'held', holds: [{ name: 'pay' }] })
  expect(await session.send('Pay', { key: 'k', whileBusy: 'queue' })).toMatchObject({ status: 'held' })
  expect(await session.send('Pay', { key: 'k', whileBusy: 'supersede' })).toMatchObject({ status: 'held' })
  expect(await session.send('Pay', { key: 'l' })).toMatchObject({ status: 'refused', reason: 'turn-in-progress' })
  expect(await session.send('Buy', { key: 'k' })).toMatchObject({ status: 'refused', reason: 'key-reused' })

  expect(await messages(store)).toHaveLength(1)
})

test('a message that waits is one message, however often it is sent', async () => {
  const store = memoryStore({ now: () => 0 })
  const session = await Session.open(desk([{ calls: [call('pay')] }, 'Paid.', 'And sold.'], { tools }).agent, {
    store,
    id: 'c',
  })
  const { holds } = await session.send('Pay')
  for (let times = 0; times < 3; times++) await session.send('Sell', { key: 'k', whileBusy: 'queue' })
  await session.approve(holds[0]!.callId)

  await session.continue()

  expect(await session.send('Sell', { key: 'k' })).toMatchObject({ status: 'done', text: 'And sold.' })
  expect(session.events.filter(({ type }) => type === 'message.queued')).toHaveLength(1)
})

test('keys of other conversations are other keys', async () => {
  const store = memoryStore({ now: () => 0 })
  for (const id of ['c', 'd']) {
    const session = await Session.open(desk(many, { process: id }).agent, { store, id })
    expect(await session.send(`In ${id}`, { key: 'k' })).toMatchObject({ status: 'done' })
  }
})

test('a key is known again by a store that reads a single event at a time', async () => {
  const inner = memoryStore({ now: () => 0 })
  const store: Store = { ...inner, read: (from, after) => inner.read(from, after, 1) }
  const here = await Session.open(desk(many).agent, { store, id: 'c' })
  const there = await Session.open(desk([], { process: 'q' }).agent, { store, id: 'c' })
  for (let nth = 0; nth < 3; nth++) await here.send(`Message ${nth}`, { key: `k${nth}` })

  expect(await there.send('Message 1', { key: 'k1' })).toMatchObject({ text: 'Reply 1.' })
})

test('a sender that was told that the outcome is unknown retries under its key, and the message is written once', async () => {
  const { store } = troubledStore(['unknown, but written', ...Array.from({ length: 20 }, () => 'unknown' as const)])
  const { agent, clock } = desk(many)
  const session = await Session.open(agent, { store, id: 'c' })
  await expect(inTime(clock, session.send('Buy', { key: 'k' }))).rejects.toMatchObject({ code: 'store-unavailable' })

  expect(await inTime(clock, session.send('Buy', { key: 'k' }))).toMatchObject({ status: 'done', text: 'Reply 0.' })
  expect(await messages(store)).toHaveLength(1)
})
