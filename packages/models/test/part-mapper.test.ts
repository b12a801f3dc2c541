import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { ModelError, type ModelPart } from '@holdpoint/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PartMapper, type StreamPart } from '../src/part-mapper.ts'
import { assistant } from './ask.ts'
import { noUsage } from './scripted.ts'

function mapped(...parts: StreamPart[]): ModelPart[] {
  const mapper = new PartMapper()
  return parts.map((part) => mapper.map(part)).filter((part) => part !== undefined)
}

const finished = (usage: unknown, unified: string = 'stop') =>
  ({ type: 'finish', usage, finishReason: { unified, raw: undefined } }) as LanguageModelV4StreamPart

test('empty parts are skipped', () => {
  expect(
    mapped(
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata' },
      { type: 'ping' },
      { type: 'raw', rawValue: {} },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: '' },
      { type: 'text-end', id: '0' },
      { type: 'reasoning-start', id: '1' },
      { type: 'reasoning-delta', id: '1', delta: '' },
      { type: 'reasoning-end', id: '1' },
      { type: 'tool-input-delta', id: 'c', delta: '' },
      { type: 'tool-input-end', id: 'c' },
    ),
  ).toEqual([])
})

test('a part type of a future specification is skipped', () => {
  expect(mapped({ type: 'hologram', beam: true } as unknown as LanguageModelV4StreamPart)).toEqual([])
})

test('vendor data of any piece of a block is kept', () => {
  const parts = mapped(
    { type: 'reasoning-start', id: '0', providerMetadata: { acme: { itemId: 'i', secret: null } } },
    { type: 'reasoning-delta', id: '0', delta: 'Hm.' },
    { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: { acme: { signature: 's' } } },
    { type: 'reasoning-end', id: '0', providerMetadata: { acme: { secret: 'x' }, proxy: { hop: 1 } } },
  )

  expect(assistant(parts)).toEqual({
    role: 'assistant',
    parts: [
      {
        type: 'reasoning',
        text: 'Hm.',
        data: { acme: { itemId: 'i', secret: 'x', signature: 's' }, proxy: { hop: 1 } },
      },
    ],
  })
})

test('vendor data at the end of a text and of a reply is kept', () => {
  const providerMetadata = { acme: { phase: 'final' } }
  const end = { ...finished(noUsage), providerMetadata }

  expect(mapped({ type: 'text-end', id: '0', providerMetadata }, end)).toMatchObject([
    { type: 'text', id: '0', delta: '', data: providerMetadata },
    { type: 'finish', data: providerMetadata },
  ])
})

test('vendor data is returned as JSON, without members that a store would drop', () => {
  const providerMetadata = { acme: { gone: undefined, deep: { gone: undefined, kept: [1, null] } } }

  expect(mapped({ type: 'custom', kind: 'acme.note', providerMetadata })).toStrictEqual([
    { type: 'custom', kind: 'acme.note', data: { acme: { deep: { kept: [1, null] } } } },
  ])
})

test('blocks keep their text and order even if ids are reused', () => {
  const blocks = fc.array(
    fc.record({
      type: fc.constantFrom('text', 'reasoning'),
      id: fc.constantFrom('0', '0~2', 'txt-0'),
      words: fc.array(fc.string({ minLength: 1 }), { minLength: 1 }),
    }),
  )
  fc.assert(
    fc.property(blocks, (given) => {
      const parts = mapped(
        ...given.flatMap(({ type, id, words }): StreamPart[] => [
          { type: `${type}-start`, id },
          ...words.map((delta): StreamPart => ({ type: `${type}-delta`, id, delta })),
          { type: `${type}-end`, id },
        ]),
      )
      expect(assistant(parts)).toEqual({
        role: 'assistant',
        parts: given.map(({ type, words }) => ({ type, text: words.join('') })),
      })
    }),
  )
})

test('concurrent blocks are kept apart', () => {
  const parts = mapped(
    { type: 'text-start', id: '0' },
    { type: 'reasoning-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'a' },
    { type: 'reasoning-delta', id: '0', delta: 'b' },
    { type: 'text-delta', id: '0', delta: 'c' },
  )

  expect(assistant(parts)).toMatchObject({
    parts: [
      { type: 'text', text: 'ac' },
      { type: 'reasoning', text: 'b' },
    ],
  })
})

test('text without a start event is not lost', () => {
  expect(mapped({ type: 'text-delta', id: '7', delta: 'hi' })).toEqual([{ type: 'text', id: '7', delta: 'hi' }])
})

test('the name of a call comes with the first piece of its input', () => {
  expect(
    mapped(
      { type: 'tool-input-start', id: 'c', toolName: 'lookup' },
      { type: 'tool-input-delta', id: 'c', delta: '{' },
    ),
  ).toEqual([
    { type: 'call-input', id: 'c', name: 'lookup', delta: '' },
    { type: 'call-input', id: 'c', delta: '{' },
  ])
})

test('of results that replace each other, only the last is a result', () => {
  const result = { type: 'tool-result', toolCallId: 'c', toolName: 'draw' } as const

  expect(mapped({ ...result, result: 'blurred', preliminary: true }, { ...result, result: 'sharp' })).toEqual([
    { type: 'provider-result', id: 'c', name: 'draw', result: 'sharp' },
  ])
})

test('bytes become base64, and URLs stay URLs', () => {
  const file = { type: 'file', mediaType: 'image/png' } as const

  expect(
    mapped(
      { ...file, data: { type: 'data', data: Uint8Array.from([1, 2, 255, 254]).subarray(1) } },
      { ...file, data: { type: 'url', url: new URL('https://example.test/a') } },
      { ...file, type: 'reasoning-file', data: { type: 'data', data: 'AAA=' } },
      { ...file, data: { type: 'hologram' } } as unknown as LanguageModelV4StreamPart,
    ),
  ).toEqual([
    { ...file, file: { kind: 'base64', base64: 'Av/+' } },
    { ...file, file: { kind: 'url', url: 'https://example.test/a' } },
    { ...file, file: { kind: 'base64', base64: 'AAA=' }, reasoning: true },
  ])
})

test('a source keeps all its fields except vendor data', () => {
  const source = { sourceType: 'url', id: 's', url: 'https://example.test/' } as const

  expect(mapped({ type: 'source', ...source, providerMetadata: { acme: { age: 1 } } })).toStrictEqual([
    { type: 'source', source, data: { acme: { age: 1 } } },
  ])
})

test.each([
  [undefined, { inputTokens: 0, outputTokens: 0 }],
  [{}, { inputTokens: 0, outputTokens: 0 }],
  [noUsage, { inputTokens: 0, outputTokens: 0 }],
  [
    {
      inputTokens: { total: NaN, noCache: 1, cacheRead: NaN, cacheWrite: undefined },
      outputTokens: { total: 4, text: 4, reasoning: 0 },
    },
    { inputTokens: 0, outputTokens: 4, reasoningTokens: 0 },
  ],
  [
    {
      inputTokens: { total: 9, noCache: 2, cacheRead: 5, cacheWrite: 2 },
      outputTokens: { total: 4, text: 1, reasoning: 3 },
    },
    { inputTokens: 9, outputTokens: 4, cachedTokens: 5, cacheWriteTokens: 2, reasoningTokens: 3 },
  ],
])('usage %j is %j', (reported, usage) => {
  expect(mapped(finished(reported))).toStrictEqual([{ type: 'finish', reason: 'stop', usage }])
})

test.each([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content-filter', 'content-filter'],
  ['tool-calls', 'calls'],
  ['error', 'error'],
  ['interrupted', 'interrupted'],
  ['other', 'other'],
  ['bored', 'other'],
  ['constructor', 'other'],
])('finish reason %s is %s', (unified, reason) => {
  expect(mapped(finished(noUsage, unified))).toMatchObject([{ reason }])
})

test('an error part is thrown', () => {
  expect(() => mapped({ type: 'error', error: { message: 'it broke' } })).toThrow(ModelError)
})
