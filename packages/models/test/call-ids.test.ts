/** Call ids of other vendors, or ours, in a form that each vendor accepts. */
import type { PromptMessage } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { idFormOf } from '../src/call-ids.ts'
import { callOptionsV3, callOptionsV4 } from '../src/call-options.ts'
import { aiSdkModel } from '../src/index.ts'
import { ask, request, user } from './ask.ts'
import { vendors } from './vendors/all.ts'
import { vendorServer } from './vendors/server.ts'

function conversation(...ids: readonly string[]): readonly PromptMessage[] {
  return [
    user('Go'),
    { role: 'assistant', parts: ids.map((id) => ({ type: 'call', id, name: 'work', input: { id } })) },
    { role: 'tool', results: ids.map((id) => ({ id, name: 'work', isError: false, content: { of: id } })) },
  ]
}

const FOREIGN = ['turn-1.1.1', 'turn-1_1.1', 'functions.work:0', 'ça va', '', 'x'.repeat(100), `${'x'.repeat(99)}y`]

/** As documented in their APIs. The others accept any id. */
const TAKES: Readonly<Record<string, RegExp>> = {
  anthropic: /^[a-zA-Z0-9_-]{1,64}$/,
  'openai responses': /^.{1,64}$/,
  'openai chat': /^.{1,40}$/,
}

test.each(vendors)('$name gets ids that it accepts, and each call matches its result', async (vendor) => {
  await using server = await vendorServer()
  server.answer({ body: vendor.says('Done.') })
  await ask(aiSdkModel(vendor.model(server.url)), { prompt: conversation(...FOREIGN, 'call_1') })

  const body = server.asked[0]?.body
  const calls = vendor.readCalls(body)
  const ids = calls.map(({ id }) => id)
  expect(calls.map(({ input }) => input)).toEqual([...FOREIGN, 'call_1'].map((id) => ({ id })))
  expect(vendor.readResults(body).map(({ id }) => id)).toEqual(ids)
  for (const id of ids) expect(id).toMatch(TAKES[vendor.name] ?? /./)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.at(-1)).toBe('call_1')
})

test.each([
  ['amazon-bedrock', 'meta.llama4', /^[a-zA-Z0-9_-]{1,64}$/],
  ['vertex.anthropic.messages', 'claude-sonnet-5', /^[a-zA-Z0-9_-]{1,64}$/],
  ['gateway', 'anthropic/claude-sonnet-5', /^[a-zA-Z0-9_-]{1,64}$/],
  ['mistral.chat', 'mistral-large', /^[a-zA-Z0-9]{9}$/],
])('%s, %s: ids have the required form', (provider, modelId, form) => {
  const ids = idsOf(
    callOptionsV4(request({ prompt: conversation(...FOREIGN) }), {}, idFormOf(provider, modelId)).prompt,
  )
  for (const id of ids) expect(id).toMatch(form)
  expect(new Set(ids).size).toBe(FOREIGN.length)
})

const claude = idFormOf('anthropic.messages', 'claude-sonnet-5')
const idsOf = (prompt: unknown): string[] =>
  [...JSON.stringify(prompt).matchAll(/"toolCallId":"([^"]*)"/g)].map(([, id]) => id!)

test('an id is encoded the same way in every prompt', () => {
  const [first] = idsOf(callOptionsV4(request({ prompt: conversation('a.b') }), {}, claude).prompt)
  expect(idsOf(callOptionsV4(request({ prompt: conversation('c:d', 'a.b') }), {}, claude).prompt)[1]).toBe(first)
  expect(idsOf(callOptionsV3(request({ prompt: conversation('a.b') }), {}, claude).prompt)).toEqual([first, first])
})

test('an id that looks like an encoded id does not collide with it', () => {
  const [made] = idsOf(callOptionsV4(request({ prompt: conversation('a.b') }), {}, claude).prompt)
  const ids = idsOf(callOptionsV4(request({ prompt: conversation('a.b', made!) }), {}, claude).prompt)
  expect(new Set(ids).size).toBe(2)
  expect(ids.slice(2)).toEqual(ids.slice(0, 2))
})

test('provider calls of another vendor keep their results', () => {
  const prompt: readonly PromptMessage[] = [
    user('Go'),
    {
      role: 'assistant',
      parts: [
        { type: 'call', id: 'ws.1', name: 'search', input: {}, byProvider: true },
        { type: 'provider-result', id: 'ws.1', name: 'search', result: {}, isError: false },
      ],
    },
  ]
  const [call, result] = idsOf(callOptionsV4(request({ prompt }), {}, claude).prompt)
  expect(call).toBe(result)
  expect(call).toMatch(/^[\w-]+$/)
})
