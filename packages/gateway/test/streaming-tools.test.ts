/** Progress of workers is shown for streaming tools. For other tools the worker gets `shown: false`. */
import { afterEach, expect, test } from 'vitest'
import { followStream, isEvent, isFrame } from './follow-stream.ts'
import { kit, obedient, type Kit } from './kit.ts'

const open: Kit[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const inputSchema = { type: 'object', properties: { to: { type: 'string' } } }
const ship = { name: 'ship', description: 'Ship', inputSchema, executionType: 'external', timeout: 60_000 }

test.each([
  [true, { streaming: true }],
  [false, {}],
])('progress of a worker is shown: %s, where the tool says %j', async (isStreaming, said) => {
  const here = await kit({ models: { small: obedient } })
  open.push(here)
  const clerk = { name: 'clerk', model: 'small', tools: [{ ...ship, ...said }] }
  expect((await here.ask('POST', '/api/agents', { body: clerk })).status).toBe(201)
  await here.ask('POST', '/api/conversations', { body: { id: 'c', agent: 'clerk' } })
  const stream = await followStream(here, 'c')
  await here.ask('POST', '/api/conversations/c/messages', { body: { content: 'ship Ada' } })
  await stream.until(isEvent('call.held'))
  const claimed = await here.ask('POST', '/api/calls/claim', { as: 'worker', body: { tools: ['ship'] } })
  const [{ callId, claim }] = claimed.body.items

  const progress = { as: 'worker', body: { claim, value: { at: 'depot' }, ttlMs: 600_000 } } as const
  const response = await here.ask('POST', `/api/calls/${callId}/progress`, progress)
  expect(response).toMatchObject({ status: 200, body: { shown: isStreaming } })
  // The claim is renewed, shown or not.
  expect(response.body.claimedUntil).toBeGreaterThan(claimed.body.items[0].claimedUntil)
  await here.ask('POST', `/api/calls/${callId}/result`, { as: 'worker', body: { claim, result: 1 } })
  expect((await stream.until(isEvent('call.settled'))).some(isFrame('call-progress'))).toBe(isStreaming)

  const { body } = await here.ask('GET', '/api/conversations/c')
  expect(body.turns[0].steps[0].calls[0].streaming).toBe(isStreaming ? true : undefined)
  await stream.close()
})
