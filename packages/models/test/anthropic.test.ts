/** Specific to Anthropic: signed thinking, cache counts, and provider-run tools. */
import type { JsonObject, PromptMessage, ToolSpec } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { aiSdkModel } from '../src/index.ts'
import { ask, assistant, failure, only, textOf, user } from './ask.ts'
import { anthropic, block, reply, text, toolUse } from './vendors/anthropic.ts'
import { sse, vendorServer } from './vendors/server.ts'

const lookup: ToolSpec = { kind: 'function', name: 'lookup', description: 'Looks up', inputSchema: { type: 'object' } }
const search: ToolSpec = {
  kind: 'provider',
  name: 'web_search',
  id: 'anthropic.web_search_20250305',
  args: { maxUses: 2 },
}

async function start() {
  const server = await vendorServer()
  return { server, model: aiSdkModel(anthropic.model(server.url)) }
}

function messagesOf(body: unknown): { role: string; content: JsonObject[] }[] {
  return (body as { messages: { role: string; content: JsonObject[] }[] }).messages
}

test('signed and redacted thinking is sent back unchanged before its call', async () => {
  const { server, model } = await start()
  await using _ = server
  const thinking = block(
    0,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: 'I should ' },
    { type: 'thinking_delta', thinking: 'look.' },
    { type: 'signature_delta', signature: 'SIGNED' },
  )
  const redacted = block(1, { type: 'redacted_thinking', data: 'REDACTED' })
  server.answer(
    { body: reply('tool_use', thinking, redacted, toolUse(2, { id: 'toolu_1', name: 'lookup', input: { q: 'x' } })) },
    { body: anthropic.says('42') },
  )

  const parts = await ask(model, { tools: [lookup] })
  const failed: PromptMessage = {
    role: 'tool',
    results: [{ id: 'toolu_1', name: 'lookup', isError: true, content: 'down' }],
  }
  await ask(model, { tools: [lookup], prompt: [user('hi'), assistant(parts), failed] })

  expect(textOf(parts, 'reasoning')).toBe('I should look.')
  expect(messagesOf(server.asked[1]?.body).slice(1)).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I should look.', signature: 'SIGNED' },
        { type: 'redacted_thinking', data: 'REDACTED' },
        { type: 'tool_use', id: 'toolu_1', name: 'lookup', input: { q: 'x' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '"down"', is_error: true }] },
  ])
})

test('a web search is a provider call with its result, and both are sent back', async () => {
  const { server, model } = await start()
  await using _ = server
  const hit = {
    type: 'web_search_result',
    url: 'https://example.test/',
    title: 'Example',
    page_age: null,
    encrypted_content: 'OPAQUE',
  }
  const use = block(
    0,
    { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} },
    { type: 'input_json_delta', partial_json: '{"query":"news"}' },
  )
  const result = block(1, { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [hit] })
  server.answer({ body: reply('end_turn', use, result, text(2, 'Nothing new.')) }, { body: anthropic.says('ok') })

  const parts = await ask(model, { tools: [search] })
  await ask(model, { tools: [search], prompt: [user('news?'), assistant(parts), user('sure?')] })

  expect(only(parts, 'call')).toEqual([
    { type: 'call', id: 'srv_1', name: 'web_search', input: '{"query":"news"}', byProvider: true },
  ])
  expect(only(parts, 'provider-result')).toMatchObject([{ id: 'srv_1', result: [{ encryptedContent: 'OPAQUE' }] }])
  expect(parts.at(-1)).toMatchObject({ reason: 'stop' })
  expect(server.asked[0]?.body).toMatchObject({
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }],
  })
  expect(messagesOf(server.asked[1]?.body)[1]?.content).toEqual([
    { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'news' } },
    { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [hit] },
    { type: 'text', text: 'Nothing new.' },
  ])
})

test('a failed web search is sent back as failed', async () => {
  const { server, model } = await start()
  await using _ = server
  const content = { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' }
  const use = block(0, { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'news' } })
  const result = block(1, { type: 'web_search_tool_result', tool_use_id: 'srv_1', content })
  server.answer({ body: reply('end_turn', use, result, text(2, 'Sorry.')) }, { body: anthropic.says('ok') })

  const parts = await ask(model, { tools: [search] })
  await ask(model, { tools: [search], prompt: [user('news?'), assistant(parts), user('sure?')] })

  expect(only(parts, 'provider-result')).toMatchObject([{ isError: true }])
  expect(messagesOf(server.asked[1]?.body)[1]?.content[1]).toMatchObject({ type: 'web_search_tool_result', content })
})

test('the start event of a message is not part of the reply', async () => {
  const { server, model } = await start()
  await using _ = server
  server.answer({ body: anthropic.says('ok') })

  expect((await ask(model)).map((part) => part.type)).toEqual(['info', 'text', 'finish'])
})

test('tokens written to the cache are counted', async () => {
  const { server, model } = await start()
  await using _ = server
  server.answer({ body: anthropic.says('ok') })

  expect((await ask(model)).at(-1)).toMatchObject({ usage: { inputTokens: 20, cachedTokens: 12, cacheWriteTokens: 2 } })
})

test.each([
  { stop: 'max_tokens', reason: 'length' },
  { stop: 'refusal', reason: 'content-filter' },
  { stop: 'something_new', reason: 'other' },
])('stop reason $stop is $reason', async ({ stop, reason }) => {
  const { server, model } = await start()
  await using _ = server
  server.answer({ body: reply(stop, text(0, 'Once')) })

  expect((await ask(model)).at(-1)).toMatchObject({ type: 'finish', reason })
})

test('an overload error before the first part can be retried, although its status is HTTP 200', async () => {
  const { server, model } = await start()
  await using _ = server
  server.answer({ body: sse([{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }], true) })

  expect(await failure(model)).toMatchObject({ message: 'Overloaded', status: 529, retryable: true })
})

test('empty texts and messages are not sent, because Anthropic would refuse them', async () => {
  const { server, model } = await start()
  await using _ = server
  server.answer({ body: anthropic.says('ok') })
  const empty = { type: 'text', text: '' } as const

  await ask(model, {
    prompt: [
      { role: 'user', parts: [empty, { type: 'text', text: 'hi' }] },
      { role: 'assistant', parts: [empty, { type: 'reasoning', text: '' }] },
      user('hello?'),
    ],
  })

  const content = [
    { type: 'text', text: 'hi' },
    { type: 'text', text: 'hello?' },
  ]
  expect(messagesOf(server.asked[0]?.body)).toEqual([{ role: 'user', content }])
})
