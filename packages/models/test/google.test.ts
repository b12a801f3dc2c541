/** Specific to Google: thought signatures on any part, generated files, and provider-run code. */
import type { JsonObject, PromptMessage, ToolSpec } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { aiSdkModel } from '../src/index.ts'
import { ask, assistant, only, textOf, user } from './ask.ts'
import { google, reply } from './vendors/google.ts'
import { vendorServer } from './vendors/server.ts'

const lookup: ToolSpec = { kind: 'function', name: 'lookup', description: 'Looks up', inputSchema: { type: 'object' } }
const code: ToolSpec = { kind: 'provider', name: 'code_execution', id: 'google.code_execution', args: {} }

async function start() {
  const server = await vendorServer()
  return { server, model: aiSdkModel(google.model(server.url)) }
}

function contentsOf(body: unknown): { role: string; parts: JsonObject[] }[] {
  return (body as { contents: { role: string; parts: JsonObject[] }[] }).contents
}

test('thoughts and the signatures of thoughts, texts and calls are sent back in place', async () => {
  const { server, model } = await start()
  await using _ = server
  const call = { functionCall: { id: 'fc_1', name: 'lookup', args: { q: 'x' } }, thoughtSignature: 'SIGN-C' }
  server.answer(
    {
      body: reply(
        [{ text: 'I should ', thought: true }],
        [{ text: 'look.', thought: true, thoughtSignature: 'SIGN-A' }],
        [{ text: 'Looking.' }],
        [{ text: '', thoughtSignature: 'SIGN-B' }],
        [call],
      ),
    },
    { body: google.says('42') },
  )

  const parts = await ask(model, { tools: [lookup] })
  const found: PromptMessage = {
    role: 'tool',
    results: [{ id: 'fc_1', name: 'lookup', isError: false, content: { n: 42 } }],
  }
  await ask(model, { tools: [lookup], prompt: [user('hi'), assistant(parts), found] })

  expect(textOf(parts, 'reasoning')).toBe('I should look.')
  expect(contentsOf(server.asked[1]?.body)[1]).toEqual({
    role: 'model',
    parts: [
      { text: 'I should look.', thought: true, thoughtSignature: 'SIGN-A' },
      { text: 'Looking.', thoughtSignature: 'SIGN-B' },
      call,
    ],
  })
  expect(contentsOf(server.asked[1]?.body)[2]?.parts[0]).toMatchObject({
    functionResponse: { id: 'fc_1', name: 'lookup' },
  })
  expect(parts.at(-1)).toMatchObject({ usage: { inputTokens: 20, outputTokens: 7, reasoningTokens: 3 } })
})

test('a signature without text keeps its position', async () => {
  const { server, model } = await start()
  await using _ = server
  const call = { functionCall: { id: 'fc_1', name: 'lookup', args: {} } }
  server.answer({ body: reply([{ text: '', thoughtSignature: 'ALONE' }], [call]) }, { body: google.says('ok') })

  const parts = await ask(model, { tools: [lookup] })
  await ask(model, { tools: [lookup], prompt: [user('hi'), assistant(parts)] })

  expect(contentsOf(server.asked[1]?.body)[1]?.parts).toEqual([{ text: '', thoughtSignature: 'ALONE' }, call])
})

test('code that Google runs is a provider call with its result, and both are sent back', async () => {
  const { server, model } = await start()
  await using _ = server
  const run = { executableCode: { language: 'PYTHON', code: 'print(6*7)' } }
  const printed = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42' } }
  server.answer({ body: reply([run], [printed], [{ text: 'It is 42.' }]) }, { body: google.says('ok') })

  const parts = await ask(model, { tools: [code] })
  await ask(model, { tools: [code], prompt: [user('6*7?'), assistant(parts), user('sure?')] })

  const call = only(parts, 'call')[0]
  expect(call).toMatchObject({ name: 'code_execution', byProvider: true })
  expect(only(parts, 'provider-result')).toMatchObject([{ id: call?.id, result: { output: '42' } }])
  expect(contentsOf(server.asked[1]?.body)[1]?.parts).toEqual([run, printed, { text: 'It is 42.' }])
})

test('a generated image is a file, images in thoughts are marked, and both are sent back', async () => {
  const { server, model } = await start()
  await using _ = server
  const sketch = { inlineData: { mimeType: 'image/png', data: 'c2tldGNo' }, thought: true }
  const image = { inlineData: { mimeType: 'image/png', data: 'aW1hZ2U=' }, thoughtSignature: 'SIGN' }
  server.answer({ body: reply([sketch], [image]) }, { body: google.says('ok') })

  const parts = await ask(model)
  await ask(model, { prompt: [user('draw'), assistant(parts), user('again')] })

  expect(only(parts, 'file')).toEqual([
    { type: 'file', mediaType: 'image/png', file: { kind: 'base64', base64: 'c2tldGNo' }, reasoning: true },
    {
      type: 'file',
      mediaType: 'image/png',
      file: { kind: 'base64', base64: 'aW1hZ2U=' },
      data: { google: { thoughtSignature: 'SIGN' } },
    },
  ])
  expect(contentsOf(server.asked[1]?.body)[1]?.parts).toEqual([sketch, image])
})

test('the address of a cloud file is sent unchanged', async () => {
  const { server, model } = await start()
  await using _ = server
  server.answer({ body: google.says('ok') })
  const file = { kind: 'url', url: 'gs://bucket/my report [1].pdf' } as const

  await ask(model, { prompt: [{ role: 'user', parts: [{ type: 'file', mediaType: 'application/pdf', file }] }] })

  expect(contentsOf(server.asked[0]?.body)[0]?.parts).toMatchObject([{ fileData: { fileUri: file.url } }])
})
