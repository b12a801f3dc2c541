/** Anthropic's Messages API. */
import { createAnthropic } from '@ai-sdk/anthropic'
import type { JsonObject } from '@holdpoint/core'
import { sse } from './server.ts'
import { inPieces, type Vendor, type WireCall } from './vendor.ts'

interface Block {
  type: string
  id: string
  name: string
  input: JsonObject
  tool_use_id: string
  content: string
  source: { data: string }
}
interface Body {
  messages: { role: string; content: Block[] }[]
  tools?: { name: string; input_schema: unknown }[]
  output_config?: { format?: { schema: unknown } }
}

const start = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5-20250929',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 6, cache_read_input_tokens: 12, cache_creation_input_tokens: 2, output_tokens: 1 },
  },
}

export function reply(stop_reason: string, ...blocks: object[][]): string {
  const usage = { output_tokens: 7 }
  const end = [{ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage }, { type: 'message_stop' }]
  return sse([start, ...blocks.flat(), ...end], true)
}

/** A block: how it starts, and what is added to it. */
export function block(index: number, content_block: object, ...deltas: object[]): object[] {
  return [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

export function text(index: number, ...pieces: string[]): object[] {
  return block(index, { type: 'text', text: '' }, ...pieces.map((piece) => ({ type: 'text_delta', text: piece })))
}

export function toolUse(index: number, { id, name, input }: WireCall): object[] {
  const pieces = inPieces(input).map((partial_json) => ({ type: 'input_json_delta', partial_json }))
  return block(index, { type: 'tool_use', id, name, input: {} }, ...pieces)
}

function blocks(body: unknown, type: string): Block[] {
  return (body as Body).messages.flatMap((message) => message.content).filter((part) => part.type === type)
}

export const anthropic: Vendor = {
  name: 'anthropic',
  id: 'anthropic/claude-sonnet-4-5',
  model: (url) => createAnthropic({ baseURL: url, apiKey: 'key' })('claude-sonnet-4-5'),
  says: (...pieces) => reply('end_turn', text(0, ...pieces)),
  calls: (...calls) => reply('tool_use', ...calls.map((call, index) => toolUse(index, call))),
  begins: (piece) => sse([start, ...text(0, piece).slice(0, -1)], true),
  fails: sse([{ type: 'error', error: { type: 'overloaded_error', message: 'it broke' } }], true),
  afterSilence: { reason: 'interrupted' },
  refuses: (message) => JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }),
  readTools: (body) => (body as Body).tools?.map(({ name, input_schema }) => ({ name, schema: input_schema })) ?? [],
  readCalls: (body) => blocks(body, 'tool_use').map(({ id, name, input }) => ({ id, name, input })),
  readResults: (body) =>
    blocks(body, 'tool_result').map(({ tool_use_id, content }) => ({ id: tool_use_id, content: JSON.parse(content) })),
  readOutputSchema: (body) => (body as Body).output_config?.format?.schema,
  readImage: (body) => blocks(body, 'image')[0]?.source.data,
}
