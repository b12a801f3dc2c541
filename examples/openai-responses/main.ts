/** A program that speaks only the OpenAI Responses API. A call that needs approval ends the response, and the next one approves it. */
import assert from 'node:assert/strict'
import OpenAI from 'openai'
import { serve } from '@holdpoint/gateway'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, tool } from 'holdpoint'
import { z } from 'zod'

const sendEmail = tool({
  name: 'sendEmail',
  description: 'Send an e-mail',
  approval: { required: true, reason: 'It leaves the company.' },
  input: z.object({ to: z.string() }),
  run: ({ input }) => `sent to ${input.to}`,
})
const model = scriptedModel([{ calls: [{ name: 'sendEmail', input: { to: 'bo' } }] }, 'The e-mail is out.'])
const agents = [agent({ name: 'assistant', model, tools: [sendEmail] })]
const store = memoryStore({ now: Date.now })
const runtime = await holdpoint({ store, agents })
const key = `hp_${'k'.repeat(43)}`
const { url, close } = await serve({
  runtime,
  store,
  agents,
  auth: { keys: [{ key, scopes: ['agent', 'resolver'] }] },
})

// #region responses
const openai = new OpenAI({ baseURL: `${url}/api/openai`, apiKey: key })
const held = await openai.responses.create({ model: 'assistant', input: 'Write to Bo' })
for (const item of held.output)
  if (item.type === 'mcp_approval_request') console.log(item.name, item.arguments, 'waits for approval')

const input = held.output.flatMap((item) =>
  item.type === 'mcp_approval_request'
    ? [{ type: 'mcp_approval_response' as const, approval_request_id: item.id, approve: true }]
    : [],
)
const done = await openai.responses.create({ model: 'assistant', previous_response_id: held.id, input })
console.log(done.output_text)
// #endregion

assert.equal(done.output_text, 'The e-mail is out.')
await close()
