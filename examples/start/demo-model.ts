/** The scripted model of the demo: it answers by keywords, so that the demo needs no vendor and no API key. */
import { setTimeout as pause } from 'node:timers/promises'
import { vendorName } from '@holdpoint/core'
import type { Model, ModelPart, ModelRequest } from 'holdpoint'
import { nextCalls, type Call } from './demo-cycle.ts'
import { STORY } from './story.ts'

interface Line {
  readonly hears: RegExp
  readonly call?: { readonly name: string; readonly input: object }
  readonly says?: string
  readonly thinks?: string
  readonly searches?: true
}

/** The first line whose pattern matches the message is used. */
const LINES: readonly Line[] = [
  {
    hears: /mail|write to|tell ada/i,
    thinks: 'They want an e-mail sent. It leaves the company, so a person has to approve it.',
    call: {
      name: 'email.send',
      input: {
        to: 'ada@example.org',
        subject: 'The report',
        body: 'Dear Ada,\n\nthe report is ready: https://reports.example.org/q3\n\nKind regards',
      },
    },
  },
  { hears: /budget|money/i, call: { name: 'budget.ask', input: { question: 'How much may the launch cost?' } } },
  { hears: /time ?zone|what time/i, call: { name: 'browser.time_zone', input: {} } },
  { hears: /report/i, call: { name: 'report.build', input: { quarter: 'Q3' } } },
  { hears: /ship|parcel/i, call: { name: 'parcel.ship', input: { to: 'Grace', kilograms: 2.5 } } },
  {
    hears: /chart|draw/i,
    call: {
      name: 'chart.show',
      input: {
        title: 'Sales by quarter',
        bars: [
          { label: 'Q1', value: 31 },
          { label: 'Q2', value: 42 },
          { label: 'Q3', value: 58 },
          { label: 'Q4', value: 47 },
        ],
      },
    },
  },
  { hears: /search|web/i, searches: true, says: 'High water at Dover is at **11:42** today, the tables say.' },
  { hears: /story/i, says: STORY },
]

type Results = Extract<ModelRequest['prompt'][number], { readonly role: 'tool' }>['results']
type Said = (result: Readonly<Record<string, unknown>>) => string

const AFTER: Readonly<Record<string, Said>> = Object.fromEntries(
  Object.entries<Said>({
    'email.send': ({ sent }) => `The e-mail to **${String(sent)}** is out.`,
    'budget.ask': ({ amount, currency }) => `Good: the launch may cost **${String(amount)} ${String(currency)}**.`,
    'browser.time_zone': ({ timeZone, time }) => `You are in **${String(timeZone)}**, where it is ${String(time)}.`,
    'report.build': ({ quarter, pages, total }) =>
      `The report on ${String(quarter)} has ${String(pages)} pages. In short: **${String(total)}** euros.`,
    'parcel.ship': ({ tracking }) => `It is on its way, as \`${String(tracking)}\`.`,
    'chart.show': () => 'There it is. The third quarter was the best.',
  }).map(([name, say]) => [vendorName(name), say]),
)

const HELLO = 'I am a scripted model. Ask me to write to Ada, for a budget, for a chart, or to tell a story.'
const PACE_MS = 25

/** The reply depends on the prompt alone, so every process gives the same one. */
export const demoModel: Model = {
  id: 'demo/scripted',
  async *stream({ prompt, signal }) {
    const last = prompt.at(-1)
    const cycle = nextCalls(prompt, textAbout)
    if (cycle) yield* calls(cycle, prompt.length, signal)
    else if (last?.role === 'tool') yield* said(textAbout(last.results), signal)
    else
      yield* reply(
        LINES.find(({ hears }) => hears.test(JSON.stringify(last ?? ''))) ?? { hears: /./, says: HELLO },
        prompt.length,
        signal,
      )
    yield { type: 'finish', reason: 'stop', usage: { inputTokens: 12 * prompt.length, outputTokens: 24 } }
  },
}

async function* reply(
  { thinks, says, call, searches }: Line,
  nth: number,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  if (thinks !== undefined) yield { type: 'reasoning', id: 'r', delta: thinks }
  if (searches) {
    const [id, name] = [`search-${nth}`, 'web_search']
    yield { type: 'call', id, name, input: '{"query":"tide tables Dover"}', byProvider: true }
    await pause(400, undefined, { signal })
    yield {
      type: 'provider-result',
      id,
      name,
      result: [{ title: 'Tide tables', url: 'https://tides.example.org/dover' }],
    }
  }
  if (says !== undefined) yield* said(says, signal)
  if (call) yield { type: 'call', id: `call-${nth}`, name: vendorName(call.name), input: JSON.stringify(call.input) }
}

/** Streams the arguments of each call, a word at a time. */
async function* calls(all: readonly Call[], nth: number, signal: AbortSignal): AsyncGenerator<ModelPart> {
  for (const [index, { name, input }] of all.entries()) {
    const call = { id: `call-${nth}-${index}`, name: vendorName(name) }
    for (const delta of JSON.stringify(input).split(/(?<=\s)/)) {
      yield { type: 'call-input', ...call, delta }
      await pause(PACE_MS, undefined, { signal })
    }
    yield { type: 'call', ...call, input: JSON.stringify(input) }
  }
}

async function* said(text: string, signal: AbortSignal): AsyncGenerator<ModelPart> {
  for (const delta of text.split(/(?<=\s)/)) {
    yield { type: 'text', id: 't', delta }
    await pause(PACE_MS, undefined, { signal })
  }
}

/** A sentence about each result. */
function textAbout(results: Results): string {
  return results
    .map(({ name, content }) => {
      const told: unknown = typeof content === 'string' ? JSON.parse(content) : content
      const read = told as {
        readonly ok?: boolean
        readonly result?: unknown
        readonly error?: { readonly message?: string }
      }
      if (read.ok !== true) return `That did not work: ${read.error?.message ?? 'no reason was given'}`
      return (
        AFTER[name]?.(read.result as Readonly<Record<string, unknown>>) ??
        `The result is \`${JSON.stringify(read.result)}\`.`
      )
    })
    .join('\n\n')
}
