/** Specific to vendors with their own dialect of Chat Completions. */
import { expect, test } from 'vitest'
import { aiSdkModel } from '../src/index.ts'
import { ask, assistant, failure, only, user } from './ask.ts'
import { openaiCompatible, reply } from './vendors/openai-chat.ts'
import { sse, vendorServer } from './vendors/server.ts'

async function start() {
  const server = await vendorServer()
  return { server, model: aiSdkModel(openaiCompatible.model(server.url)) }
}

test('blocks with the same vendor number stay separate and in order', async () => {
  const { server, model } = await start()
  await using _ = server
  const pieces = [
    { reasoning_content: 'Hm.' },
    { content: 'Well' },
    { content: ', ' },
    { reasoning_content: 'Aha.' },
    { content: 'yes.' },
  ]
  server.answer({ body: reply('stop', ...pieces) })

  expect(assistant(await ask(model))).toEqual({
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Well, ' },
      { type: 'reasoning', text: 'Aha.' },
      { type: 'text', text: 'yes.' },
    ],
  })
})

test('reasoning is sent back unchanged', async () => {
  const { server, model } = await start()
  await using _ = server
  server.answer(
    { body: reply('stop', { reasoning_content: 'Hm.' }, { content: 'Yes.' }) },
    { body: openaiCompatible.says('ok') },
  )

  const parts = await ask(model)
  await ask(model, { prompt: [user('hi'), assistant(parts), user('sure?')] })

  expect(server.asked[1]?.body).toMatchObject({
    messages: [{}, { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' }, {}],
  })
})

test('a signature that a proxy passes on from Google stays with its call', async () => {
  const { server, model } = await start()
  await using _ = server
  const extra_content = { google: { thought_signature: 'SIGN' } }
  const call = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: 'lookup', arguments: '{}' },
    extra_content,
  }
  server.answer({ body: reply('tool_calls', { tool_calls: [call] }) }, { body: openaiCompatible.says('ok') })

  const parts = await ask(model)
  await ask(model, { prompt: [user('hi'), assistant(parts)] })

  expect(only(parts, 'call')[0]?.data).toEqual({ acme: { thoughtSignature: 'SIGN' } })
  expect(server.asked[1]?.body).toMatchObject({ messages: [{}, { tool_calls: [{ id: 'call_1', extra_content }] }] })
})

test.each([
  {
    error: { message: 'too long', type: 'invalid_request_error', code: 'context_length_exceeded' },
    retryable: false,
    status: undefined,
  },
  { error: { message: 'busy', code: 503 }, retryable: true, status: 503 },
  { error: { message: 'bad input', code: 422 }, retryable: false, status: 422 },
  { error: { message: 'no idea' }, retryable: true, status: undefined },
])('an error event that says $error is retryable: $retryable', async ({ error, retryable, status }) => {
  const { server, model } = await start()
  await using _ = server
  server.answer({ body: openaiCompatible.begins('Once') + sse([{ error }]) })

  expect(await failure(model)).toMatchObject({ message: error.message, retryable, status })
})
