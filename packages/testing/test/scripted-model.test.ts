import { expect, test } from 'vitest'
import type { ModelPart, ModelRequest } from '@holdpoint/core'
import { scriptedModel, type Script } from '../src/index.ts'

const request: ModelRequest = { prompt: [], tools: [], settings: {}, signal: new AbortController().signal }

async function said(script: Script, given: ModelRequest = request): Promise<ModelPart[]> {
  return Array.fromAsync(scriptedModel([script]).stream(given))
}

test('text comes a word at a time, and ends with a finish', async () => {
  const parts = await said('Ada knows.')
  expect(parts.map((part) => (part.type === 'text' ? part.delta : part.type))).toEqual(['Ada ', 'knows.', 'finish'])
})

test("calls are written under the vendors' form of our names, with ids of their own", async () => {
  const parts = await said({ calls: [{ name: 'notes.search' }, { name: 'notes.search', input: { q: 'x' } }] })
  const calls = parts.filter((part) => part.type === 'call')
  expect(calls.map(({ name, id, input }) => [name, id, input])).toEqual([
    ['notes__search', 'call-1-1', '{}'],
    ['notes__search', 'call-1-2', '{"q":"x"}'],
  ])
  expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'calls' })
})

test('a script may be parts, an error, or made from the request', async () => {
  expect(await said([{ type: 'text', id: 'a', delta: 'as is' }])).toEqual([{ type: 'text', id: 'a', delta: 'as is' }])
  await expect(said(new Error('down'))).rejects.toThrow('down')
  expect(await said(({ tools }) => `${tools.length} tools`)).toMatchObject([{ delta: '0 ' }, { delta: 'tools' }, {}])
})

test('it counts what it was asked, and throws instead of making up a reply that the script does not have', async () => {
  const model = scriptedModel(['One.'])
  await Array.fromAsync(model.stream(request))
  await expect(Array.fromAsync(model.stream(request))).rejects.toThrow('The script has 1 replies')
  expect(model.requests).toHaveLength(2)
})

test('it stops when the request is aborted', async () => {
  const controller = new AbortController()
  const parts = scriptedModel(['one two three']).stream({ ...request, signal: controller.signal })
  const seen: unknown[] = []
  await expect(async () => {
    for await (const part of parts) {
      seen.push(part)
      controller.abort(new Error('enough'))
    }
  }).rejects.toThrow('enough')
  expect(seen).toHaveLength(1)
})

test('a function by itself answers however often it is asked', async () => {
  const always = scriptedModel(({ tools }) => `${tools.length} tools`)
  for (const nth of [1, 2, 3]) {
    expect(await Array.fromAsync(always.stream(request))).toHaveLength(3)
    expect(always.requests).toHaveLength(nth)
  }
})
