import { proves } from '@holdpoint/testing'
import { chat, definePlugin, Session, stream, tool, type Frame, type LogEvent, type StreamItem } from 'holdpoint'
import { fold } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound, until } from '../../../../test/kit/session-kit.ts'

const add = tool({
  name: 'add',
  description: 'Adds',
  input: z.object({ a: z.number(), b: z.number() }),
  streaming: true,
  run: ({ input, progress }) => {
    progress({ half: true })
    return input.a + input.b
  },
})
const scripts = [
  { reasoning: 'hm', text: 'One moment.', calls: [call('add', { a: 1, b: 2 })] },
  'It is three.',
] as const
const isEvent = (item: StreamItem): item is LogEvent => 'seq' in item
const framesOf = (items: readonly StreamItem[]): readonly Frame[] =>
  items.filter((item): item is Frame => !('seq' in item))

async function all(items: AsyncIterable<StreamItem>): Promise<StreamItem[]> {
  const seen: StreamItem[] = []
  for await (const item of items) seen.push(item)
  return seen
}

test('a stream shows deltas of a call, then the call, then its outcome', async () => {
  const seen = await all(stream(desk(scripts, { tools: [add] }).agent, '1 + 2?'))

  expect(seen.map(({ type }) => type)).toEqual([
    'turn.started',
    'reply-start',
    'reply-reasoning',
    'reply-text',
    'reply-text',
    'call-input',
    'reply-call',
    'model.replied',
    'call.started',
    'call-progress',
    'call.settled',
    'reply-start',
    'reply-text',
    'reply-text',
    'reply-text',
    'model.replied',
  ])
  expect(framesOf(seen).find(({ type }) => type === 'call-input')).toMatchObject({
    name: 'add',
    delta: '{"a":1,"b":2}',
  })
  expect(framesOf(seen).find(({ type }) => type === 'reply-call')).toMatchObject({ name: 'add', input: { a: 1, b: 2 } })
})

test(
  proves(
    'log.fold-equals-live',
    'chat comes to the same as its stream, and the streamed events fold to the same state',
  ),
  async () => {
    const live = stream(desk(scripts, { tools: [add] }).agent, '1 + 2?')
    const events = (await all(live)).filter(isEvent)
    const { session: streamed, ...fromStream } = await live.result
    const { session: chatted, ...fromChat } = await chat(desk(scripts, { tools: [add] }).agent, '1 + 2?')

    expect(fromStream).toEqual(fromChat)
    expect(events).toEqual(chatted.events)
    expect(fold(events)).toEqual(chatted.state)
    expectSound(streamed)
  },
)

test('the text that was streamed is the text of the result', async () => {
  const live = stream(desk(['Two  words\nand a line.']).agent, 'Say something')

  const text = framesOf(await all(live)).reduce(
    (sum, frame) => (frame.type === 'reply-text' ? sum + frame.delta : sum),
    '',
  )

  expect(text).toBe('Two  words\nand a line.')
  expect((await live.result).text).toBe(text)
})

test(proves('log.no-gaps', 'frames never get into the log, and events come in its order'), async () => {
  const live = stream(desk(scripts, { tools: [add] }).agent, '1 + 2?')
  const seen = await all(live)
  const { session } = await live.result

  expect(session.events).toEqual(seen.filter(isEvent))
  expect(session.events.every(({ type }) => !type.includes('-'))).toBe(true)
})

test('a stream can be iterated twice, at once or later, and works once', async () => {
  const { agent, model } = desk(scripts, { tools: [add] })
  const live = stream(agent, '1 + 2?')

  const [first, second] = await Promise.all([all(live), all(live)])
  const third = await all(live)

  expect(second).toEqual(first)
  expect(third).toEqual(first)
  expect(model.requests).toHaveLength(2)
})

test('a stream whose result was asked for first can still be iterated', async () => {
  const { agent, model } = desk(scripts, { tools: [add] })
  const live = stream(agent, '1 + 2?')

  const result = live.result
  const seen = await all(live)

  expect(seen.at(-1)).toMatchObject({ type: 'model.replied' })
  expect(await result).toMatchObject({ status: 'done', text: 'It is three.' })
  expect((await all(live)).length).toBe(seen.length)
  expect(model.requests).toHaveLength(2)
})

test('nothing happens until the caller iterates or asks for the result', async () => {
  const { agent, model } = desk(['Hello'])

  const live = stream(agent, 'Hi')
  expect(model.requests).toHaveLength(0)

  expect(await live.result).toMatchObject({ text: 'Hello' })
})

test('a caller that stops iterating does not stop the work', async () => {
  const { agent } = desk(scripts, { tools: [add] })
  const live = stream(agent, '1 + 2?')

  for await (const item of live) if (item.type === 'reply-text') break

  expect(await live.result).toMatchObject({ status: 'done', text: 'It is three.' })
})

test('what breaks the work breaks every iteration and the result, and nothing else', async () => {
  const broken = definePlugin({ id: 'broken', setup: () => Promise.reject(new Error('no database')) })
  const live = stream(desk(['never'], { plugins: [broken] }).agent, 'Hi')

  await expect(all(live)).rejects.toThrow('no database')
  await expect(all(live)).rejects.toThrow('no database')
  await expect(live.result).rejects.toThrow('no database')
})

test('a stream of a continued turn shows what comes after the answer', async () => {
  const pay = tool({ name: 'pay', description: 'Pays', input: z.object({}), approval: 'required', run: () => 'paid' })
  const { agent } = desk([{ calls: [call('pay')] }, 'Done.'], { tools: [pay] })
  const { session, holds } = await chat(agent, 'Pay')
  await session.approve(holds[0]!.callId)

  const seen = await all(session.continueStream())

  expect(seen.filter(isEvent).map(({ type }) => type)).toEqual(['call.started', 'call.settled', 'model.replied'])
})

test('a subscriber of a session sees an answer from elsewhere while a sibling still runs', async () => {
  const slow = Promise.withResolvers<string>()
  const pay = tool({ name: 'pay', description: 'Pays', input: z.object({}), approval: 'required', run: () => 'paid' })
  const wait = tool({ name: 'wait', description: 'Waits', input: z.object({}), run: () => slow.promise })
  const { agent } = desk([{ calls: [call('pay'), call('wait')] }, 'Done.'], { tools: [pay, wait] })
  const session = await Session.open(agent)
  const seen: StreamItem[] = []
  const watching = (async () => {
    for await (const item of session.stream('Pay')) seen.push(item)
  })()

  await until(() => session.holds.length === 1 && seen.some(({ type }) => type === 'call.started'))
  await session.approve(session.holds[0]!.callId)
  await until(() => seen.some(({ type }) => type === 'call.settled'))
  slow.resolve('waited')
  await watching

  expect(seen.map(({ type }) => type)).toContain('call.approved')
  expect(seen.at(-1)).toMatchObject({ type: 'model.replied' })
})

test('a reader that asks for several items before the first has come gets them in order', async () => {
  const live = stream(desk(['One two three.']).agent, 'Count')
  const reader = live[Symbol.asyncIterator]()

  const asked = await Promise.all([reader.next(), reader.next(), reader.next()])
  const rest: unknown[] = []
  for (let next = await reader.next(); !next.done; next = await reader.next()) rest.push(next.value.type)

  expect(asked.map(({ value }) => value?.type)).toEqual(['turn.started', 'reply-start', 'reply-text'])
  expect(rest).toEqual(['reply-text', 'reply-text', 'model.replied'])
})

test('a watcher that throws spoils its own call alone: the turn is done, and answers of others are taken', async () => {
  const pay = tool({ name: 'pay', description: 'Pays', input: z.object({}), approval: 'required', run: () => 'paid' })
  const slow = Promise.withResolvers<string>()
  const wait = tool({ name: 'wait', description: 'Waits', input: z.object({}), run: () => slow.promise })
  const { agent } = desk([{ calls: [call('pay'), call('wait')] }, 'Done.'], { tools: [pay, wait] })
  const session = await Session.open(agent)
  const watch = (item: StreamItem): void => {
    if (item.type === 'call.approved') throw new Error('the screen broke')
  }
  const done = session.send('Pay', { watch })
  await until(() => session.holds.length === 1)

  expect(await session.approve(session.holds[0]!.callId)).toMatchObject({ verdict: 'accepted' })
  slow.resolve('waited')

  await expect(done).rejects.toThrow('the screen broke')
  expect(session.status).toBe('completed')
  expectSound(session)
})
