/**
 * What the loop itself costs a step, over a bare `doStream` of the same scripted model, as a ratio in one run; the AI
 * SDK's `streamText` and its single-call helper beside it. Contestants take turns, so a busy minute hurts all alike.
 */
import { agent, aiSdkModel, chat, stream } from 'holdpoint'
import { experimental_streamLanguageModelCall as streamLanguageModelCall, streamText } from 'ai'
import { scriptedLanguageModel } from './scripted-language-model.ts'

const ROUNDS = 15
const PER_ROUND = 150

export async function loop(): Promise<void> {
  for (const deltas of [0, 20, 200]) {
    const contestants = contestantsFor(deltas)
    const times = new Map<string, number[]>(Object.keys(contestants).map((name) => [name, []]))
    for (let round = -3; round < ROUNDS; round++) {
      for (const [name, run] of Object.entries(contestants)) {
        const took = await micros(run, name.startsWith('aiSdk') ? PER_ROUND / 3 : PER_ROUND)
        if (round >= 0) times.get(name)?.push(took)
      }
    }
    const median = Object.fromEntries([...times].map(([name, all]) => [name, middle(all)]))
    const bare = median['bare'] ?? Number.NaN
    const ratio = Object.fromEntries(Object.entries(median).map(([name, us]) => [name, round2(us / bare)]))
    const us = Object.fromEntries(Object.entries(median).map(([name, each]) => [name, round2(each)]))
    console.log(JSON.stringify({ bench: 'loop', deltas, us, ratio }))
  }
}

function contestantsFor(deltas: number): Record<string, () => Promise<unknown>> {
  const vendor = scriptedLanguageModel(deltas)
  const desk = agent({ name: 'desk', model: aiSdkModel(vendor) })
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }]
  return {
    bare: async () => drain((await vendor.doStream({ prompt })).stream),
    chat: () => chat(desk, 'hello'),
    stream: () => drain(stream(desk, 'hello')),
    aiSdkStreamText: () => drain(streamText({ model: vendor, prompt: 'hello' }).stream),
    aiSdkSingleCall: async () => drain((await streamLanguageModelCall({ model: vendor, messages: [{ role: 'user', content: 'hello' }] })).stream),
  }
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
