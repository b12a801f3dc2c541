import type { PromptMessage } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { aiSdkModel } from '../src/index.ts'
import { ask, user } from './ask.ts'
import { noUsage, v3 } from './scripted.ts'

const data = { acme: { itemId: 'i_1' } }
const picture = { kind: 'base64', base64: 'aW1n' } as const

test('a V3 model gets untagged file data', async () => {
  const model = v3([])
  const parts = [
    { type: 'file', mediaType: 'image/png', file: picture, filename: 'dot.png' },
    { type: 'file', mediaType: 'image/png', file: { kind: 'url', url: 'https://example.test/dot.png' } },
  ] as const

  await ask(aiSdkModel(model), { prompt: [{ role: 'user', parts }] })

  expect(model.asked[0]?.prompt).toEqual([
    {
      role: 'user',
      content: [
        { type: 'file', mediaType: 'image/png', data: 'aW1n', filename: 'dot.png' },
        { type: 'file', mediaType: 'image/png', data: new URL('https://example.test/dot.png') },
      ],
    },
  ])
})

test('a V3 model gets the whole history without parts that V3 does not support', async () => {
  const model = v3([])
  const history: PromptMessage[] = [
    { role: 'system', text: 'Be brief.' },
    user('hi'),
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'Hm.', data },
        { type: 'text', text: 'Looking.' },
        { type: 'file', mediaType: 'image/png', file: picture, data },
        { type: 'file', mediaType: 'image/png', file: picture, reasoning: true },
        { type: 'custom', kind: 'acme.note', data },
        { type: 'call', id: 'c1', name: 'search', input: {}, byProvider: true },
        { type: 'provider-result', id: 'c1', name: 'search', result: ['hit'], isError: false, data },
        { type: 'call', id: 'c2', name: 'lookup', input: { q: 1 }, data },
      ],
    },
    { role: 'tool', results: [{ id: 'c2', name: 'lookup', isError: true, content: 'down' }] },
  ]

  await ask(aiSdkModel(model), { prompt: history, settings: { reasoning: 'high', temperature: 0 } })

  expect(model.asked[0]).toStrictEqual({
    abortSignal: expect.any(AbortSignal),
    temperature: 0,
    prompt: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.', providerOptions: data },
          { type: 'text', text: 'Looking.' },
          { type: 'file', mediaType: 'image/png', data: 'aW1n', providerOptions: data },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: {}, providerExecuted: true },
          {
            type: 'tool-result',
            toolCallId: 'c1',
            toolName: 'search',
            output: { type: 'json', value: ['hit'] },
            providerOptions: data,
          },
          { type: 'tool-call', toolCallId: 'c2', toolName: 'lookup', input: { q: 1 }, providerOptions: data },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c2', toolName: 'lookup', output: { type: 'error-json', value: 'down' } },
        ],
      },
    ],
  })
})

test('a V3 model streams like any other, with files as bytes or base64', async () => {
  const model = v3([
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id: 'r_1', modelId: 'three-b', timestamp: new Date(0) },
    { type: 'text-start', id: '0', providerMetadata: data },
    { type: 'text-delta', id: '0', delta: 'Here.' },
    { type: 'text-end', id: '0' },
    { type: 'file', mediaType: 'image/png', data: new Uint8Array([105, 109, 103]) },
    { type: 'file', mediaType: 'image/png', data: 'aW1n' },
    { type: 'tool-call', toolCallId: 'c1', toolName: 'lookup', input: '{"q":1}' },
    {
      type: 'finish',
      usage: { ...noUsage, outputTokens: { total: 5, text: 5, reasoning: 0 } },
      finishReason: { unified: 'tool-calls', raw: 'x' },
    },
  ])

  expect(await ask(aiSdkModel(model))).toEqual([
    { type: 'info', responseId: 'r_1', modelId: 'three-b' },
    { type: 'text', id: '0', delta: '', data },
    { type: 'text', id: '0', delta: 'Here.' },
    { type: 'file', mediaType: 'image/png', file: picture },
    { type: 'file', mediaType: 'image/png', file: picture },
    { type: 'call', id: 'c1', name: 'lookup', input: '{"q":1}' },
    { type: 'finish', reason: 'calls', usage: { inputTokens: 0, outputTokens: 5, reasoningTokens: 0 } },
  ])
})
