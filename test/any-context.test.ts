/**
 * For every log and every setting of an agent: vendors accept the prompt, it is within its budget or the turn ends with an
 * error that names the part that is too large, and the log is unchanged.
 */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import type { PromptMessage } from '@holdpoint/core'
import { proves } from '@holdpoint/testing'
import fc from 'fast-check'
import { aiSdkModel, type JsonObject, type LogEvent, type Model } from 'holdpoint'
import { expect, test } from 'vitest'
import type { Assembled } from '../packages/core/src/context/assemble.ts'
import type { Shown } from '../packages/core/src/log/log-event.ts'
import { openHolds } from '@holdpoint/runtime/internal/session/result'
import { renderPassage } from '../packages/core/src/prompt/render.ts'
import { Transcript } from '../packages/core/src/prompt/transcript.ts'
import { acceptedByAi, acceptedByServers } from '../packages/models/test/oracle.ts'
import { anthropic } from '../packages/models/test/vendors/anthropic.ts'
import { google } from '../packages/models/test/vendors/google.ts'
import { openaiChat } from '../packages/models/test/vendors/openai-chat.ts'
import { openaiResponses } from '../packages/models/test/vendors/openai-responses.ts'
import { choices, letters, logOf, madeFrom, settings, type Made, type Settings } from './any-log.ts'

const met = {
  prompts: 0,
  holds: 0,
  pending: 0,
  moved: { turns: 0, messages: 0, tokens: 0 },
  stale: 0,
  squeezed: 0,
  ownWords: 0,
  cut: 0,
  asBefore: 0,
  ownIds: 0,
  injected: 0,
  tooLarge: { instructions: 0, tools: 0, injected: 0, conversation: 0, whole: 0 },
}

test(
  proves(
    'prompt.every-call-has-result',
    'for any log and any settings, vendors accept the prompt and it is within its budget, or an error names the part that is too large; the log is unchanged',
  ),
  async () => {
    await fc.assert(
      fc.asyncProperty(choices, settings, async (numbers, given) => {
        const { log, places } = await logOf(numbers)
        let shown: Shown | undefined
        for (const place of places) shown = await look(log.slice(0, place), given, shown)
      }),
      { numRuns: 1500, seed: 44, endOnFailure: true },
    )
    expect(met.prompts).toBeGreaterThan(1000)
    const { moved, tooLarge, ...flat } = met
    for (const [branch, count] of Object.entries({ ...flat, ...moved, ...tooLarge }))
      expect(count, `times that ${branch} was met`).toBeGreaterThan(20)
  },
  480_000,
)

/** The parts of the log that the prompt shows. */
async function look(
  events: readonly LogEvent[],
  given: Settings,
  shown: Shown | undefined,
): Promise<Shown | undefined> {
  const { passages } = Transcript.of(events)
  if (passages.length === 0) return shown
  const before = structuredClone(events)
  const all = await madeFrom(events, given, shown)
  expect(events).toEqual(before)
  if ('tooLarge' in all.made) {
    judgeRefusal(events, given, all, all.made.tooLarge)
    return shown
  }
  const { made, log } = all as Made & { made: Assembled }
  met.prompts++
  expect(made.fit.passages.at(-1)?.passage.from).toBe(passages.at(-1)!.from)
  judgeBudget(given, all, made)
  judgeLeftOut(events, given, all, made)
  if (openHolds(log.state).length > 0) met.holds++
  await judgePrompt(made.prompt)
  // A part that an earlier prompt left out must not appear again.
  expect(made.fit.shown.from).toBeGreaterThanOrEqual(shown?.from ?? 0)
  if (shown && !made.shown) met.asBefore++
  return made.shown ?? shown
}

/** The prompt is within the budget minus its reserve, and has the newest turn. */
function judgeBudget({ context, inject }: Settings, { tools }: Made, { prompt, ...assembled }: Assembled): void {
  if (inject !== undefined && JSON.stringify(prompt).includes(inject)) met.injected++
  if (context.budget === undefined) return
  const sizes = assembled.sizes()
  const budget = typeof context.budget === 'number' ? { tokens: context.budget } : context.budget
  const size = prompt.reduce((sum, message) => sum + letters(message), 0)
  expect(size + tools + Math.max(0, (budget.reserve ?? 0) - sizes.injected)).toBeLessThanOrEqual(budget.tokens)
  expect(sizes.conversation).toBeLessThanOrEqual(budget.conversation ?? Infinity)
  expect(sizes.instructions).toBeLessThanOrEqual(budget.instructions ?? Infinity)
  expect(sizes.tools).toBeLessThanOrEqual(budget.tools ?? Infinity)
  expect(sizes.injected).toBeLessThanOrEqual(budget.injected ?? Infinity)
}

/** The error names a part, and that part is too large. */
function judgeRefusal(events: readonly LogEvent[], { context, ...rest }: Settings, { tools }: Made, why: string): void {
  expect(context.budget).toBeDefined()
  const budget = typeof context.budget === 'number' ? { tokens: context.budget } : context.budget!
  const instructions = rest.instructions === '' ? 0 : letters({ role: 'system', text: rest.instructions })
  const injected =
    rest.inject === undefined ? 0 : letters({ role: 'user', parts: [{ type: 'text', text: rest.inject }] })
  const cap = /of the (\d+) in context\.budget\.(\w+)\.$/.exec(why)
  const newest = renderPassage(Transcript.of(events).passages.at(-1)!, { current: true }).messages
  const turn = newest.reduce((sum, message) => sum + letters(message), 0)
  if (!cap) {
    met.tooLarge.whole++
    expect(why).toMatch(/does not fit into \d+ tokens .* about \d+.* Shorten .*, or raise the budget\.$/)
    // The addition to the message may take a few characters more or fewer inside it than alone.
    const least = instructions + tools + turn + Math.max(injected, budget.reserve ?? 0)
    return expect(least + 40).toBeGreaterThan(budget.tokens)
  }
  const part = cap[2] as keyof Omit<typeof met.tooLarge, 'whole'>
  met.tooLarge[part]++
  expect(Number(cap[1])).toBe(budget[part])
  expect({ instructions, tools, injected, conversation: turn + 40 }[part]).toBeGreaterThan(budget[part] ?? Infinity)
}

/** A part that is left out belongs to no open hold and to none of the newest rounds. */
function judgeLeftOut(
  events: readonly LogEvent[],
  { context, retention }: Settings,
  { log }: Made,
  { fit, prompt }: Assembled,
): void {
  const held = new Set(openHolds(log.state).map(({ callId }) => callId))
  const asked = events.flatMap((event) => (event.type === 'call.settled' ? [event.callId] : []))
  const last = fit.passages.at(-1)!
  const rounds = [...new Set(last.passage.calls.map(({ seq }) => seq))]
  const recent = new Set(rounds.slice(-2))
  for (const { passage, stale, squeezed, ownWords } of fit.passages) {
    for (const callId of [...stale, ...squeezed]) expect(held.has(callId) && !asked.includes(callId)).toBe(false)
    if (stale.size > 0) met.stale++
    if (squeezed.size > 0) met.squeezed++
    if (ownWords) met.ownWords++
    if (squeezed.size > 0) expect(retention ?? context.retention).not.toBe('keep')
    if (passage !== last.passage) continue
    expect(stale.size).toBe(0)
    expect(ownWords).toBe(false)
    for (const { callId, seq } of passage.calls) expect(recent.has(seq) && squeezed.has(callId)).toBe(false)
  }
  const { length } = Transcript.of(events).passages
  if (fit.passages.length < length) {
    const [kind] = Object.keys(context.window ?? {}) as (keyof typeof met.moved)[]
    if (kind) met.moved[kind]++
    else met.cut++
  }
  const results = prompt.flatMap((message) => (message.role === 'tool' ? message.results : []))
  met.pending += results.filter(({ content }) => JSON.stringify(content).includes('"pending"')).length
  met.ownIds += results.filter(({ id }) => !/^v\d$/.test(id)).length
}

const GO_ON: PromptMessage = { role: 'user', parts: [{ type: 'text', text: 'Go on.' }] }

/** Checks a prompt with the AI SDK, three vendors' packages, and the known rules of their servers. */
async function judgePrompt(prompt: readonly PromptMessage[]): Promise<void> {
  // A reply ends an idle turn; the next model call then has a message to add.
  const sent = prompt.at(-1)?.role === 'assistant' ? [...prompt, GO_ON] : prompt
  acceptedByServers(sent)
  if (met.prompts % 4 === 0) await acceptedByAi(sent)
  const request = { prompt: sent, tools: [], settings: {}, cache: { breakpoints: [sent.length - 1], key: 'c' } }
  for (const { model, judge } of vendors) {
    bodies.length = 0
    for await (const _ of model.stream({ ...request, signal: new AbortController().signal }));
    expect(bodies).toHaveLength(1)
    judge(bodies[0]!)
  }
}

const bodies: JsonObject[] = []
const answering =
  (text: string): typeof fetch =>
  (_, init) => {
    bodies.push(JSON.parse(init?.body as string) as JsonObject)
    return Promise.resolve(new Response(text, { headers: { 'content-type': 'text/event-stream' } }))
  }
const apiKey = 'key'
const openai = (body: string) => createOpenAI({ apiKey, fetch: answering(body) })

const vendors: readonly { readonly model: Model; readonly judge: (body: JsonObject) => void }[] = [
  {
    model: aiSdkModel(createAnthropic({ apiKey, fetch: answering(anthropic.says('ok')) })('claude-sonnet-4-5')),
    judge: ({ messages }) => {
      const roles = (messages as JsonObject[]).map(({ role }) => role)
      expect(roles).toEqual(roles.map((_, nth) => (nth % 2 ? 'assistant' : 'user')))
      expect(roles.at(-1)).toBe('user')
      expectPairs(anthropic.readCalls({ messages }), anthropic.readResults({ messages }))
    },
  },
  {
    model: aiSdkModel(createGoogleGenerativeAI({ apiKey, fetch: answering(google.says('ok')) })('gemini-2.5-pro')),
    judge: (body) => {
      const roles = (body['contents'] as JsonObject[]).map(({ role }) => role)
      expect(roles[0]).toBe('user')
      expect(roles.at(-1)).toBe('user')
      expectPairs(google.readCalls(body), google.readResults(body))
    },
  },
  {
    model: aiSdkModel(openai(openaiResponses.says('ok'))('gpt-5')),
    judge: (body) => expectPairs(openaiResponses.readCalls(body), openaiResponses.readResults(body)),
  },
  {
    model: aiSdkModel(openai(openaiChat.says('ok')).chat('gpt-5')),
    judge: (body) => expectPairs(openaiChat.readCalls(body), openaiChat.readResults(body)),
  },
]

function expectPairs(calls: readonly { id: string }[], results: readonly { id: string }[]): void {
  expect(results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id))
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
}
