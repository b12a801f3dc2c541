import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ModelSettings, ToolSpec } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { aiSdkModel } from '../src/index.ts'
import { ask, failure, user } from './ask.ts'
import { v4 } from './scripted.ts'

const lookup: ToolSpec = { kind: 'function', name: 'lookup', description: 'Looks up', inputSchema: { type: 'object' } }
const search: ToolSpec = { kind: 'provider', name: 'search', id: 'acme.search', args: { depth: 2 } }
const prompt = [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }]

test('a minimal request has only the prompt and the signal', async () => {
  const model = v4([])
  const { signal } = new AbortController()

  await ask(aiSdkModel(model), { signal })

  expect(model.asked).toStrictEqual([{ prompt, abortSignal: signal }])
})

test('settings that are undefined are not sent', async () => {
  const model = v4([])
  const settings = {
    temperature: undefined,
    seed: undefined,
    stopSequences: undefined,
    provider: undefined,
  } as unknown as ModelSettings

  await ask(aiSdkModel(model), { settings })

  expect(Object.keys(model.asked[0] ?? {}).toSorted()).toEqual(['abortSignal', 'prompt'])
})

test('every setting is passed on', async () => {
  const model = v4([])
  const numbers = {
    maxOutputTokens: 1,
    temperature: 0,
    topP: 0.5,
    topK: 4,
    presencePenalty: 0.1,
    frequencyPenalty: 0.2,
    seed: 7,
  }
  const provider = { acme: { mode: 'fast' } }

  await ask(aiSdkModel(model), {
    tools: [lookup, search],
    toolChoice: { name: 'lookup' },
    output: { name: 'place', description: 'A place', schema: { type: 'object' } },
    settings: { ...numbers, stopSequences: ['END'], reasoning: 'low', headers: { 'x-a': 'b' }, provider },
  })

  expect(model.asked[0]).toStrictEqual({
    ...numbers,
    prompt,
    abortSignal: expect.any(AbortSignal),
    stopSequences: ['END'],
    reasoning: 'low',
    headers: { 'x-a': 'b' },
    providerOptions: provider,
    tools: [
      { type: 'function', name: 'lookup', description: 'Looks up', inputSchema: { type: 'object' } },
      { type: 'provider', name: 'search', id: 'acme.search', args: { depth: 2 } },
    ],
    toolChoice: { type: 'tool', toolName: 'lookup' },
    responseFormat: { type: 'json', name: 'place', description: 'A place', schema: { type: 'object' } },
  })
})

test.each(['auto', 'none', 'required'] as const)('tool choice %s', async (toolChoice) => {
  const model = v4([])
  await ask(aiSdkModel(model), { tools: [lookup], toolChoice })
  expect(model.asked[0]?.toolChoice).toEqual({ type: toolChoice })
})

test('a provider tool without a vendor in its id is refused with a hint', async () => {
  const tools: ToolSpec[] = [{ kind: 'provider', name: 'search', id: 'web_search', args: {} }]
  expect(await failure(aiSdkModel(v4([])), { tools })).toMatchObject({
    retryable: false,
    message: expect.stringContaining('openai.web_search'),
  })
})

test('a file whose address is not absolute is refused', async () => {
  const parts = [{ type: 'file', mediaType: 'image/png', file: { kind: 'url', url: 'dot.png' } }] as const
  expect(await failure(aiSdkModel(v4([])), { prompt: [{ role: 'user', parts }] })).toMatchObject({
    retryable: false,
    message: expect.stringContaining('"dot.png"'),
  })
})

test('a custom part whose kind names no vendor is left out', async () => {
  const model = v4([])
  await ask(aiSdkModel(model), {
    prompt: [user('hello'), { role: 'assistant', parts: [{ type: 'custom', kind: 'note' }] }],
  })
  expect(model.asked[0]?.prompt).toEqual(prompt)
})

test.each([
  ['openai/gpt-5', /the string "openai\/gpt-5"/],
  [{ specificationVersion: 'v2', provider: 'old', modelId: 'm' }, /specification v2/],
  [{ provider: 'x', modelId: 'm' }, /something else/],
])('%j is refused with a hint', (model, message) => {
  expect(() => aiSdkModel(model as unknown as LanguageModelV4)).toThrow(message)
})
