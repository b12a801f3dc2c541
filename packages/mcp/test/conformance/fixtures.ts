/** The tools that the scenarios call. */
import type { JsonObject, Resumption, Tool, ToolContext } from '@holdpoint/core'
import { ask, tool, toolError } from 'holdpoint'
import { setTimeout as sleep } from 'node:timers/promises'

/** One red pixel, and a short silent sound. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='
const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const
const text = (words: string): JsonObject => ({ type: 'text', text: words })
const resource = {
  type: 'resource',
  resource: { uri: 'test://embedded', mimeType: 'text/plain', text: 'This is an embedded resource content.' },
} as const

function fixture(
  name: string,
  run: (context: ToolContext<JsonObject>) => unknown,
  input: JsonObject = { type: 'object', properties: {} },
): Tool {
  return tool({ name, description: `The fixture ${name}`, input, streaming: true, run })
}

const form = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
})

type Words = Readonly<Record<string, string>>

function said(resumed: Resumption): Words {
  const { answer } = resumed
  return answer?.kind === 'answer' && 'value' in answer ? (answer.value as Words) : {}
}

export const fixtures: readonly Tool[] = [
  fixture('test_simple_text', () => 'This is a simple text response for testing.'),
  fixture('test_image_content', () => ({ content: [image] })),
  fixture('test_audio_content', () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] })),
  fixture('test_embedded_resource', () => ({ content: [resource] })),
  fixture('test_multiple_content_types', () => ({
    content: [
      text('Multiple content types test:'),
      image,
      { ...resource, resource: { uri: 'test://mixed', mimeType: 'application/json', text: '{"test":"data"}' } },
    ],
  })),
  fixture('test_error_handling', () => toolError('This tool intentionally returns an error for testing')),
  fixture('test_tool_with_progress', async ({ progress }) => {
    for (const at of [1, 50, 100]) {
      progress({ progress: at, total: 100, message: `At ${at}` })
      await sleep(50)
    }
    return 'done'
  }),
  fixture('json_schema_2020_12_tool', () => 'ok', {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' }, email: { type: 'string' } },
    allOf: [{ anyOf: [{ required: ['name'] }, { required: ['email'] }] }],
    if: { required: ['name'] },
    then: { properties: { name: { minLength: 1 } } },
    else: { required: ['email'] },
    additionalProperties: false,
  }),
  fixture('test_input_required_result_elicitation', ({ resumed }) =>
    resumed
      ? `Hello, ${said(resumed)['name']}!`
      : ask({ prompt: 'What is your name?', schema: form({ name: { type: 'string' } }, ['name']) }),
  ),
  fixture('test_streaming_elicitation', ({ resumed, progress }) => {
    progress({ progress: 1, total: 2 })
    return resumed ? 'confirmed' : ask({ prompt: 'Please confirm', schema: form({ ok: { type: 'boolean' } }, ['ok']) })
  }),
  fixture('test_input_required_result_request_state', ({ resumed }) =>
    resumed
      ? `state-ok: ${JSON.stringify(resumed.state)}`
      : ask({ prompt: 'Please confirm', schema: form({ ok: { type: 'boolean' } }, ['ok']), state: 'kept' }),
  ),
  fixture('test_input_required_result_tampered_state', ({ resumed }) =>
    resumed
      ? 'confirmed'
      : ask({ prompt: 'Please confirm', schema: form({ ok: { type: 'boolean' } }, ['ok']), state: 'kept' }),
  ),
  fixture('test_input_required_result_capabilities', ({ resumed }) =>
    resumed ? 'confirmed' : ask({ prompt: 'Please confirm', schema: form({ ok: { type: 'boolean' } }, ['ok']) }),
  ),
  fixture('test_input_required_result_multi_round', ({ resumed }) => {
    if (!resumed)
      return ask({
        prompt: 'Step 1: What is your name?',
        schema: form({ name: { type: 'string' } }, ['name']),
        state: { step: 1 },
      })
    const { step, name } = resumed.state as { step: number; name?: string }
    if (step === 1)
      return ask({
        prompt: 'Step 2: What is your favorite color?',
        schema: form({ color: { type: 'string' } }, ['color']),
        state: { step: 2, name: said(resumed)['name'] ?? '' },
      })
    return `${name} likes ${said(resumed)['color']}`
  }),
  fixture('greet', ({ input }) => `Hello, ${(input as Words)['name']}!`, form({ name: { type: 'string' } })),
  fixture(
    'slow_compute',
    async ({ input, signal }) => {
      await sleep(Number(input['seconds'] ?? 0) * 1000, undefined, { signal })
      return `computed ${(input as Words)['label']}`
    },
    form({ seconds: { type: 'number' }, label: { type: 'string' } }),
  ),
  fixture('failing_job', async () => {
    await sleep(1000)
    return toolError('The job failed')
  }),
  // Runs for a while before it asks, so that the call is a task by then.
  fixture(
    'confirm_delete',
    async ({ input, resumed }) => {
      if (resumed) return `deleted ${(input as Words)['filename']}`
      await sleep(1000)
      return ask({ prompt: 'Really?', schema: form({ confirm: { type: 'boolean' } }, ['confirm']) })
    },
    form({ filename: { type: 'string' } }),
  ),
  fixture('test_tool_with_task', async ({ resumed }) => {
    if (!resumed) return ask({ prompt: 'What is your name?', schema: form({ name: { type: 'string' } }, ['name']) })
    await sleep(1000)
    return `Hello, ${said(resumed)['name']}!`
  }),
]
