/** Common to every vendor, through its real AI SDK package and wire format. */
import type { ToolSpec } from '@holdpoint/core'
import { describe, expect, test } from 'vitest'
import { aiSdkModel } from '../src/index.ts'
import { ask, assistant, only, request, textOf, user } from './ask.ts'
import { vendors } from './vendors/all.ts'
import { vendorServer } from './vendors/server.ts'
import type { WireCall } from './vendors/vendor.ts'

const weather: ToolSpec = {
  kind: 'function',
  name: 'weather',
  description: 'The weather of a place',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      place: { type: 'string', minLength: 1, pattern: '^[A-Z]', description: 'A town' },
      days: { type: ['integer', 'null'], minimum: 1, maximum: 14, default: 3 },
      unit: { anyOf: [{ const: 'C' }, { const: 'F' }] },
      around: { type: 'array', items: { $ref: '#/$defs/point' }, uniqueItems: true },
    },
    required: ['place'],
    additionalProperties: false,
    $defs: { point: { type: 'object', properties: { x: { type: 'number' } }, patternProperties: { '^x-': true } } },
  },
}
const paris: WireCall = { id: 'call_paris', name: 'weather', input: { place: 'Paris "Île-de-France"', days: 2 } }
const oslo: WireCall = { id: 'call_oslo', name: 'weather', input: { place: 'Oslo' } }

describe.each(vendors)('$name', (vendor) => {
  async function start() {
    const server = await vendorServer()
    return { server, model: aiSdkModel(vendor.model(server.url)) }
  }

  test('is named by vendor and model', () => {
    expect(aiSdkModel(vendor.model('http://vendor.test')).id).toBe(vendor.id)
  })

  test('streams text piece by piece and ends with a reason and token counts', async () => {
    const { server, model } = await start()
    await using _ = server
    server.answer({ body: vendor.says('Good ', 'morning', '!') })

    const parts = await ask(model)

    expect(
      only(parts, 'text')
        .map((part) => part.delta)
        .filter((delta) => delta !== ''),
    ).toEqual(['Good ', 'morning', '!'])
    expect(parts.at(-1)).toMatchObject({
      type: 'finish',
      reason: 'stop',
      usage: { inputTokens: 20, outputTokens: 7, cachedTokens: 12 },
    })
    expect(only(parts, 'info').map((part) => part.responseId)).toContainEqual(expect.stringMatching(/_1$/))
  })

  test('makes parallel calls with their arguments whole, and streams the arguments under the same ids', async () => {
    const { server, model } = await start()
    await using _ = server
    server.answer({ body: vendor.calls(paris, oslo) })

    const parts = await ask(model, { tools: [weather] })

    const calls = only(parts, 'call').map(({ id, name, input }) => ({ id, name, input: JSON.parse(input) }))
    expect(calls).toEqual([paris, oslo])
    const streamed = only(parts, 'call-input')
    for (const call of calls) {
      const pieces = streamed.filter((part) => part.id === call.id)
      expect(pieces[0]?.name).toBe('weather')
      expect(JSON.parse(pieces.map((part) => part.delta).join(''))).toEqual(call.input)
    }
    expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'calls' })
  })

  test('gets each result back under the id of its call', async () => {
    const { server, model } = await start()
    await using _ = server
    server.answer({ body: vendor.calls(paris, oslo) }, { body: vendor.says('Take an umbrella.') })
    const reply = assistant(await ask(model, { tools: [weather] }))

    await ask(model, {
      tools: [weather],
      prompt: [
        { role: 'system', text: 'Be brief.' },
        user('Paris or Oslo?'),
        reply,
        {
          role: 'tool',
          results: [
            { id: 'call_paris', name: 'weather', isError: false, content: { sky: 'rain' } },
            { id: 'call_oslo', name: 'weather', isError: false, content: { sky: 'sun' } },
          ],
        },
      ],
    })

    const body = server.asked[1]?.body
    expect(vendor.readCalls(body)).toEqual([paris, oslo])
    const results = vendor.readResults(body)
    expect(results.map(({ id }) => id)).toEqual(['call_paris', 'call_oslo'])
    expect(JSON.stringify(results[0])).toContain('rain')
    expect(JSON.stringify(results[1])).toContain('sun')
    expect(JSON.stringify(body)).toContain('Be brief.')
  })

  test('receives the schema of a tool as its author wrote it', async () => {
    const { server, model } = await start()
    await using _ = server
    server.answer({ body: vendor.says('ok') })

    await ask(model, { tools: [weather], toolChoice: 'auto' })

    expect(vendor.readTools(server.asked[0]?.body)).toEqual([{ name: 'weather', schema: weather.inputSchema }])
  })

  test('receives the schema of a structured reply', async () => {
    const { server, model } = await start()
    await using _ = server
    server.answer({ body: vendor.says('{"city":"Oslo"}') })
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    }

    const parts = await ask(model, { output: { name: 'place', schema } })

    expect(vendor.readOutputSchema(server.asked[0]?.body)).toEqual(schema)
    expect(textOf(parts)).toBe('{"city":"Oslo"}')
  })

  test('receives an image, whether as base64 or as a data URL', async () => {
    const { server, model } = await start()
    await using _ = server
    const base64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    for (const file of [
      { kind: 'base64', base64 },
      { kind: 'url', url: `data:image/png;base64,${base64}` },
    ] as const) {
      server.answer({ body: vendor.says('a dot') })
      const parts = [
        { type: 'text', text: 'what is it?' },
        { type: 'file', mediaType: 'image/png', file },
      ] as const
      await ask(model, { prompt: [{ role: 'user', parts }] })
      expect(vendor.readImage(server.asked.at(-1)?.body)).toBe(base64)
    }
  })

  test('sees the connection close when the consumer stops reading', async () => {
    const { server, model } = await start()
    await using _ = server
    server.answer({ body: vendor.begins('Once upon'), open: true })

    for await (const part of model.stream(request())) if (part.type === 'text' && part.delta !== '') break

    await expect(server.left()).resolves.toBeUndefined()
  })

  test('sees the connection close when the signal aborts, and the listener gets the reason', async () => {
    const { server, model } = await start()
    await using _ = server
    server.answer({ body: vendor.begins('Once upon'), open: true })
    const stop = new AbortController()

    const error = await (async () => {
      for await (const part of model.stream(request({ signal: stop.signal }))) if (part.type === 'text') stop.abort()
    })().catch((thrown: unknown) => thrown)

    expect(error).toMatchObject({ name: 'AbortError' })
    await expect(server.left()).resolves.toBeUndefined()
  })

  test('receives headers and only the requested settings', async () => {
    const { server, model } = await start()
    await using _ = server
    server.answer({ body: vendor.says('ok') })

    const parts = await ask(model, {
      toolChoice: 'required',
      settings: { maxOutputTokens: 99, headers: { 'x-trace': 'abc' } },
    })

    expect(server.asked[0]?.headers['x-trace']).toBe('abc')
    expect(JSON.stringify(server.asked[0]?.body)).toContain('99')
    expect(JSON.stringify(server.asked[0]?.body)).not.toMatch(/tool|temperature|format/)
    expect(only(parts, 'info').flatMap((part) => part.warnings ?? [])).toEqual([])
  })
})
