/** The model is asked about what is being written: what it says at once is written with it, and counts only with it. */
import { definePlugin, type Append, type Model } from '@holdpoint/core'
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
  types,
  World,
  writesOf,
  type Process,
} from './kit.ts'
import { onWrite } from './mortal.ts'

const says = [calls('work'), 'Done.']

/** What each write of a conversation holds. */
const writes = (process: Process): readonly (readonly string[])[] =>
  writesOf(process).map(({ events }) => types(events))

/** A model that speaks when it is let. */
function thinker(text: string): { readonly model: Model; readonly asked: () => number; speak(): void } {
  const speaking = Promise.withResolvers<void>()
  let asked = 0
  const model: Model = {
    id: 'thinker',
    async *stream() {
      asked++
      await speaking.promise
      yield { type: 'text', id: 't', delta: text }
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
  return { model, asked: () => asked, speak: speaking.resolve }
}

/** An append that stays on its way until it is let through. */
function held(which: (write: Append) => boolean): {
  before(question: string, given: readonly unknown[]): unknown
  let(): void
  readonly met: number
} {
  const way = Promise.withResolvers<void>()
  let met = 0
  return {
    before: (question, given) => {
      if (question !== 'append' || !which(given[0] as Append)) return undefined
      met++
      return way.promise
    },
    let: way.resolve,
    get met() {
      return met
    },
  }
}

test('a turn whose model and tools take no time is written twice: before the tool runs, and after', async () => {
  const world = new World()
  const order: string[] = []
  const ran: string[] = []
  const a = await world.process('a', {
    says,
    tools: [noting(ran, 'work')],
    ...onWrite('after', 'call.started', 1, () => void order.push(`started, ran ${ran.length}`)),
  })

  expect(await a.runtime.send('c', 'Work')).toMatchObject({ status: 'done', text: 'Done.' })

  expect(writes(a)).toEqual([
    ['turn.started', 'model.replied', 'call.started'],
    ['call.settled', 'model.replied'],
  ])
  expect(order).toEqual(['started, ran 0'])
  expect(ran).toHaveLength(1)
  expectSound(await world.log(), a)
})

test('a turn that needs nobody but a model that takes no time is written once, and so is the next', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Hello.'] })
  for (const said of ['Hi', 'Hi again']) expect(await a.runtime.send('c', said)).toMatchObject({ text: 'Hello.' })

  expect(writes(a)).toEqual([
    ['turn.started', 'model.replied'],
    ['turn.started', 'model.replied'],
  ])
  expect(a.model.requests.map(({ prompt }) => prompt.length)).toEqual([1, 3])
})

test('a model that takes its time is asked while what was said is on its way, which does not wait for it', async () => {
  const world = new World()
  const { model, asked, speak } = thinker('Hello.')
  const way = held(({ events }) => events.some(({ type }) => type === 'turn.started'))
  const a = await world.process('a', { agent: { model }, before: way.before })
  const sent = a.runtime.send('c', 'Hi')
  await world.until(() => way.met === 1)
  expect([asked(), types(await world.log())]).toEqual([1, []])

  way.let()
  await world.until(async () => (await world.log()).length === 1)
  speak()

  expect(await sent).toMatchObject({ status: 'done', text: 'Hello.' })
  expect(writes(a)).toEqual([['turn.started'], ['model.replied']])
  expect(asked()).toBe(1)
})

test('what the model said to words that came to nothing is nowhere: others were faster, and it is asked anew', async () => {
  const world = new World()
  const way = held(({ events }) => JSON.stringify(events).includes('Slow'))
  const prompts: string[] = []
  const echo: Model = {
    id: 'echo',
    async *stream({ prompt }) {
      const said = JSON.stringify(prompt.at(-1))
      prompts.push(said)
      yield { type: 'text', id: 't', delta: `You said ${said.length} letters.` }
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
  const a = await world.process('a', { agent: { model: echo }, before: way.before })
  const b = await world.process('b', { agent: { model: echo } })
  const slowly = a.runtime.send('c', 'Slow words')
  await world.until(() => way.met === 1)
  expect(await b.runtime.send('c', 'Quick')).toMatchObject({ status: 'done' })

  way.let()
  expect(await slowly).toMatchObject({ status: 'done' })

  expect(types(await world.log())).toEqual(['turn.started', 'model.replied', 'turn.started', 'model.replied'])
  expect(prompts.filter((said) => said.includes('Slow'))).toHaveLength(2)
  expectSound(await world.log(), a, b)
})

test('a model that still thinks about words that came to nothing is told to stop, and the next words go ahead again', async () => {
  const world = new World()
  const way = held(({ events }) => JSON.stringify(events).includes('Slow'))
  const signals: AbortSignal[] = []
  const thinks: Model = {
    id: 'thinks',
    async *stream({ signal, prompt }) {
      signals.push(signal)
      if (signals.length === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      yield { type: 'text', id: 't', delta: `After ${prompt.length}.` }
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
  const a = await world.process('a', { agent: { model: thinks }, before: way.before })
  const b = await world.process('b', { says: ['Quick.'] })
  const slowly = a.runtime.send('c', 'Slow words')
  await world.until(() => way.met === 1)
  await b.runtime.send('c', 'Quick')
  way.let()

  expect(await slowly).toMatchObject({ status: 'done', text: 'After 3.' })
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
  await a.runtime.send('c', 'Next')
  expect(writes(a).at(-1)).toEqual(['turn.started', 'model.replied'])
})

test('a store that could not write says so, and what the model made of it is gone with it', async () => {
  const world = new World()
  let full = true
  const ran: string[] = []
  const a = await world.process('a', {
    says,
    tools: [noting(ran, 'work')],
    before: (question) => (question === 'append' && full ? { result: 'failed', why: 'the disk is full' } : undefined),
  })
  const sent = a.runtime.send('c', 'Work').catch((error: unknown) => error)
  await world.pass(15_000)
  expect(await sent).toMatchObject({
    code: 'store-unavailable',
    message: expect.stringContaining('Nothing was written'),
  })
  expect([types(await world.log()), ran]).toEqual([[], []])

  full = false
  expect(await a.runtime.send('c', 'Work')).toMatchObject({ status: 'done' })
  expect(ran).toHaveLength(1)
  expect(count(await world.log(), 'turn.started')).toBe(1)
})

test('killed before it is written: nothing was said, nothing ran, and nobody was told otherwise', async () => {
  const world = new World()
  const ran: string[] = []
  const setup = { says, tools: [noting(ran, 'work')] }
  let told = false
  const a = await world.process('a', { ...setup, ...onWrite('before', 'turn.started', 1, (life) => life.kill()) })
  void a.runtime.send('c', 'Work').then(() => (told = true))
  const b = await world.process('b', setup)
  await world.pass(60_000)

  expect([types(await world.log()), ran, told]).toEqual([[], [], false])
  expect(await b.runtime.send('c', 'Work')).toMatchObject({ status: 'done' })
})

test(
  proves(
    'close.hands-over',
    'closing while a call’s start is on its way to the store: it runs, and its result is written',
  ),
  async () => {
    const world = new World()
    const ran: string[] = []
    const way = held(({ events }) => events.some(({ type }) => type === 'call.started'))
    const a = await world.process('a', { says, tools: [noting(ran, 'work', { onLost: 'ask' })], before: way.before })
    const sent = a.runtime.send('c', 'Work').catch((error: unknown) => error)
    await world.until(() => way.met === 1)

    const closing = a.runtime.close()
    await world.calm()
    way.let()
    await world.soon(closing)

    expect(await sent).toMatchObject({ code: 'closed' })
    expect(ran).toHaveLength(1)
    expect(types(await world.log())).toEqual(['turn.started', 'model.replied', 'call.started', 'call.settled'])
    const b = await world.process('b', { says, tools: [noting(ran, 'work', { onLost: 'ask' })] })
    await world.pass(3000)
    expect(types(await world.log()).at(-1)).toBe('model.replied')
    expect(ran).toHaveLength(1)
    expectSound(await world.log(), a, b)
  },
)

test('an answer is written alone, before anything is made of it', async () => {
  const world = new World()
  const a = await world.process('a', { says, tools: [noting([], 'work', gated)] })
  await a.runtime.send('c', 'Work')
  await a.runtime.approve('c', await heldId(a, 'work'))
  expect(await a.runtime.continue('c')).toMatchObject({ status: 'done' })

  expect(writes(a)).toEqual([
    ['turn.started', 'model.replied', 'call.held'],
    ['call.approved'],
    ['call.started'],
    ['call.settled', 'model.replied'],
  ])
  expect(outcomes(await world.log())).toMatchObject({ 'a-2.1.1': { ok: true } })
})

test('what was sent under a key is found again by it', async () => {
  const world = new World()
  const a = await world.process('a', { says, tools: [noting([], 'work')] })
  const first = await a.runtime.send('c', 'Work', { key: 'k' })
  const again = await a.runtime.send('c', 'Work', { key: 'k' })

  expect(again).toMatchObject({ status: 'done', text: 'Done.' })
  expect([count(await world.log(), 'turn.started'), first.text]).toEqual([1, 'Done.'])
})

test.each([
  ['plugins', { plugins: [definePlugin({ id: 'p' })] }],
  ['hooks before a message', { hooks: { beforeMessage: [{ name: 'h', run: () => undefined }] } }],
  ['hooks before a call', { hooks: { beforeCall: [{ name: 'h', run: () => undefined }] } }],
  ['hooks after a message', { hooks: { afterMessage: [{ name: 'h', run: () => undefined }] } }],
  ['an audit', { audit: true }],
  ['a condition to stop', { stopWhen: () => false }],
  ['summaries', { context: { budget: { tokens: 10_000 }, summarize: {} } }],
] as const)('with %s the model is asked about nothing but what is written', async (_what, more) => {
  const world = new World()
  const known: number[] = []
  const model: Model = {
    id: 'm',
    async *stream() {
      known.push((await world.log()).length)
      yield { type: 'text', id: 't', delta: 'Hello.' }
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
  const a = await world.process('a', { agent: { model, ...more } })

  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ status: 'done', text: 'Hello.' })

  expect(known[0]).toBe(1)
})

test('whoever follows sees a turn begin before its reply', async () => {
  const world = new World()
  const a = await world.process('a', { says: ['Hello.'] })
  const seen: string[] = []
  const following = (async () => {
    for await (const { type } of a.runtime.subscribe('c')) if (seen.push(type) === 4) return
  })()
  await world.calm()

  await a.runtime.send('c', 'Hi')
  await following

  expect(seen).toEqual(['turn.started', 'reply-start', 'reply-text', 'model.replied'])
})
