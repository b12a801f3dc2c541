/** The order of appends in a turn: the model and the tools see only what is in the log. */
import { proves } from '@holdpoint/testing'
import type { Model } from '@holdpoint/core'
import { tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { comes, held, opens, says, thinker, writes } from './slow-writes.ts'
import { count, expectSound, gated, heldId, noting, outcomes, types, World } from '../../../../test/kit/runtime-kit.ts'
import { onWrite } from '../../../../test/kit/mortal.ts'

test('a reply and the starts of its calls are one append, and a tool runs after it', async () => {
  const world = new World()
  const order: string[] = []
  const ran: string[] = []
  const a = await world.process('a', {
    says,
    tools: [noting(ran, 'work')],
    ...onWrite('after', 'call.started', 1, () => void order.push(`started, ran ${ran.length}`)),
  })

  expect(await a.runtime.send('c', 'Work')).toMatchObject({ status: 'done', text: 'Done.' })

  expect(writes(a)).toEqual([['turn.started'], ['model.replied', 'call.started'], ['call.settled'], ['model.replied']])
  expect(order).toEqual(['started, ran 0'])
  expect(ran).toHaveLength(1)
  expectSound(await world.log(), a)
})

test('the model is called only after the message is in the log', async () => {
  const world = new World()
  const { model, asked, speak } = thinker('Hello.')
  const way = held(opens)
  const a = await world.process('a', { agent: { model }, before: way.before })
  const sent = a.runtime.send('c', 'Hi')
  await comes(() => way.met === 1)
  await world.calm()
  expect([asked(), types(await world.log())]).toEqual([0, []])

  way.let()
  await comes(() => asked() === 1)
  expect(types(await world.log())).toEqual(['turn.started'])
  speak()

  expect(await sent).toMatchObject({ status: 'done', text: 'Hello.' })
})

test('a store that cannot write: the caller gets an error, the model is not called, and a retry works', async () => {
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
  expect([types(await world.log()), ran, a.model.requests.length]).toEqual([[], [], 0])

  full = false
  expect(await a.runtime.send('c', 'Work')).toMatchObject({ status: 'done' })
  expect(ran).toHaveLength(1)
  expect(count(await world.log(), 'turn.started')).toBe(1)
})

test('a process that is killed before its append: the log is empty, no tool ran, and no caller got an answer', async () => {
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
    await comes(() => way.met === 1)

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

test('an answer is an append of its own, before anything follows from it', async () => {
  const world = new World()
  const a = await world.process('a', { says, tools: [noting([], 'work', gated)] })
  await a.runtime.send('c', 'Work')
  await a.runtime.approve('c', await heldId(a, 'work'))
  expect(await a.runtime.continue('c')).toMatchObject({ status: 'done' })

  expect(writes(a)).toEqual([
    ['turn.started'],
    ['model.replied', 'call.held'],
    ['call.approved'],
    ['call.started'],
    ['call.settled'],
    ['model.replied'],
  ])
  expect(outcomes(await world.log())).toMatchObject({ 'a-2.1.1': { ok: true } })
})

test('a message that is sent again under its key is found again', async () => {
  const world = new World()
  const a = await world.process('a', { says, tools: [noting([], 'work')] })
  const first = await a.runtime.send('c', 'Work', { key: 'k' })
  const again = await a.runtime.send('c', 'Work', { key: 'k' })

  expect(again).toMatchObject({ status: 'done', text: 'Done.' })
  expect([count(await world.log(), 'turn.started'), first.text]).toEqual([1, 'Done.'])
})

test('a subscriber sees a turn begin before its reply', async () => {
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

test('a message whose caller cancelled before it was written is written and cancelled, and the model is not called', async () => {
  const world = new World()
  const ran: string[] = []
  const a = await world.process('a', { says, tools: [noting(ran, 'work')] })

  const sent = await a.runtime.send('c', 'Work', { signal: AbortSignal.abort() })

  expect(sent).toMatchObject({ status: 'stopped', reason: 'cancelled' })
  expect([types(await world.log()), ran]).toEqual([['turn.started', 'turn.ended'], []])
})

test('a turn that a plan starts does not get the options of a message that is written in the same append', async () => {
  const world = new World()
  const thinks = Promise.withResolvers<void>()
  let away = false
  const plans = tool({
    name: 'plan',
    description: 'plan',
    input: z.object({}),
    run: (context) => void context.plans.set({ id: 'p', what: 'Look', runAfter: '1 minute' }),
  })
  const model: Model = {
    id: 'planner',
    async *stream({ prompt }) {
      const step = prompt.filter(({ role }) => role === 'assistant').length
      if (step === 1) await thinks.promise
      if (step === 0) yield { type: 'call', id: 'v', name: 'plan', input: '{}' }
      else yield { type: 'text', id: 't', delta: 'Done.' }
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
  const a = await world.process('a', {
    agent: { model, maxSteps: 5 },
    tools: [plans],
    before: (question) => (question === 'due' && away ? new Promise(() => {}) : undefined),
  })
  const first = a.runtime.send('c', 'One')
  await world.until(async () => types(await world.log()).includes('call.settled'))
  const second = a.runtime.send('c', 'Two', { whileBusy: 'queue', maxSteps: 2 })
  await world.until(async () => types(await world.log()).includes('message.queued'))
  away = true
  await world.clock.advance(120_000)
  thinks.resolve()
  await Promise.all([first, second])
  await world.until(async () => count(await world.log(), 'model.replied') === 4)

  const turns = (await world.log()).flatMap((event) => (event.type === 'turn.started' ? [event] : []))
  expect(turns.map(({ items, limits }) => [items[0]?.kind, limits.maxSteps])).toEqual([
    ['message', 5],
    ['message', 2],
    ['event', 5],
  ])
})

test('a call whose start was written without an answer from the store runs when the store answers again', async () => {
  const world = new World()
  const ran: string[] = []
  let healed = false
  const a = await world.process('a', {
    says,
    tools: [noting(ran, 'work', { onLost: 'ask' })],
    after: (question, given) => {
      if (question !== 'append' || healed || !JSON.stringify(given).includes('call.started')) return undefined
      return { result: 'unknown', why: 'the connection was cut' }
    },
  })
  const sent = a.runtime.send('c', 'Work')
  await world.until(async () => types(await world.log()).includes('call.started'))
  await world.pass(5000)
  expect(ran).toEqual([])

  healed = true
  await world.pass(5000)

  expect(await sent).toMatchObject({ status: 'done' })
  expect(types(await world.log()).slice(3)).toEqual(['call.settled', 'model.replied'])
  expect(ran).toHaveLength(1)
})

test('two messages sent at once in one process: one is refused, and the call of the other runs once', async () => {
  const world = new World()
  const ran: string[] = []
  const way = held(opens)
  const a = await world.process('a', { says, tools: [noting(ran, 'work', { onLost: 'ask' })], before: way.before })
  const sent = [a.runtime.send('c', 'Work'), a.runtime.send('c', 'Work')]
  await comes(() => way.met === 1)
  way.let()
  const results = await Promise.all(sent)

  expect(results.map(({ status }) => status).toSorted()).toEqual(['done', 'refused'])
  expect(ran).toHaveLength(1)
  expect(types(await world.log()).filter((type) => type !== 'model.replied')).toEqual([
    'turn.started',
    'call.started',
    'call.settled',
  ])
})
