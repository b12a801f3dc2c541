import { afterEach, beforeEach, expect, test } from 'vitest'
import { scriptedModel } from '@holdpoint/testing'
import { kit, shipping, type Kit } from './kit.ts'

let here: Kit
beforeEach(async () => {
  here = await kit()
})
afterEach(() => here.close())

test('a message is sent with `wait`, answered and visible in the view', async () => {
  const sent = await here.ask('POST', '/api/conversations/c1/messages?wait=5', { body: { content: 'hello' } })
  expect(sent).toMatchObject({ status: 200, body: { result: { status: 'done', text: 'It is done.' } } })
  const seen = await here.ask('GET', '/api/conversations/c1')
  expect(seen.body).toMatchObject({ status: 'idle', agent: 'desk' })
})

test('a worker claims a call and returns its result, and the turn continues', async () => {
  const callId = await shipping(here, 'c1')
  const { body } = await here.ask('POST', '/api/calls/claim', { as: 'worker', body: { tools: ['ship'] } })
  expect(body.items).toMatchObject([{ callId, conversationId: 'c1', name: 'ship', input: { to: 'Ada' } }])
  const { claim } = body.items[0]
  const response = await here.ask('POST', `/api/calls/${callId}/result`, {
    as: 'worker',
    body: { claim, result: { parcel: 'p1' } },
  })
  expect(response).toMatchObject({ status: 200, body: { verdict: 'accepted' } })
  const after = await here.ask('POST', '/api/conversations/c1/continue?wait=5', { body: {} })
  expect(after.body.result).toMatchObject({ status: 'done', text: 'It is done.' })
})

test('of concurrent equal writes with one key, one runs and the others get a conflict', async () => {
  const make = (): ReturnType<Kit['ask']> =>
    here.ask('POST', '/api/keys', { body: { name: 'twice', scopes: ['reader'] }, key: 'k1' })
  const response = await Promise.all([make(), make(), make()])
  expect(response.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
  expect(response.find(({ status }) => status === 409)?.body.code).toBe('same-key-in-progress')
  expect((await make()).headers.get('idempotency-replayed')).toBe('true')
  const { body } = await here.ask('GET', '/api/keys')
  expect(body.items.filter(({ name }: { name: string }) => name === 'twice')).toHaveLength(1)
})

test('HEAD works like GET and opens no stream', async () => {
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const response = await here.ask('HEAD', '/api/conversations/c1/events', { headers: { accept: 'text/event-stream' } })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
})

test('an update with an old version of the agent is refused', async () => {
  const make = await here.ask('POST', '/api/agents', { body: { name: 'a', instructions: '1' } })
  expect(make).toMatchObject({ status: 201, body: { version: 1 } })
  const change = (version: number, instructions: string): ReturnType<Kit['ask']> =>
    here.ask('PUT', `/api/agents/a?version=${version}`, { body: { name: 'a', instructions } })
  expect((await change(1, '2')).body).toMatchObject({ version: 2, config: { instructions: '2' } })
  expect(await change(1, '3')).toMatchObject({ status: 409, body: { code: 'version-conflict' } })
  expect((await here.ask('DELETE', '/api/agents/a')).status).toBe(204)
  expect((await here.ask('GET', '/api/agents/a')).status).toBe(404)
  expect((await here.ask('POST', '/api/agents', { body: { name: 'a' } })).status).toBe(201)
  expect((await here.ask('POST', '/api/agents', { body: { name: 'desk' } })).status).toBe(409)
})

test('an agent created over HTTP is shown with its model and tools, like one in code', async () => {
  const own = await kit({ models: { small: scriptedModel([]) } })
  const tools = [
    { name: 'note', description: 'Keep a note', inputSchema: { type: 'object' }, executionType: 'internal' },
    {
      name: 'pay',
      description: 'Pay',
      inputSchema: { type: 'object' },
      executionType: 'external',
      approval: 'required',
    },
  ]
  const config = { name: 'clerk', model: 'small', instructions: 'Be brief.', tools }
  expect((await own.ask('POST', '/api/agents', { body: config })).status).toBe(201)
  expect(await own.ask('GET', '/api/agents/clerk')).toMatchObject({
    body: {
      source: 'config',
      config,
      instructions: 'Be brief.',
      tools: [
        { name: 'note', executor: 'server', approval: 'auto' },
        { name: 'pay', executor: 'external', approval: 'gated' },
      ],
    },
  })
  expect(await own.ask('POST', '/api/agents', { body: { ...config, name: 'bad', model: 'none' } })).toMatchObject({
    status: 422,
    body: { code: 'config-invalid' },
  })
  await own.close()
})

test('ids may be any text, including path characters', async () => {
  const id = 'a/b?c#d%2F..é '
  const path = `/api/conversations/${encodeURIComponent(id)}`
  expect((await here.ask('POST', `${path}/messages?wait=5`, { body: { content: 'hello' } })).status).toBe(200)
  expect((await here.ask('GET', path)).body.seq).toBe(2)
  expect((await here.ask('GET', '/api/conversations')).body.items[0].id).toBe(id)
})

test('a hold is listed, shown and resolved once; a second answer gets the first one', async () => {
  await here.ask('POST', '/api/conversations/c1/messages?wait=5', { body: { content: 'refund 5' } })
  const { body } = await here.ask('GET', '/api/holds?kind=approval', { as: 'resolver' })
  const { callId } = body.items[0]
  const definition = { description: 'Give money back', executor: 'server', input: { type: 'object' } }
  expect((await here.ask('GET', `/api/holds/c1/${callId}`)).body).toMatchObject({
    callId,
    input: { euros: 5 },
    definition,
  })
  expect(body.items[0]).toMatchObject({ definition })
  const view = await here.ask('GET', '/api/conversations/c1')
  expect(view.body.turns[0].steps[0].calls[0].hold).toMatchObject({ definition })
  const resolve = (answer: object): ReturnType<Kit['ask']> =>
    here.ask('POST', `/api/holds/c1/${callId}/resolve`, { as: 'resolver', body: answer })
  expect(await resolve({ kind: 'approve', by: 'grace' })).toMatchObject({ status: 200, body: { verdict: 'accepted' } })
  expect(await resolve({ kind: 'approve', by: 'grace' })).toMatchObject({ status: 200, body: { verdict: 'duplicate' } })
  expect(await resolve({ kind: 'reject' })).toMatchObject({
    status: 409,
    body: { code: 'conflict', verdict: 'conflict', first: { by: 'grace' } },
  })
  expect(await here.ask('GET', `/api/holds/c1/${callId}`)).toMatchObject({
    status: 410,
    body: { code: 'hold-not-open' },
  })
})
