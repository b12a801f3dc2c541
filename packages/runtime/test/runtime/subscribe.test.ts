import { proves } from '@holdpoint/testing'
import { tool, type LogEvent, type StreamItem } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  calls,
  expectSound,
  gated,
  heldId,
  noting,
  slow,
  timesAsked,
  World,
  type Process,
} from '../../../../test/kit/runtime-kit.ts'

const says = [calls('work'), 'All is done.']

/** Reads on in the background, until it ends. */
function reading(from: AsyncIterableIterator<StreamItem, undefined>): { items: StreamItem[]; over: Promise<unknown> } {
  const items: StreamItem[] = []
  const over = (async () => {
    for await (const item of from) items.push(item)
  })()
  return { items, over: over.catch((error: unknown) => error) }
}

function events(items: readonly StreamItem[]): readonly LogEvent[] {
  return items.flatMap((item) => ('seq' in item ? [item] : []))
}

function framesOf(items: readonly StreamItem[]): readonly string[] {
  return items.flatMap((item) => ('seq' in item ? [] : [item.type]))
}

async function worked(world: World, name = 'a'): Promise<Process> {
  const process = await world.process(name, { says, tools: [noting([], 'work')] })
  await process.runtime.send('c', 'Work')
  return process
}

test(
  proves(
    'subscribe.every-event-once',
    'a subscriber from any seq sees every later event once, in order, and then the new ones',
  ),
  async () => {
    const world = new World()
    const a = await worked(world)
    const from = [0, 3, 5].map((after) => reading(a.runtime.subscribe('c', { after })))
    await world.calm()
    await a.runtime.send('c', 'Again')
    await world.calm()

    const log = await world.log()
    expect(log).toHaveLength(10)
    expect(from.map(({ items }) => events(items))).toEqual([log, log.slice(3), log.slice(5)])
  },
)

test('frames come between the events while it is driven here: the words as they are spoken, before the reply is written', async () => {
  const world = new World()
  const a = await world.process('a', { says, tools: [noting([], 'work')] })
  const { items } = reading(a.runtime.subscribe('c'))

  await a.runtime.send('c', 'Work')
  await world.calm()

  const text = items.flatMap((item) => (item.type === 'reply-text' ? [item.delta] : []))
  expect(text.join('')).toBe('All is done.')
  const last = items.findLastIndex((item) => item.type === 'reply-text')
  expect(items[last + 1]).toMatchObject({ type: 'model.replied', step: 2 })
})

test('a subscriber to a conversation that is already in memory sees its frames too', async () => {
  const world = new World()
  const a = await worked(world)
  const { items } = reading(a.runtime.subscribe('c', { after: 5 }))
  await world.calm()

  await a.runtime.send('c', 'Again')
  await world.calm()

  expect(framesOf(items)).toContain('reply-text')
})

test('what is stored comes before what is shown now, also where the store gives it a few at a time', async () => {
  const world = new World()
  let tell: (value: number) => void = () => {}
  const work = tool({
    name: 'work',
    description: 'Works on and on.',
    input: z.object({}),
    streaming: true,
    run: ({ progress }) => {
      tell = progress
      return new Promise<string>(() => {})
    },
  })
  const a = await world.process('a', {
    says,
    tools: [work],
    after: (question, _given, _life, answer) =>
      question === 'read' ? (answer as readonly LogEvent[]).slice(0, 1) : undefined,
  })
  void a.runtime.send('c', 'Work').catch(() => {})
  await world.calm()
  const following = a.runtime.subscribe('c')
  tell(1)
  const { items } = reading(following)
  tell(2)
  await world.calm()
  tell(3)
  await world.calm()

  expect(items.map((item) => ('seq' in item ? item.seq : item.type))).toEqual([
    ...(await world.log()).map(({ seq }) => seq),
    'call-progress',
    'call-progress',
    'call-progress',
  ])
})

test('a subscriber from a seq that does not exist yet hears nothing until it does', async () => {
  const world = new World()
  const a = await worked(world)
  const { items } = reading(a.runtime.subscribe('c', { after: 7 }))
  await world.pass(2000)
  expect(events(items)).toEqual([])

  await a.runtime.send('c', 'Again')
  await world.pass(2000)

  expect(events(items).map(({ seq }) => seq)).toEqual([8, 9, 10])
})

test('a conversation that does not exist yet can be followed from its first event', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Hi.'] })
  const b = await world.process('b', { says: ['Hi.'] })
  const both = [reading(a.runtime.subscribe('c')), reading(b.runtime.subscribe('c'))]

  await a.runtime.send('c', 'Hello')
  await world.pass(1500)

  for (const { items } of both) expect(events(items)).toEqual(await world.log())
})

test.each([{ deaf: false }, { deaf: true }])(
  'driven by another process, every event comes and no frame, whether notifications arrive or are lost (%j)',
  async ({ deaf }) => {
    const world = new World()
    const a = await world.process('a', { says, tools: [noting([], 'work')] })
    const b = await world.process('b', { says, tools: [noting([], 'work')], deaf })
    const { items } = reading(b.runtime.subscribe('c'))

    for (const content of ['One', 'Two']) await a.runtime.send('c', content)
    await world.pass(2500)

    expect(events(items)).toEqual(await world.log())
    expect(framesOf(items)).toEqual([])
  },
)

test(
  proves('subscribe.every-event-once', 'a slow reader loses frames and no event, and keeps little in memory'),
  async () => {
    const world = new World()
    const words = 'word '.repeat(400)
    const a = await world.process('a', { says: [words] })
    const following = a.runtime.subscribe('c')
    for (let n = 0; n < 5; n++) await a.runtime.send('c', `Turn ${n}`)

    const { items } = reading(following)
    await world.calm()

    expect(events(items)).toEqual(await world.log())
    expect(framesOf(items).length).toBeLessThan(1200)
  },
)

test('forEach gives what iterating gives; when its function throws, the subscription ends', async () => {
  const world = new World()
  const a = await worked(world)
  const iterated = reading(a.runtime.subscribe('c'))
  const given: StreamItem[] = []
  const leave = new AbortController()
  const over = a.runtime.subscribe('c', { signal: leave.signal }).forEach((item) => void given.push(item))
  const broken = a.runtime.subscribe('c')
  const thrown = broken.forEach(() => {
    throw new Error('mine')
  })
  await expect(thrown).rejects.toThrow('mine')
  expect(await broken.next()).toEqual({ done: true, value: undefined })
  await a.runtime.send('c', 'Again')
  await world.calm()
  expect(given).toEqual(iterated.items)
  expect(events(given)).toEqual(await world.log())
  leave.abort()
  await over
})

test('two readers of one conversation each see everything, however slow the other is', async () => {
  const world = new World()
  const a = await world.process('a', { says, tools: [noting([], 'work')] })
  const quick = reading(a.runtime.subscribe('c'))
  const slowly = a.runtime.subscribe('c')
  for (const content of ['One', 'Two']) await a.runtime.send('c', content)
  await world.calm()

  const log = await world.log()
  expect(events(quick.items)).toEqual(log)
  const late = reading(slowly)
  await world.calm()
  expect(events(late.items)).toEqual(log)
})

test('a subscription ends by its signal, by return(), and by leaving the loop, and nothing is kept of it', async () => {
  const world = new World()
  const a = await worked(world)
  const leaving = new AbortController()
  const bySignal = reading(a.runtime.subscribe('c', { signal: leaving.signal }))
  const byReturn = a.runtime.subscribe('c', { after: 5 })
  const waiting = byReturn.next()
  await world.calm()

  leaving.abort()
  await byReturn.return!()
  for await (const item of a.runtime.subscribe('c')) if ('seq' in item && item.seq === 2) break

  expect(await bySignal.over).toBeUndefined()
  expect(await waiting).toEqual({ done: true, value: undefined })
  expect(await byReturn.next()).toEqual({ done: true, value: undefined })
  expect(await a.runtime.subscribe('c', { signal: leaving.signal }).next()).toEqual({ done: true, value: undefined })
  // No subscriber is left, so the store is not asked for new events.
  const asked = a.asked.length
  await a.runtime.send('c', 'Again')
  await world.calm()
  expect(a.asked.slice(asked).filter(({ question }) => question === 'read')).toEqual([])
})

test('ending many subscriptions leaves nothing behind on a signal they shared', async () => {
  const world = new World()
  const a = await worked(world)
  const { signal } = new AbortController()
  const heard = { added: 0, removed: 0 }
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...given: Parameters<typeof add>) => (heard.added++, add(...given))
  signal.removeEventListener = (...given: Parameters<typeof remove>) => (heard.removed++, remove(...given))

  for (let n = 0; n < 20; n++) await a.runtime.subscribe('c', { signal }).return!()

  expect(heard.removed).toBe(heard.added)
})

test('closing ends every subscription, after the last event that was written here', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says, tools: [work.tool] })
  const following = reading(a.runtime.subscribe('c'))
  await a.runtime.submit('c', 'Work')
  await world.until(() => work.started.length === 1)

  const closing = a.runtime.close()
  await world.calm()
  work.release()
  await world.soon(closing)

  expect(await following.over).toBeUndefined()
  expect(events(following.items).at(-1)).toMatchObject({ type: 'call.settled' })
})

test('a store that fails is told to the reader, who can go on from the last event it saw', async () => {
  const world = new World()
  let away = false
  const a = await world.process('a', { says, tools: [noting([], 'work')] })
  await a.runtime.send('c', 'One')
  const b = await world.process('b', {
    before: (question) => {
      if (away && question === 'read') throw new Error('The store is away.')
    },
  })
  const first = reading(b.runtime.subscribe('c'))
  await world.calm()
  away = true
  await a.runtime.send('c', 'Two')
  await world.calm()
  expect(await first.over).toMatchObject({ message: 'The store is away.' })
  const asked = timesAsked(b, 'heads')
  await world.pass(3000)
  expect(timesAsked(b, 'heads'), 'no subscriber is left').toBe(asked)

  away = false
  const second = reading(b.runtime.subscribe('c', { after: events(first.items).at(-1)!.seq }))
  await a.runtime.send('c', 'Three')
  await world.calm()

  expect([...events(first.items), ...events(second.items)]).toEqual(await world.log())
})

test('a conversation that is followed shows its frames also when it comes back to memory', async () => {
  const world = new World()
  const a = await world.process('a', {
    says: [calls('pay'), 'Paid well.'],
    tools: [noting([], 'pay', gated)],
    idleMs: 1000,
  })
  await a.runtime.send('c', 'Pay')
  await world.pass(5000)
  const { items } = reading(a.runtime.subscribe('c', { after: 3 }))
  await world.calm()

  await a.runtime.approve('c', await heldId(a, 'pay'))
  await world.calm()

  expect(framesOf(items)).toContain('reply-text')
  expect(events(items).map(({ seq }) => seq)).toEqual([4, 5, 6, 7])
  expectSound(await world.log(), a)
})

test('a store may give a few events at a time: all of them come, without waiting for anything to happen', async () => {
  const world = new World()
  const a = await worked(world)
  for (const content of ['Two', 'Three']) await a.runtime.send('c', content)
  const few = (question: string, answer: unknown): unknown =>
    question === 'read' ? (answer as LogEvent[]).slice(0, 2) : undefined
  const b = await world.process('b', { says, after: (question, _given, _life, answer) => few(question, answer) })
  const { items } = reading(b.runtime.subscribe('c'))
  await world.calm()
  expect(events(items)).toEqual(await world.log())

  await b.runtime.send('c', 'Four')
  await a.runtime.send('c', 'Five')
  await world.calm()
  expect(events(items)).toEqual(await world.log())
})

test('a very long log is read in pages and comes whole', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Hi.'] })
  for (let n = 0; n < 600; n++) await a.runtime.send('c', `Turn ${n}`)
  const b = await world.process('b')

  const { items } = reading(b.runtime.subscribe('c'))
  await world.calm()

  expect(events(items).map(({ seq }) => seq)).toEqual(Array.from({ length: 1200 }, (_, n) => n + 1))
})
