/** The cache settings that vendors receive. */
import type { CacheHints, JsonObject, PromptMessage } from '@holdpoint/core'
import { describe, expect, test } from 'vitest'
import { aiSdkModel, type AiSdkModelOptions } from '../src/index.ts'
import { ask, user } from './ask.ts'
import { v3, v4 } from './scripted.ts'
import { vendors } from './vendors/all.ts'
import { anthropic } from './vendors/anthropic.ts'
import { google } from './vendors/google.ts'
import { openaiChat, openaiCompatible } from './vendors/openai-chat.ts'
import { openaiResponses } from './vendors/openai-responses.ts'
import { vendorServer } from './vendors/server.ts'
import type { Vendor } from './vendors/vendor.ts'

const system = (text: string): PromptMessage => ({ role: 'system', text })
const said = (text: string): PromptMessage => ({ role: 'assistant', parts: [{ type: 'text', text }] })
const calls: PromptMessage = { role: 'assistant', parts: [{ type: 'call', id: 'c1', name: 'look', input: {} }] }
const results: PromptMessage = { role: 'tool', results: [{ id: 'c1', name: 'look', isError: false, content: 'seen' }] }
const prompt = [system('Be brief.'), system('It is cold.'), user('hi'), said('hello'), user('look'), calls, results]
const cache: CacheHints = { breakpoints: [1, 3, 6], key: 'conversation-7' }
const ephemeral = { type: 'ephemeral' }

async function bodyOf(vendor: Vendor, wish: Parameters<typeof ask>[1], options?: AiSdkModelOptions) {
  await using server = await vendorServer()
  server.answer({ body: vendor.says('ok') })
  const parts = await ask(aiSdkModel(vendor.model(server.url), options), wish)
  return { body: server.asked[0]!.body as JsonObject, parts }
}

test('Anthropic gets marks at the end of the instructions, of the earlier messages, and of the prompt', async () => {
  const { body, parts } = await bodyOf(anthropic, { prompt, cache })

  expect(body).toMatchObject({
    system: [
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: 'It is cold.', cache_control: ephemeral },
    ],
    messages: [
      { role: 'user', content: [{ text: 'hi' }] },
      { role: 'assistant', content: [{ text: 'hello', cache_control: ephemeral }] },
      { role: 'user', content: [{ text: 'look' }] },
      { role: 'assistant', content: [{ type: 'tool_use' }] },
      { role: 'user', content: [{ type: 'tool_result', cache_control: ephemeral }] },
    ],
  })
  expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(3)
  expect(parts.filter((part) => part.type === 'info' && part.warnings?.length)).toEqual([])
})

test('Anthropic gets at most four marks, the newest', async () => {
  const { body } = await bodyOf(anthropic, { prompt, cache: { ...cache, breakpoints: [0, 1, 2, 3, 6] } })

  expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4)
  expect(body).toMatchObject({ system: [{ text: 'Be brief.' }, { cache_control: ephemeral }] })
  expect(JSON.stringify((body['system'] as JsonObject[])[0])).not.toContain('cache_control')
})

test('if a marked message is not sent, the mark goes to the one before it', async () => {
  const silent: PromptMessage = { role: 'assistant', parts: [{ type: 'text', text: '' }] }
  const { body } = await bodyOf(anthropic, { prompt: [user('hi'), silent, user('hello?')], cache: { ...cache, breakpoints: [1] } }) // prettier-ignore

  expect(body['messages']).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'hi', cache_control: ephemeral },
        { type: 'text', text: 'hello?' },
      ],
    },
  ])
})

test.each([openaiResponses, openaiChat])('$name gets a key and no marks', async (vendor) => {
  const { body } = await bodyOf(vendor, { prompt, cache })
  const without = await bodyOf(vendor, { prompt })

  expect(body).toEqual({ ...without.body, prompt_cache_key: 'conversation-7' })
})

test('a key that is too long for OpenAI is cut at the start', async () => {
  const { body } = await bodyOf(openaiResponses, { prompt, cache: { ...cache, key: `${'x'.repeat(100)}-7` } })

  expect(body['prompt_cache_key']).toBe(`${'x'.repeat(62)}-7`)
})

test('a key of the user overrides ours, and other settings of the vendor stay', async () => {
  const provider = { openai: { promptCacheKey: 'mine', store: false } }
  const { body } = await bodyOf(openaiResponses, { prompt, cache, settings: { provider } })

  expect(body).toMatchObject({ prompt_cache_key: 'mine', store: false })
})

test.each([google, openaiCompatible])('$name gets no cache settings', async (vendor) => {
  const { body } = await bodyOf(vendor, { prompt, cache })

  expect(body).toEqual((await bodyOf(vendor, { prompt })).body)
})

test.each(vendors)('with the cache switched off, $name gets no cache settings', async (vendor) => {
  const { body } = await bodyOf(vendor, { prompt, cache }, { cache: false })

  expect(body).toEqual((await bodyOf(vendor, { prompt })).body)
  expect(JSON.stringify(body)).not.toContain('cache')
})

describe('the options of a marked message', () => {
  const cacheControl = { anthropic: { cacheControl: ephemeral } }
  const cachePoint = { bedrock: { cachePoint: { type: 'default' } } }
  test.each<[string, string, unknown]>([
    ['anthropic.messages', 'claude-sonnet-4-5', cacheControl],
    ['vertex.anthropic.messages', 'claude-sonnet-4-5', cacheControl],
    ['bedrock.anthropic.messages', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', cacheControl],
    ['gateway', 'anthropic/claude-sonnet-4.5', cacheControl],
    ['gateway', 'meta/llama-4', undefined],
    ['amazon-bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', cachePoint],
    ['amazon-bedrock', 'anthropic.claude-3-7-sonnet-20250219-v1:0', cachePoint],
    ['amazon-bedrock', 'amazon.nova-pro-v1:0', cachePoint],
    ['amazon-bedrock', 'anthropic.claude-3-haiku-20240307-v1:0', undefined],
    ['amazon-bedrock', 'meta.llama3-70b-instruct-v1:0', undefined],
    ['openai.chat', 'gpt-5', undefined],
    ['google.generative-ai', 'gemini-2.5-pro', undefined],
  ])('%s %s', async (provider, modelId, options) => {
    for (const model of [v4([]), v3([])]) {
      const named = Object.assign(model, { provider, modelId })
      await ask(aiSdkModel(named), { prompt, cache })
      const sent = named.asked[0]?.prompt.map(({ providerOptions }) => providerOptions)
      expect(sent).toEqual([undefined, options, undefined, options, undefined, undefined, options])
    }
  })
})
