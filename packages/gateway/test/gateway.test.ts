import { afterEach, beforeEach, expect, test } from 'vitest'
import { kit, shipping, type Kit } from './kit.ts'

let here: Kit
beforeEach(async () => {
  here = await kit()
})
afterEach(() => here.close())

test('a message is said, waited for, and seen', async () => {
  const sent = await here.ask('POST', '/api/conversations/c1/messages?wait=5', { body: { content: 'hello' } })
  expect(sent).toMatchObject({ status: 200, body: { result: { status: 'done', text: 'It is done.' } } })
  const seen = await here.ask('GET', '/api/conversations/c1')
  expect(seen.body).toMatchObject({ status: 'idle', agent: 'desk' })
})

test('a call is claimed, its result given, and the turn goes on', async () => {
  const callId = await shipping(here, 'c1')
  const { body } = await here.ask('POST', '/api/calls/claim', { as: 'worker', body: { tools: ['ship'] } })
  expect(body.items).toMatchObject([{ callId, conversationId: 'c1', name: 'ship', input: { to: 'Ada' } }])
  const { claim } = body.items[0]
  const told = await here.ask('POST', `/api/calls/${callId}/result`, {
    as: 'worker',
    body: { claim, result: { parcel: 'p1' } },
  })
  expect(told).toMatchObject({ status: 200, body: { verdict: 'accepted' } })
  const after = await here.ask('POST', '/api/conversations/c1/continue?wait=5', { body: {} })
  expect(after.body.result).toMatchObject({ status: 'done', text: 'It is done.' })
})

test('a hold is listed, shown and resolved once; the second answer is told what came first', async () => {
  await here.ask('POST', '/api/conversations/c1/messages?wait=5', { body: { content: 'refund 5' } })
  const { body } = await here.ask('GET', '/api/holds?kind=approval', { as: 'resolver' })
  const { callId } = body.items[0]
  expect((await here.ask('GET', `/api/holds/c1/${callId}`)).body).toMatchObject({ callId, input: { euros: 5 } })
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
