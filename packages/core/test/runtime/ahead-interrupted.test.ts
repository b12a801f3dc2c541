/** What happens while the model is asked about something that is being written: others come, leave, cancel and watch. */
import type { Model } from '@holdpoint/core'
import { tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { brooder, comes, held, opens, says, thinker, writes } from './ahead-kit.ts'
import { noting, timesAsked, types, World } from './kit.ts'

test('closing does not wait longer than its grace for words on their way, and the model that thinks of them is told to stop', async () => {
  const world = new World()
  const { model, signals } = brooder()
  const way = held(opens)
  const a = await world.process('a', { agent: { model }, before: way.before, graceMs: 250 })
  const sent = a.runtime.send('c', 'Hi').catch((error: unknown) => error)
  await comes(() => way.met === 1)

  await world.soon(a.runtime.close())

  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  way.let()
  expect(await sent).toMatchObject({ code: 'closed' })
})

test('whoever does not want it any more before it is written has it written and cancelled, and nothing is begun', async () => {
  const world = new World()
  const ran: string[] = []
  const a = await world.process('a', { says, tools: [noting(ran, 'work')] })

  const sent = await a.runtime.send('c', 'Work', { signal: AbortSignal.abort() })

  expect(sent).toMatchObject({ status: 'stopped', reason: 'cancelled' })
  expect([types(await world.log()), ran]).toEqual([['turn.started', 'turn.ended'], []])
})

test('what is cancelled as soon as it is written: the model that thinks of it is told to stop, and memory is free of it', async () => {
  const world = new World()
  const { model, signals } = brooder()
  const way = held(opens)
  const a = await world.process('a', { agent: { model }, before: way.before, deaf: true, idleMs: 1000 })
  const leaving = new AbortController()
  const sent = a.runtime.send('c', 'Hi', { signal: leaving.signal })
  await comes(() => way.met === 1)
  leaving.abort()
  way.let()

  expect(await sent).toMatchObject({ status: 'stopped', reason: 'cancelled' })

  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  await world.pass(3000)
  await a.runtime.cancel('c')
  expect(timesAsked(a, 'load', 'c')).toBe(2)
})

test('a prompt that is made while what was said comes into the log says it once', async () => {
  const world = new World()
  const b = await world.process('b', { says: ['Hello.'] })
  await b.runtime.send('c', 'First')
  const [older, answer, newer] = [0, 0, 0].map(() => Promise.withResolvers<void>())
  let wrote = false
  const met: string[] = []
  const a = await world.process('a', {
    says: ['Hello.'],
    before: (question) => {
      met.push(question)
      if (question === 'readBack') return older!.promise
      return question === 'read' && wrote ? newer!.promise : undefined
    },
    after: (question) => {
      if (question !== 'append' || wrote) return undefined
      wrote = true
      return answer!.promise
    },
  })
  const sent = a.runtime.send('c', 'Second')
  await comes(() => wrote && met.includes('readBack'))
  // The log has got further than what it wrote itself, so it reads on before anybody hears of that.
  await b.runtime.submit('c', 'Third', { whileBusy: 'queue' })
  met.length = 0
  answer!.resolve()
  await comes(() => met.includes('read'))
  older!.resolve()
  await comes(() => a.model.requests.length === 1)
  newer!.resolve()
  await sent

  const said = a.model.requests.map(({ prompt }) => prompt.filter(({ role }) => role === 'user').length)
  expect(said).toEqual([2, 3])
})

test('a turn that nobody waits for is not given what somebody’s message came with, though both are written at once', async () => {
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

  const turns = (await world.log()).flatMap((event) => (event.type === 'turn.started' ? [event] : []))
  expect(turns.map(({ items, limits }) => [items[0]?.kind, limits.maxSteps])).toEqual([
    ['message', 5],
    ['message', 2],
    ['event', 5],
  ])
  expect(writes(a).at(-1)).toEqual(types(await world.log()).slice(-6))
})

test('whoever comes to watch while it is being written is shown nothing that is not', async () => {
  const world = new World()
  const { model, speak, spoken } = thinker('Hello.')
  const way = held(opens)
  const a = await world.process('a', { agent: { model }, before: way.before })
  const sent = a.runtime.send('c', 'Hi')
  await comes(() => way.met === 1)
  const seen: string[] = []
  const following = (async () => {
    for await (const { type } of a.runtime.subscribe('c')) if (seen.push(type) === 2) return
  })()
  await comes(() => timesAsked(a, 'read', 'c') > 0)
  speak()
  await comes(() => spoken())
  way.let()
  await Promise.all([sent, following])

  expect(seen).toEqual(['turn.started', 'model.replied'])
})

test('a call whose start nobody knows to be written for a while runs once that comes out: its process lives, and knows', async () => {
  const world = new World()
  const ran: string[] = []
  let cut = true
  const a = await world.process('a', {
    says,
    tools: [noting(ran, 'work', { onLost: 'ask' })],
    after: (question) => (question === 'append' && cut ? { result: 'unknown', why: 'the line is cut' } : undefined),
  })
  const sent = a.runtime.send('c', 'Work').catch((error: unknown) => error)
  expect(await world.soon(sent)).toMatchObject({ code: 'store-unavailable' })
  expect([types(await world.log()), ran]).toEqual([['turn.started', 'model.replied', 'call.started'], []])

  cut = false
  await world.pass(5000)

  expect(types(await world.log()).slice(3)).toEqual(['call.settled', 'model.replied'])
  expect(ran).toHaveLength(1)
})

test('two who speak at once in one process: one is refused, and the call of the other runs, once', async () => {
  const world = new World()
  const ran: string[] = []
  const way = held(opens)
  const a = await world.process('a', { says, tools: [noting(ran, 'work', { onLost: 'ask' })], before: way.before })
  const sent = [a.runtime.send('c', 'Work'), a.runtime.send('c', 'Work')]
  await comes(() => way.met === 2)
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
