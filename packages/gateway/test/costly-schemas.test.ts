import { agent, schemaChecks, tool, type JsonObject, type Model } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'
import { storedAgents } from '../src/stored-agents.ts'
import { kit } from './kit.ts'

const SLOW: JsonObject = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } }

/** Calls the tool with a text that the pattern needs exponential time to refuse, and then finishes. */
function impatient(hear: { readonly called: () => void; readonly response: (outcome: string) => void }): Model {
  return {
    id: 'impatient',
    async *stream({ prompt }) {
      const last = prompt.at(-1)
      if (last?.role === 'user') {
        yield { type: 'call', id: 'c1', name: 'say', input: JSON.stringify({ text: `${'a'.repeat(60)}!` }) }
        yield { type: 'finish', reason: 'calls', usage: { inputTokens: 1, outputTokens: 1 } }
        return hear.called()
      }
      hear.response(JSON.stringify(last))
      yield { type: 'text', id: 't', delta: 'Done.' }
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
}

const config = (inputSchema: JsonObject): object => ({
  name: 'slow',
  model: 'small',
  tools: [{ name: 'say', description: 'Say it', executionType: 'internal', inputSchema }],
})

test('a catastrophic pattern of one tenant does not block another tenant', async () => {
  let checking = false
  let response = ''
  const small = impatient({
    called: () => void (checking = true),
    response: (outcome) => {
      checking = false
      response = outcome
    },
  })
  // The other tenant sends requests faster than the default rate limits allow.
  const rate = { perSecond: 1e6, burst: 1e6 }
  const here = await kit({ models: { small }, limits: { rate, tenantRate: rate } })
  onTestFinished(here.close)
  expect((await here.ask('POST', '/api/agents', { body: config(SLOW), tenant: 'umbrella' })).status).toBe(201)
  const body = { content: 'Say it', agent: 'slow' }
  const sent = here.ask('POST', '/api/conversations/c1/messages?wait=20', { body, tenant: 'umbrella' })
  let over = false
  void sent.finally(() => (over = true))
  let answered = 0
  while (!over) {
    const { status } = await here.ask('GET', '/api/conversations', { tenant: 'acme' })
    expect(status).toBe(200)
    if (checking) answered++
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect((await sent).body).toMatchObject({ result: { status: 'done', text: 'Done.' } })
  expect(answered).toBeGreaterThan(20)
  expect(response).toContain('it could not be checked within 500 ms of processor time')
})

test('schemas of an agent are compiled when it is created, not when it is read', async () => {
  const real = schemaChecks()
  let compiled = 0
  const schemas = {
    ...real,
    whyNot: (...args: Parameters<typeof real.whyNot>) => (compiled++, real.whyNot(...args)),
  }
  const { store, runtime, close } = await kit()
  onTestFinished(close)
  const small = impatient({ called: () => {}, response: () => {} })
  const stored = storedAgents(store, { models: { small }, schemas })
  const { ask } = await kit({ store, runtime, storedAgents: stored })
  expect((await ask('POST', '/api/agents', { body: config({ type: 'object' }) })).status).toBe(201)
  expect(compiled).toBe(1)
  const read = await ask('GET', '/api/agents/slow', { as: 'reader' })
  expect(read.body.tools).toMatchObject([{ name: 'say', input: { type: 'object' } }])
  expect(compiled).toBe(1)
  const [first, again] = [await stored.agentFor('acme', 'slow'), await stored.agentFor('acme', 'slow')]
  expect(first).toBe(again)
})

test('invalid and too expensive schemas get 422 with their location', async () => {
  const small = impatient({ called: () => {}, response: () => {} })
  const here = await kit({ models: { small } })
  onTestFinished(here.close)
  const post = (inputSchema: JsonObject) => here.ask('POST', '/api/agents', { body: config(inputSchema) })
  const many = Array.from({ length: 2000 }, (_, nth) => [`p${nth}`, { type: 'string' }])
  expect(await post({ type: 'object', properties: Object.fromEntries(many) })).toMatchObject({
    status: 422,
    body: { code: 'config-invalid', detail: expect.stringContaining('it has more than 2000 nodes') },
  })
  expect(await post({ type: 'object', required: 'to' })).toMatchObject({
    status: 422,
    body: {
      code: 'config-invalid',
      detail: expect.stringMatching(/^agent\.tools\[0\]\.inputSchema: .*must be an array/),
    },
  })
})

test('a tool in code is checked on the main thread', () => {
  const say = tool({ name: 'say', description: 'Say it', input: { type: 'object', required: ['to'] }, run: () => 1 })
  const { tools } = agent({ name: 'a', model: impatient({ called: () => {}, response: () => {} }), tools: [say] })
  expect(tools[0]?.input.check({})).toEqual({ ok: false, why: 'to: is required' })
})
