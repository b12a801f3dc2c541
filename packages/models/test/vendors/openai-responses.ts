/** OpenAI's Responses API, as `@ai-sdk/openai` speaks it by default. */
import { createOpenAI } from '@ai-sdk/openai'
import type { JsonObject } from '@holdpoint/core'
import { sse } from './server.ts'
import { inPieces, type Vendor, type WireCall } from './vendor.ts'

type Item = {
  type?: string
  role?: string
  content?: unknown
  call_id: string
  name: string
  arguments: string
  output: string
}
interface Body {
  input: Item[]
  tools?: { name: string; parameters: unknown }[]
  text?: { format?: { schema: unknown } }
}

const response = { id: 'resp_1', created_at: 1_750_000_000, model: 'gpt-5-2025-08-07' }
const created = { type: 'response.created', response }
const usage = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 12 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
}

const completed: object = { type: 'response.completed', response: { ...response, usage } }

export function reply(...items: object[][]): string {
  return sse([created, ...items.flat(), completed])
}

export function message(index: number, id: string, pieces: readonly string[]): object[] {
  return [
    { type: 'response.output_item.added', output_index: index, item: { type: 'message', id } },
    ...pieces.map((delta) => ({ type: 'response.output_text.delta', item_id: id, output_index: index, delta })),
    { type: 'response.output_item.done', output_index: index, item: { type: 'message', id } },
  ]
}

export function reasoning(index: number, id: string, summary: string, encrypted: string): object[] {
  const at = { item_id: id, output_index: index, summary_index: 0 }
  return [
    {
      type: 'response.output_item.added',
      output_index: index,
      item: { type: 'reasoning', id, encrypted_content: 'unfinished' },
    },
    { type: 'response.reasoning_summary_part.added', ...at },
    { type: 'response.reasoning_summary_text.delta', ...at, delta: summary },
    { type: 'response.reasoning_summary_part.done', ...at },
    {
      type: 'response.output_item.done',
      output_index: index,
      item: { type: 'reasoning', id, encrypted_content: encrypted },
    },
  ]
}

export function functionCall(index: number, { id, name, input }: WireCall): object[] {
  const item = { type: 'function_call', id: `fc_${id}`, call_id: id, name }
  return [
    { type: 'response.output_item.added', output_index: index, item: { ...item, arguments: '' } },
    ...inPieces(input).map((delta) => ({
      type: 'response.function_call_arguments.delta',
      item_id: item.id,
      output_index: index,
      delta,
    })),
    {
      type: 'response.output_item.done',
      output_index: index,
      item: { ...item, arguments: JSON.stringify(input), status: 'completed' },
    },
  ]
}

export function webSearch(index: number, id: string, query: string): object[] {
  const item = { type: 'web_search_call', id }
  const action = { type: 'search', query, sources: [{ type: 'url', url: 'https://example.test/' }] }
  return [
    { type: 'response.output_item.added', output_index: index, item: { ...item, status: 'in_progress' } },
    { type: 'response.output_item.done', output_index: index, item: { ...item, status: 'completed', action } },
  ]
}

export const openaiResponses: Vendor = {
  name: 'openai responses',
  id: 'openai/gpt-5',
  model: (url) => createOpenAI({ baseURL: url, apiKey: 'key' })('gpt-5'),
  says: (...pieces) => reply(message(0, 'msg_1', pieces)),
  calls: (...calls) => reply(...calls.map((call, index) => functionCall(index, call))),
  begins: (piece) => sse([created, ...message(0, 'msg_1', [piece]).slice(0, -1)]),
  fails: sse([
    {
      type: 'error',
      sequence_number: 9,
      error: { type: 'server_error', code: 'server_error', message: 'it broke', param: null },
    },
  ]),
  afterSilence: { reason: 'interrupted' },
  refuses: (text) =>
    JSON.stringify({ error: { message: text, type: 'invalid_request_error', param: null, code: null } }),
  readTools: (body) => (body as Body).tools?.map(({ name, parameters }) => ({ name, schema: parameters })) ?? [],
  readCalls: (body) =>
    (body as Body).input
      .filter((item) => item.type === 'function_call')
      .map((item) => ({ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) as JsonObject })),
  readResults: (body) =>
    (body as Body).input
      .filter((item) => item.type === 'function_call_output')
      .map((item) => ({ id: item.call_id, content: JSON.parse(item.output) })),
  readOutputSchema: (body) => (body as Body).text?.format?.schema,
  readImage: (body) => {
    const content = (body as Body).input.findLast((item) => item.role === 'user')?.content as {
      type: string
      image_url?: string
    }[]
    return content.find((part) => part.type === 'input_image')?.image_url?.split('base64,')[1]
  },
}
