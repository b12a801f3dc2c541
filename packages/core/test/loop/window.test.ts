import { renderPrompt } from '@holdpoint/core'
import { memoryStore, proves, type Script } from '@holdpoint/testing'
import fc from 'fast-check'
import { ModelError, tool, type LogEvent } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { isEnough, windowed } from '../../src/loop/window.ts'
import { Walk } from '../turn/walk.ts'
import { call, countingStore, desk, expectPaired, goOn, live, say } from './kit.ts'

const input = z.object({})
const description = 'For a test'
const tools = [
  tool({ name: 'ok', description, input, run: () => 'ok' }),
  tool({ name: 'job', description, input, executor: 'external', async: true }),
]
const choices = fc.array(fc.nat({ max: 1000 }), { minLength: 20, maxLength: 400, size: 'max' })
const sizes = fc.integer({ min: 1, max: 12 })

async function logOf(numbers: readonly number[]): Promise<readonly LogEvent[]> {
  const walk = new Walk(numbers)
  while (!walk.over) await walk.step()
  return walk.log
}

const begins = (event: LogEvent): boolean => event.type === 'turn.started' && event.items.length > 0

test(
  proves(
    'prompt.every-call-has-result',
    'the window shows whole turns from a message on, as many as fit, and the newest in any case',
  ),
  async () => {
    const met = { cut: 0, newestAlone: 0 }
    await fc.assert(
      fc.asyncProperty(choices, sizes, async (numbers, messages) => {
        const log = await logOf(numbers)
        const window = windowed(log, { messages })
        if (!log.some(begins)) return

        expect(log.slice(-window.length)).toEqual(window)
        expect(begins(window[0]!)).toBe(true)
        const prompt = renderPrompt([], window)
        expectPaired({ prompt } as never)
        const turns = window.filter(begins).length
        if (turns > 1) expect(prompt.length).toBeLessThanOrEqual(messages)
        else met.newestAlone++

        const older = log.slice(0, -window.length).findLastIndex(begins)
        if (older < 0) return
        met.cut++
        expect(isEnough(log.slice(older), messages)).toBe(true)
      }),
      { numRuns: 500, seed: 8 },
    )
    expect(met.cut).toBeGreaterThan(100)
    expect(met.newestAlone).toBeGreaterThan(100)
  },
  60_000,
)

test('what the window shows does not depend on how much of the log is at hand, as long as it is enough', async () => {
  let cuts = 0
  await fc.assert(
    fc.asyncProperty(choices, sizes, async (numbers, messages) => {
      const log = await logOf(numbers)
      const whole = windowed(log, { messages })
      for (let from = 1; from < log.length && isEnough(log.slice(from), messages); from++, cuts++)
        expect(windowed(log.slice(from), { messages })).toEqual(whole)
    }),
    { numRuns: 500, seed: 9 },
  )
  expect(cuts).toBeGreaterThan(1000)
}, 60_000)

test('without a window everything is shown', async () => {
  const { agent, model } = desk(Array.from({ length: 30 }, (_, nth) => `Reply ${nth}.`))
  const conversation = await live(agent, memoryStore())
  for (let nth = 0; nth < 30; nth++) await say(conversation, `Message ${nth}`)

  expect(model.requests.at(-1)?.prompt).toHaveLength(59)
})

test('a turn that is taken up again is shown with the message it is about, however small the window', async () => {
  const lost = new ModelError('gone', { retryable: false })
  const { agent, model } = desk([lost, { calls: [call('ok')] }, lost, 'Here.'], { tools, window: { messages: 1 } })
  const { store } = countingStore(memoryStore())
  await say(await live(agent, store), 'Find it')
  await goOn(await live(agent, store))
  await goOn(await live(agent, store))

  for (const { prompt } of model.requests) expect(prompt[0]).toMatchObject({ parts: [{ text: 'Find it' }] })
  expect(model.requests.at(-1)?.prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
})

const round = [{ calls: [call('ok')] }, 'Fine.']
const doing = fc.constantFrom('plain', 'calls', 'long', 'broken', 'job')
const lost = new ModelError('gone', { retryable: false })
const scriptsOf: Readonly<Record<string, readonly Script[]>> = {
  plain: ['Fine.'],
  calls: [{ calls: [call('ok'), call('ok')] }, 'Fine.'],
  long: [{ calls: [call('ok')] }, { calls: [call('ok')] }, { text: 'Hm.', calls: [call('ok')] }, 'Fine.'],
  broken: [{ calls: [call('ok')] }, lost, 'Well.'],
  job: [{ calls: [call('job')] }, 'It will come.', 'It came.'],
}

test('processes that read back what they need send the model byte for byte what the whole log would', async () => {
  let requests = 0
  await fc.assert(
    fc.asyncProperty(fc.array(doing, { maxLength: 12 }), sizes, async (turns, messages) => {
      const { store, all } = countingStore(memoryStore())
      const wanted: string[] = []
      const scripts = turns.flatMap((turn) => scriptsOf[turn]!)
      const recorded = scripts.map((script) => () => {
        wanted.push(JSON.stringify(renderPrompt([], windowed(all, { messages }))))
        return script
      })
      const { agent, model } = desk(recorded, { tools, window: { messages } })
      for (const turn of turns) {
        const conversation = await live(agent, store)
        const { steps } = await say(conversation, `Now ${turn}`)
        if (turn === 'broken') await goOn(await live(agent, store))
        const callId = steps[0]?.calls[0]?.callId ?? ''
        if (turn === 'job') {
          const elsewhere = await live(agent, store)
          expect(await elsewhere.resolve(callId, { kind: 'answer', value: 1 }, {})).toMatchObject({ verdict: 'accepted' }) // prettier-ignore
          await elsewhere.driveOn(false)
        }
      }
      expect(model.requests.map(({ prompt }) => JSON.stringify(prompt))).toEqual(wanted)
      expect(wanted).toHaveLength(scripts.length)
      requests += wanted.length
    }),
    { numRuns: 100, seed: 10 },
  )
  expect(requests).toBeGreaterThan(1000)
}, 60_000)

test('whoever began a turn is told of it, although so much followed that it is no longer in memory', async () => {
  const { agent } = desk(['First.', 'Second.', 'Third.', 'Fourth.'], { window: { messages: 1 } })
  const counting = countingStore(memoryStore())
  const conversation = await live(agent, counting.store)
  // Each is sent while the one before it is at work.
  const later: Promise<unknown>[] = []
  conversation.log.listen(({ type, seq }) => {
    if (type === 'turn.started' && later.length < 3)
      later.push(conversation.submit(`After ${seq}`, { whileBusy: 'queue' }))
  })

  expect(await say(conversation, 'Go')).toMatchObject({ status: 'done', text: 'First.' })

  await Promise.all(later)
  expect(conversation.log.state).toMatchObject({ turn: { phase: 'rest' }, queue: [] })
  expect(counting.reads).toBeGreaterThan(0)
})

test('a process that comes to a conversation at rest tells what it came to', async () => {
  const { store } = countingStore(memoryStore())
  await say(await live(desk([...round, 'Well.'], { tools }).agent, store), 'Go')

  const { agent } = desk([], { tools, process: 'q' })
  expect(await goOn(await live(agent, store))).toMatchObject({ status: 'done', text: 'Fine.', steps: { length: 2 } })
})

test('memory does not grow with the conversation', async () => {
  const { agent } = desk(Array.from({ length: 200 }, () => round).flat(), { tools, window: { messages: 8 } })
  const { store, all } = countingStore(memoryStore())
  const conversation = await live(agent, store)
  let most = 0
  for (let nth = 0; nth < 200; nth++) {
    expect(await say(conversation, `Message ${nth}`)).toMatchObject({ status: 'done', text: 'Fine.' })
    most = Math.max(most, conversation.log.events.length)
  }

  expect(all).toHaveLength(1000)
  expect(most).toBeLessThanOrEqual(40)
})

test('a turn costs the same reads however long the conversation is, in one process and in one for each turn', async () => {
  const scripts = Array.from({ length: 200 }, () => round).flat()
  const perTurn: number[] = []
  for (const anew of [false, true]) {
    const counting = countingStore(memoryStore())
    const { agent } = desk(scripts, { tools, window: { messages: 8 } })
    let conversation = await live(agent, counting.store)
    for (let nth = 0; nth < 200; nth++) {
      if (anew) conversation = await live(agent, counting.store)
      const before = counting.reads
      await say(conversation, `Message ${nth}`)
      if (nth >= 20) perTurn.push(counting.reads - before)
    }
  }

  expect(new Set(perTurn.slice(0, 180))).toEqual(new Set([0]))
  expect(new Set(perTurn.slice(180)).size).toBe(1)
})

test('those who read back at the same time, and while the conversation goes on, get every event once', async () => {
  const { store, all } = countingStore(memoryStore())
  const { agent } = desk([...round, ...round, ...round], { tools })
  for (const message of ['One', 'Two']) await say(await live(agent, store), message)
  const conversation = await live(agent, store)
  const { log } = conversation

  await Promise.all([
    log.reach(Infinity),
    log.reachBack(4),
    log.reach(1),
    say(conversation, 'Three'),
    log.reach(Infinity),
  ])

  expect(log.events).toEqual(all)
})
