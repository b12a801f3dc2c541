/** Chat Completions: OpenAI's older API, and the API of "OpenAI-compatible" vendors. */
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { JsonObject } from '@holdpoint/core'
import { sse } from './server.ts'
import { inPieces, type Vendor } from './vendor.ts'

interface Body {
  messages: {
    role: string
    content: string | { type: string; image_url?: { url: string } }[]
    tool_calls?: { id: string; function: { name: string; arguments: string } }[]
    tool_call_id: string
  }[]
  tools?: { function: { name: string; parameters: unknown } }[]
  response_format?: { json_schema?: { schema: unknown } }
}

const head = { id: 'chatcmpl_1', object: 'chat.completion.chunk', created: 1_750_000_000, model: 'gpt-5-2025-08-07' }

function chunk(delta: object, finish_reason: string | null = null): object {
  return { ...head, choices: [{ index: 0, delta, finish_reason }] }
}

export function reply(finish: string, ...deltas: object[]): string {
  const usage = {
    prompt_tokens: 20,
    completion_tokens: 7,
    total_tokens: 27,
    prompt_tokens_details: { cached_tokens: 12 },
    completion_tokens_details: { reasoning_tokens: 3 },
  }
  const events = [chunk({ role: 'assistant', content: '' }), ...deltas.map((delta) => chunk(delta)), chunk({}, finish)]
  return `${sse([...events, { ...head, choices: [], usage }])}data: [DONE]\n\n`
}

const wire: Omit<Vendor, 'name' | 'model' | 'id' | 'afterSilence'> = {
  says: (...pieces) => reply('stop', ...pieces.map((content) => ({ content }))),
  calls: (...calls) =>
    reply(
      'tool_calls',
      ...calls.flatMap(({ id, name, input }, index) => [
        { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
        ...inPieces(input).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
    ),
  begins: (piece) => sse([chunk({ role: 'assistant', content: piece })]),
  fails: sse([{ error: { message: 'it broke', type: 'server_error', code: null, param: null } }]),
  refuses: (text) =>
    JSON.stringify({ error: { message: text, type: 'invalid_request_error', param: null, code: null } }),
  readTools: (body) =>
    (body as Body).tools?.map(({ function: { name, parameters } }) => ({ name, schema: parameters })) ?? [],
  readCalls: (body) =>
    (body as Body).messages
      .flatMap((message) => message.tool_calls ?? [])
      .map((call) => ({
        id: call.id,
        name: call.function.name,
        input: JSON.parse(call.function.arguments) as JsonObject,
      })),
  readResults: (body) =>
    (body as Body).messages
      .filter((message) => message.role === 'tool')
      .map((message) => ({ id: message.tool_call_id, content: JSON.parse(message.content as string) })),
  readOutputSchema: (body) => (body as Body).response_format?.json_schema?.schema,
  readImage: (body) => {
    const content = (body as Body).messages.findLast((message) => message.role === 'user')?.content
    const image = Array.isArray(content) ? content.find((part) => part.type === 'image_url') : undefined
    return image?.image_url?.url.split('base64,')[1]
  },
}

export const openaiChat: Vendor = {
  ...wire,
  name: 'openai chat',
  afterSilence: { reason: 'interrupted' },
  id: 'openai/gpt-5',
  model: (url) => createOpenAI({ baseURL: url, apiKey: 'key' }).chat('gpt-5'),
}

export const openaiCompatible: Vendor = {
  ...wire,
  name: 'openai-compatible',
  afterSilence: { retryable: true },
  id: 'acme/llama',
  model: (url) =>
    createOpenAICompatible({ name: 'acme', baseURL: url, includeUsage: true, supportsStructuredOutputs: true })(
      'llama',
    ),
}
