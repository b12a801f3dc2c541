/** Specific to OpenAI: encrypted reasoning, stored items, and provider-run tools. */
import type { JsonObject, PromptMessage, ToolSpec } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { aiSdkModel } from '../src/index.ts'
import { ask, assistant, failure, only, textOf, user } from './ask.ts'
import { openaiChat } from './vendors/openai-chat.ts'
import { functionCall, message, openaiResponses, reasoning, reply, webSearch } from './vendors/openai-responses.ts'
import { sse, vendorServer } from './vendors/server.ts'

const lookup: ToolSpec = { kind: 'function', name: 'lookup', description: 'Looks up', inputSchema: { type: 'object' } }
const search: ToolSpec = { kind: 'provider', name: 'web_search', id: 'openai.web_search', args: {} }
const unstored = { provider: { openai: { store: false } } }
const found: PromptMessage = {
  role: 'tool',
  results: [{ id: 'call_1', name: 'lookup', isError: false, content: { n: 42 } }],
}

async function start() {
  const server = await vendorServer()
  return { server, model: aiSdkModel(openaiResponses.model(server.url)) }
}

function inputOf(body: unknown): JsonObject[] {
  return (body as { input: JsonObject[] }).input
}

test('encrypted reasoning is sent back before its call', async () => {
  const { server, model } = await start()
  await using _ = server
  const call = functionCall(1, { id: 'call_1', name: 'lookup', input: { q: 'x' } })
  server.answer(
    { body: reply(reasoning(0, 'rs_1', 'I should look.', 'SECRET'), call) },
    { body: openaiResponses.says('42') },
  )

  const parts = await ask(model, { tools: [lookup], settings: unstored })
  await ask(model, { tools: [lookup], settings: unstored, prompt: [user('hi'), assistant(parts), found] })

  expect(textOf(parts, 'reasoning')).toBe('I should look.')
  expect(server.asked[0]?.body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] })
  expect(inputOf(server.asked[1]?.body).slice(1)).toEqual([
    {
      type: 'reasoning',
      id: 'rs_1',
      encrypted_content: 'SECRET',
      summary: [{ type: 'summary_text', text: 'I should look.' }],
    },
    { type: 'function_call', call_id: 'call_1', name: 'lookup', arguments: '{"q":"x"}' },
    { type: 'function_call_output', call_id: 'call_1', output: '{"n":42}' },
  ])
})

test('reasoning without a summary is sent back', async () => {
  const { server, model } = await start()
  await using _ = server
  const silent = reasoning(0, 'rs_1', '', 'SECRET').filter((event) => !('summary_index' in event))
  server.answer({ body: reply(silent, message(1, 'msg_1', ['42'])) }, { body: openaiResponses.says('ok') })

  const parts = await ask(model, { settings: unstored })
  await ask(model, { settings: unstored, prompt: [user('hi'), assistant(parts), user('sure?')] })

  expect(inputOf(server.asked[1]?.body).slice(1, 3)).toEqual([
    { type: 'reasoning', id: 'rs_1', encrypted_content: 'SECRET', summary: [] },
    { role: 'assistant', content: '42' },
  ])
})

test('by default OpenAI keeps the reply, and the next request only refers to it', async () => {
  const { server, model } = await start()
  await using _ = server
  server.answer(
    { body: reply(reasoning(0, 'rs_1', 'Hm.', 'SECRET'), message(1, 'msg_1', ['42'])) },
    { body: openaiResponses.says('ok') },
  )

  const parts = await ask(model)
  await ask(model, { prompt: [user('hi'), assistant(parts), user('sure?')] })

  expect(inputOf(server.asked[1]?.body).slice(1, 3)).toEqual([
    { type: 'item_reference', id: 'rs_1' },
    { type: 'item_reference', id: 'msg_1' },
  ])
})

test('a web search is a provider call with its result, and both are sent back', async () => {
  const { server, model } = await start()
  await using _ = server
  const settings = unstored
  server.answer(
    { body: reply(webSearch(0, 'ws_1', 'news'), message(1, 'msg_1', ['Nothing new.'])) },
    { body: openaiResponses.says('ok') },
  )

  const parts = await ask(model, { tools: [search], settings })
  await ask(model, { tools: [search], settings, prompt: [user('news?'), assistant(parts), user('sure?')] })

  expect(only(parts, 'call')).toEqual([{ type: 'call', id: 'ws_1', name: 'web_search', input: '{}', byProvider: true }])
  expect(only(parts, 'provider-result')).toMatchObject([
    { id: 'ws_1', name: 'web_search', result: { action: { query: 'news' } } },
  ])
  expect(only(parts, 'source')).toMatchObject([{ source: { sourceType: 'url', url: 'https://example.test/' } }])
  expect(server.asked[0]?.body).toMatchObject({ tools: [{ type: 'web_search' }] })
  expect(inputOf(server.asked[1]?.body)[1]).toMatchObject({
    type: 'web_search_call',
    id: 'ws_1',
    action: { query: 'news' },
  })
})

test('a hosted MCP call that wants approval is reported and left unanswered', async () => {
  const { server, model } = await start()
  await using _ = server
  const item = { type: 'mcp_approval_request', id: 'ask_1', server_label: 'crm', name: 'erase', arguments: '{}' }
  const events = ['added', 'done'].map((what) => ({ type: `response.output_item.${what}`, output_index: 0, item }))
  server.answer({ body: reply(events) })

  const parts = await ask(model)

  expect(only(parts, 'call')).toMatchObject([{ name: 'mcp.erase', byProvider: true }])
  expect(only(parts, 'info').at(-1)?.warnings).toMatchObject([{ feature: 'tool-approval-request' }])
})

test('an exhausted quota is not retried, although its status is that of a rate limit', async () => {
  const { server, model } = await start()
  await using _ = server
  const error = {
    message: 'You exceeded your current quota',
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    param: null,
  }
  server.answer(
    { status: 429, body: JSON.stringify({ error }) },
    { body: sse([{ type: 'error', sequence_number: 0, error }]) },
  )

  expect(await failure(model)).toMatchObject({ status: 429, retryable: false })
  expect(await failure(model)).toMatchObject({ status: 429, retryable: false })
})

test('a failed response contains the reason', async () => {
  const { server, model } = await start()
  await using _ = server
  const failed = {
    type: 'response.failed',
    sequence_number: 5,
    response: { error: { code: 'server_error', message: 'it broke' } },
  }
  server.answer({ body: openaiResponses.begins('Once') + sse([failed]) })

  expect(await failure(model)).toMatchObject({ message: 'it broke', retryable: true, status: 500 })
})

test('the effort of reasoning and the choice of a tool reach the vendor', async () => {
  const { server, model } = await start()
  await using _ = server
  server.answer({ body: openaiResponses.says('ok') })

  const parts = await ask(model, { tools: [lookup], toolChoice: { name: 'lookup' }, settings: { reasoning: 'high' } })

  expect(server.asked[0]?.body).toMatchObject({
    reasoning: { effort: 'high' },
    tool_choice: { type: 'function', name: 'lookup' },
  })
  expect(parts.at(-1)).toMatchObject({ usage: { reasoningTokens: 3 } })
})

test('an unsupported setting is a warning in the reply', async () => {
  const { server, model } = await start()
  await using _ = server
  server.answer({ body: openaiResponses.says('ok') })

  const parts = await ask(model, { settings: { seed: 7 } })

  expect(only(parts, 'info')[0]?.warnings).toEqual([{ type: 'unsupported', feature: 'seed' }])
})

test('chat completions distinguish failed and successful calls', async () => {
  await using server = await vendorServer()
  server.answer({ body: openaiChat.says('ok') })
  const reply: PromptMessage = { role: 'assistant', parts: [{ type: 'call', id: 'call_1', name: 'lookup', input: {} }] }
  const failed: PromptMessage = {
    role: 'tool',
    results: [{ id: 'call_1', name: 'lookup', isError: true, content: { why: 'down' } }],
  }

  await ask(aiSdkModel(openaiChat.model(server.url)), { prompt: [user('hi'), reply, failed] })

  expect(openaiChat.readResults(server.asked[0]?.body)).toEqual([{ id: 'call_1', content: { error: { why: 'down' } } }])
})
