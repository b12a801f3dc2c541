import { expect, test } from 'vitest'
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { ModelError, type ModelPart, type ModelRequest } from '@holdpoint/core'
import { aiSdkModel } from '../src/index.ts'
import { noUsage, v4 } from './scripted.ts'

const parts: LanguageModelV4StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Hello' },
  { type: 'text-end', id: 't' },
  { type: 'tool-call', toolCallId: 'c', toolName: 'x', input: '{}' },
  { type: 'finish', usage: noUsage, finishReason: { unified: 'stop', raw: 'stop' } },
]

function request(signal: AbortSignal = new AbortController().signal): ModelRequest {
  return { prompt: [], tools: [], settings: {}, signal }
}

async function heard(model: LanguageModelV4, given: ModelRequest = request()): Promise<ModelPart[]> {
  const seen: ModelPart[] = []
  await aiSdkModel(model)
    .stream(given)
    .forEach?.((part) => void seen.push(part))
  return seen
}

test('`forEach` gives the same parts as iterating', async () => {
  const model = v4(parts)
  const iterated = await Array.fromAsync(aiSdkModel(model).stream(request()))
  expect(iterated.length).toBeGreaterThan(2)
  expect(await heard(model)).toEqual(iterated)
})

test('a stream that breaks is a ModelError either way', async () => {
  const broken = v4([...parts.slice(0, 3), { type: 'error', error: new Error('cut') }])
  await expect(heard(broken)).rejects.toThrow(ModelError)
  await expect(Array.fromAsync(aiSdkModel(broken).stream(request()))).rejects.toThrow(ModelError)
})

test('an error of the listener is rethrown unchanged, and the stream is cancelled', async () => {
  let cancelled = false
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    pull: (controller) => controller.enqueue({ type: 'text-delta', id: 't', delta: 'Hello' }),
    cancel: () => void (cancelled = true),
  })
  const mine = new Error('mine')
  const listening = aiSdkModel(v4(async () => ({ stream })))
    .stream(request())
    .forEach?.(() => {
      throw mine
    })
  await expect(listening).rejects.toBe(mine)
  await expect.poll(() => cancelled).toBe(true)
})

test('an abort ends it at once, with the reason, and cancels the stream of a vendor that ignores the signal', async () => {
  const controller = new AbortController()
  let cancelled = false
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    cancel: () => {
      cancelled = true
    },
  })
  const silent = v4(async () => ({ stream }))
  const waiting = heard(silent, request(controller.signal))
  await Promise.resolve()
  controller.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  await expect.poll(() => cancelled).toBe(true)
})
