import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { agent, aiSdkModel, chat, tool } from 'holdpoint'
import { z } from 'zod'

// An OpenAI-compatible server on this machine: it fails once, then calls a tool, then replies.
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: '1',
  model: 'llama',
  choices: [{ index: 0, delta, finish_reason }],
})
const wanted = { index: 0, id: 'x', type: 'function', function: { name: 'clock__read', arguments: '{"city":"Oslo"}' } }
const replies = [
  [chunk({ role: 'assistant', tool_calls: [wanted] }), chunk({}, 'tool_calls')],
  [chunk({ role: 'assistant', content: 'It is noon ' }), chunk({ content: 'in Oslo.' }), chunk({}, 'stop')],
]
const asked: { messages: { role: string; content: string }[] }[] = []
const server = createServer((request, response) => {
  void json(request).then((body) => {
    asked.push(body as (typeof asked)[number])
    if (asked.length === 1)
      return response.writeHead(429, { 'retry-after-ms': '10' }).end('{"error":{"message":"busy"}}')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of replies.shift() ?? []) response.write(`data: ${JSON.stringify(event)}\n\n`)
    return response.end('data: [DONE]\n\n')
  })
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

// #region vendor
const acme = createOpenAICompatible({ name: 'acme', baseURL })
const clock = tool({
  name: 'clock.read',
  description: 'Read the time in a city',
  input: z.object({ city: z.string() }),
  run: ({ input }) => ({ city: input.city, time: '12:00' }),
})
const desk = agent({
  name: 'desk',
  model: aiSdkModel(acme('llama')),
  instructions: 'Be brief.',
  tools: [clock],
  settings: { temperature: 0 },
  retry: { attempts: 3, maxDelayMs: 1000 },
})
const watch = (item: { type: string }) => item.type === 'model-retry' && console.log('busy; asking again')
const { text, status } = await chat(desk, 'What time is it in Oslo?', { watch })
console.log(`${status}: ${text}`)
for (const { role, content } of asked.at(-1)?.messages ?? []) console.log(`  ${role}: ${content ?? '(a call)'}`)
// #endregion
assert.equal(text, 'It is noon in Oslo.')
assert.equal(asked.length, 3)
server.closeAllConnections()
server.close()
