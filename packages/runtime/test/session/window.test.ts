import { memoryStore, proves, type Script } from '@holdpoint/testing'
import fc from 'fast-check'
import { ModelError, tool, type LogEvent } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Window } from '@holdpoint/core/internal/context/context-options'
import { fit, type Fit } from '@holdpoint/core/internal/context/fit'
import { encodeOutcome } from '@holdpoint/core/internal/model/encode-outcome'
import type { PromptMessage } from '@holdpoint/core/internal/prompt/prompt'
import { Transcript } from '@holdpoint/core/internal/prompt/transcript'
import { fold } from '@holdpoint/core/internal/turn/turn'
import { Walk } from '../../../../test/kit/walk.ts'
import { ConversationLog } from '../../src/conversation/conversation-log.ts'
import { ActiveConversation } from '../../src/conversation/active-conversation.ts'
import { sessionHost } from '../../src/drive/log-host.ts'
import {
  addressOf,
  call,
  countingStore,
  desk,
  expectPaired,
  goOn,
  live,
  say,
} from '../../../../test/kit/session-kit.ts'

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

const count = (message: unknown): number => JSON.stringify(message).length

/** What a window shows of a log, when the prompts before began at that seq. */
function shownOf(log: readonly LogEvent[], window: Window | undefined, from?: number): Fit {
  const { passages } = Transcript.of(log)
  const shown = from === undefined ? undefined : { from }
  const settings = { summary: undefined, room: Infinity, retentionOf: undefined, ownWordsAfter: undefined, inject: [] }
  return fit({ ...settings, passages, shown, window, encode: encodeOutcome, count })
}

const messagesOf = ({ passages }: Fit): PromptMessage[] => passages.flatMap(({ rendered }) => [...rendered.messages])
const begins = (event: LogEvent): boolean => event.type === 'turn.started' && event.items.length > 0

test(
  proves(
    'prompt.every-call-has-result',
    'a full window moves on to whole turns from a message on, with room for more, and the newest in any case',
  ),
  async () => {
    const met = { cut: 0, newestAlone: 0 }
    await fc.assert(
      fc.asyncProperty(choices, sizes, async (numbers, messages) => {
        const log = await logOf(numbers)
        if (!log.some(begins)) return
        const { passages } = Transcript.of(log)
        const whole = passages.reduce((sum, passage) => sum + passage.messages, 0)
        const fitted = shownOf(log, { messages })
        const prompt = messagesOf(fitted)

        expectPaired({ prompt } as never)
        expect(passages.slice(-fitted.passages.length).map(({ from }) => from)).toEqual(
          fitted.passages.map(({ passage }) => passage.from),
        )
        if (whole <= messages) {
          expect(fitted.passages).toHaveLength(passages.length)
          return
        }
        met.cut++
        if (fitted.passages.length === 1) met.newestAlone++
        else
          expect(fitted.passages.reduce((sum, { passage }) => sum + passage.messages, 0)).toBeLessThanOrEqual(
            0.75 * messages,
          )
      }),
      { numRuns: 500, seed: 8 },
    )
    expect(met.cut).toBeGreaterThan(100)
    expect(met.newestAlone).toBeGreaterThan(50)
  },
  240_000,
)

test('what a window that is full moves on to does not depend on how much of the log is at hand', async () => {
  let cuts = 0
  await fc.assert(
    fc.asyncProperty(choices, sizes, async (numbers, messages) => {
      const log = await logOf(numbers)
      const whole = shownOf(log, { messages }).shown
      for (const { seq } of log.filter(begins)) {
        const rest = log.slice(seq - 1)
        if (Transcript.of(rest).passages.reduce((sum, passage) => sum + passage.messages, 0) <= messages) return
        expect(shownOf(rest, { messages }).shown).toEqual(whole)
        cuts++
      }
    }),
    { numRuns: 700, seed: 9 },
  )
  expect(cuts).toBeGreaterThan(300)
}, 240_000)

test('a window stays where it is until it is full, so that prompts begin alike', async () => {
  const { agent, model } = desk(
    Array.from({ length: 60 }, (_, nth) => `Reply ${nth}.`),
    { context: { window: { turns: 20 } } },
  )
  const conversation = await live(agent, memoryStore({ now: () => 0 }))
  for (let nth = 0; nth < 60; nth++) await say(conversation, `Message ${nth}`)

  const firsts = model.requests.map(({ prompt }) => JSON.stringify(prompt[0]))
  expect(new Set(firsts).size).toBe(8)
  for (const { prompt } of model.requests) expect(prompt.length).toBeLessThanOrEqual(39)
})

test('without a window everything is shown', async () => {
  const { agent, model } = desk(Array.from({ length: 30 }, (_, nth) => `Reply ${nth}.`))
  const conversation = await live(agent, memoryStore({ now: () => 0 }))
  for (let nth = 0; nth < 30; nth++) await say(conversation, `Message ${nth}`)

  expect(model.requests.at(-1)?.prompt).toHaveLength(59)
})

test('a turn that is taken up again is shown with the message it is about, however small the window', async () => {
  const lost = new ModelError('gone', { retryable: false })
  const { agent, model } = desk([lost, { calls: [call('ok')] }, lost, 'Here.'], {
    tools,
    context: { window: { messages: 1 } },
  })
  const { store } = countingStore(memoryStore({ now: () => 0 }))
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
      const { store, all } = countingStore(memoryStore({ now: () => 0 }))
      const scripts = turns.flatMap((turn) => scriptsOf[turn]!)
      const { agent, model } = desk(scripts, { tools, context: { window: { messages } } })
      for (const turn of turns) {
        const conversation = await live(agent, store)
        const { steps } = await say(conversation, `Now ${turn}`)
        if (turn === 'broken') await goOn(await live(agent, store))
        const callId = steps[0]?.calls[0]?.callId ?? ''
        if (turn === 'job') {
          const elsewhere = await live(agent, store)
          expect(await elsewhere.resolve(callId, { kind: 'answer', value: 1 }, {})).toMatchObject({ verdict: 'accepted' }) // prettier-ignore
          await elsewhere.drive('all')
        }
      }
      const before = all.flatMap((event, at) => (endsStep(event) ? [all.slice(0, at)] : []))
      const wanted = before.map((log) => JSON.stringify(messagesOf(shownOf(log, { messages }, fold(log).shown?.from))))
      expect(model.requests.map(({ prompt }) => JSON.stringify(prompt))).toEqual(wanted)
      expect(wanted).toHaveLength(scripts.length)
      requests += wanted.length
    }),
    { numRuns: 100, seed: 10 },
  )
  expect(requests).toBeGreaterThan(1000)
}, 240_000)

function endsStep(event: LogEvent): boolean {
  return event.type === 'model.replied' || (event.type === 'turn.ended' && event.reason === 'model_failed')
}

test('the caller that began a turn gets its result, although the turn is no longer in memory', async () => {
  const { agent } = desk(['First.', 'Second.', 'Third.', 'Fourth.'], { context: { window: { messages: 1 } } })
  const counting = countingStore(memoryStore({ now: () => 0 }))
  const conversation = await live(agent, counting.store)
  const later: Promise<unknown>[] = []
  conversation.log.listen({
    appended: ({ type, seq }) => {
      if (type === 'turn.started' && later.length < 3)
        later.push(conversation.submit(`After ${seq}`, { whileBusy: 'queue' }))
    },
    wrote: () => {},
    othersWrote: () => {},
    fenced: () => {},
    rolledBack: () => {},
  })

  expect(await say(conversation, 'Go')).toMatchObject({ status: 'done', text: 'First.' })

  await Promise.all(later)
  expect(conversation.log.state).toMatchObject({ turn: { phase: 'rest' }, queue: [] })
  expect(counting.reads).toBeGreaterThan(0)
})

test('a process that opens an idle conversation reports its last result', async () => {
  const { store } = countingStore(memoryStore({ now: () => 0 }))
  await say(await live(desk([...round, 'Well.'], { tools }).agent, store), 'Go')

  const { agent } = desk([], { tools, process: 'q' })
  expect(await goOn(await live(agent, store))).toMatchObject({ status: 'done', text: 'Fine.', steps: { length: 2 } })
})

test.each([
  { says: round, events: 5, how: 'with calls' },
  { says: ['Fine.'], events: 2, how: 'without calls' },
])('memory does not grow with the conversation, of turns $how', async ({ says, events }) => {
  const { agent } = desk(Array.from({ length: 200 }, () => says).flat(), {
    tools,
    context: { window: { messages: 8 } },
  })
  const { store, all } = countingStore(memoryStore({ now: () => 0 }))
  const conversation = new ActiveConversation(
    agent,
    new ConversationLog(addressOf('c'), store, agent.ports),
    sessionHost(store, agent.ports),
  )
  let most = 0
  for (let nth = 0; nth < 200; nth++) {
    expect(await say(conversation, `Message ${nth}`)).toMatchObject({ status: 'done', text: 'Fine.' })
    most = Math.max(most, conversation.log.events.length)
  }

  expect(all).toHaveLength(200 * events)
  expect(most).toBeLessThanOrEqual(8 * events)
})

test('a turn costs the same reads however long the conversation is, in one process and in one for each turn', async () => {
  const scripts = Array.from({ length: 200 }, () => round).flat()
  const perTurn: number[] = []
  for (const reload of [false, true]) {
    const counting = countingStore(memoryStore({ now: () => 0 }))
    const { agent } = desk(scripts, { tools, context: { window: { messages: 8 } } })
    let conversation = await live(agent, counting.store)
    for (let nth = 0; nth < 200; nth++) {
      if (reload) conversation = await live(agent, counting.store)
      const before = counting.reads
      await say(conversation, `Message ${nth}`)
      if (nth >= 20) perTurn.push(counting.reads - before)
    }
  }

  expect(new Set(perTurn.slice(0, 180))).toEqual(new Set([0]))
  expect(new Set(perTurn.slice(180)).size).toBe(1)
})

test('concurrent readers of older events, while the conversation goes on, get every event once', async () => {
  const { store, all } = countingStore(memoryStore({ now: () => 0 }))
  const { agent } = desk([...round, ...round, ...round], { tools })
  for (const message of ['One', 'Two']) await say(await live(agent, store), message)
  const conversation = await live(agent, store)
  const { log } = conversation

  await Promise.all([
    log.reachBack(1),
    log.reachBack(4),
    log.reachUntil(2, () => false),
    say(conversation, 'Three'),
    log.reachBack(1),
  ])

  expect(log.events).toEqual(all)
})
