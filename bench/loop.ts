/**
 * The cost of the loop per step, as a ratio to a bare `doStream` of the same scripted model in the same run; compared with the
 * AI SDK's `streamText` and its single-call helper. Contestants alternate, so a busy minute of the machine affects all.
 */
import { agent, aiSdkModel, chat, stream } from 'holdpoint'
import { experimental_streamLanguageModelCall as streamLanguageModelCall, streamText } from 'ai'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { scriptedLanguageModel } from './scripted-language-model.ts'

const ROUNDS = 25
const PER_ROUND = 300
const WARM_UP = 6000

type Contestants = Readonly<Record<string, () => Promise<unknown>>>

export async function loop(): Promise<void> {
  for (const deltas of [0, 20, 200]) {
    const vendor = scriptedLanguageModel(deltas)
    // Two heats, each with its own bare runs, so that garbage of one library does not slow down another.
    const us = await heat({ ...bare(vendor), ...holdpoint(vendor) }, 1)
    const peers = await heat({ ...bare(vendor), ...aiSdk(vendor) }, 10)
    console.log(JSON.stringify({ bench: 'loop', deltas, ...merged(us, peers) }))
  }
}

function bare(vendor: LanguageModelV4): Contestants {
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }]
  return { bare: async () => drain((await vendor.doStream({ prompt })).stream) }
}

function holdpoint(vendor: LanguageModelV4): Contestants {
  const desk = agent({ name: 'desk', model: aiSdkModel(vendor) })
  return { chat: () => chat(desk, 'hello'), stream: () => drain(stream(desk, 'hello')) }
}

function aiSdk(vendor: LanguageModelV4): Contestants {
  const messages = [{ role: 'user' as const, content: 'hello' }]
  return {
    aiSdkStreamText: () => drain(streamText({ model: vendor, prompt: 'hello' }).stream),
    aiSdkSingleCall: async () => drain((await streamLanguageModelCall({ model: vendor, messages })).stream),
  }
}

interface Heat {
  readonly us: Readonly<Record<string, number>>
  readonly ratio: Readonly<Record<string, number>>
}

/** Computes the ratio within each round, because the machine's speed changes between rounds. Returns the median ratio. */
async function heat(contestants: Contestants, shorter: number): Promise<Heat> {
  const all = Object.entries(contestants)
  for (const [, run] of all) await micros(run, WARM_UP / shorter)
  const rounds: Record<string, number>[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const took: Record<string, number> = {}
    for (const [name, run] of all) took[name] = await micros(run, PER_ROUND / shorter)
    rounds.push(took)
  }
  const middleOf = (value: (took: Record<string, number>, name: string) => number): Record<string, number> =>
    Object.fromEntries(all.map(([name]) => [name, round2(middle(rounds.map((took) => value(took, name))))]))
  return {
    us: middleOf((took, name) => took[name] ?? 0),
    ratio: middleOf((took, name) => (took[name] ?? 0) / (took['bare'] ?? 1)),
  }
}

function merged(ours: Heat, peers: Heat): Heat {
  return { us: { ...peers.us, ...ours.us }, ratio: { ...peers.ratio, ...ours.ratio } }
}

async function drain(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of items) count++
  return count
}

async function micros(run: () => Promise<unknown>, times: number): Promise<number> {
  const start = performance.now()
  for (let i = 0; i < times; i++) await run()
  return ((performance.now() - start) * 1000) / times
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function round2(value: number): number {
  return Math.round(value * 100) / 100
}
