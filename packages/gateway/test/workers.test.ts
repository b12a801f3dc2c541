import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { gateway } from '@holdpoint/gateway'
import { holdpoint, memoryStore, Runtime } from 'holdpoint'
import { followStream, isEvent, isFrame } from './follow-stream.ts'
import { kit, shipping, type Kit, type KitResponse } from './kit.ts'

let here: Kit
beforeEach(async () => {
  here = await kit()
})
afterEach(() => here.close())

const claim = (body: object = {}): ReturnType<Kit['ask']> =>
  here.ask('POST', '/api/calls/claim', { as: 'worker', body: { tools: ['ship'], ...body } })
const post = (callId: string, what: string, body: object): ReturnType<Kit['ask']> =>
  here.ask('POST', `/api/calls/${callId}/${what}`, { as: 'worker', body })

test('several workers share the calls, and each call is claimed once', async () => {
  const calls = await Promise.all(Array.from({ length: 12 }, (_, nth) => shipping(here, `c${nth}`)))
  const claimed = await Promise.all(Array.from({ length: 6 }, () => claim({ max: 3 })))
  const ids = claimed.flatMap(({ body }) => body.items.map(({ callId }: { callId: string }) => callId)) as string[]
  expect(ids).toHaveLength(calls.length)
  expect(new Set(ids)).toEqual(new Set(calls))
})

test('a worker that does not renew its claim loses it, and its later result gets `claim-lost`', async () => {
  let now = Date.now()
  const { put, get, documents } = memoryStore({ now: () => now })
  const store = { ...here.store, put, get, documents }
  const api = gateway({ runtime: here.runtime, store, now: () => now })
  const { key } = await api.keys.create('acme', { name: 'w', scopes: ['worker'] })
  const callId = await shipping(here, 'c1')
  const ask = async (path: string, body: object): Promise<Pick<KitResponse, 'status' | 'body'>> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const url = `http://localhost/api/calls/${path}`
    const response = await api.fetch(new Request(url, { method: 'POST', headers, body: JSON.stringify(body) }))
    return { status: response.status, body: await response.json() }
  }
  const first = (await ask('claim', { tools: ['ship'], ttlMs: 5000 })).body.items[0]
  expect((await ask('claim', { tools: ['ship'] })).body.items).toEqual([])
  now += 4000
  expect((await ask(`${callId}/progress`, { claim: first.claim, ttlMs: 5000 })).status).toBe(200)
  now += 4000
  expect((await ask('claim', { tools: ['ship'] })).body.items).toEqual([])
  now += 4000
  const second = (await ask('claim', { tools: ['ship'] })).body.items[0]
  expect(second.callId).toBe(callId)
  const late = await ask(`${callId}/result`, { claim: first.claim, result: { parcel: 'old' } })
  expect(late).toMatchObject({ status: 409, body: { code: 'claim-lost' } })
  const response = await ask(`${callId}/result`, { claim: second.claim, result: { parcel: 'new' } })
  expect(response).toMatchObject({ status: 200, body: { verdict: 'accepted' } })
  await api.close()
})

test('a released call can be claimed by another worker', async () => {
  const callId = await shipping(here, 'c1')
  const [first] = (await claim()).body.items
  expect((await post(callId, 'release', { claim: first.claim })).status).toBe(204)
  const [second] = (await claim()).body.items
  expect(second.callId).toBe(callId)
  expect((await post(callId, 'release', { claim: first.claim })).status).toBe(409)
})

test('after an invalid result the claim stays and the worker may try again', async () => {
  const callId = await shipping(here, 'c1')
  const [{ claim: held }] = (await claim()).body.items
  expect(await post(callId, 'result', { claim: held, result: { parcel: 1 } })).toMatchObject({
    status: 422,
    body: { code: 'invalid' },
  })
  expect((await post(callId, 'result', { claim: held, result: { parcel: 'p' } })).status).toBe(200)
})

test('a repeated result is a duplicate, even without the claim', async () => {
  const callId = await shipping(here, 'c1')
  const [{ claim: held }] = (await claim()).body.items
  const result = { parcel: 'p' }
  expect(await post(callId, 'result', { claim: held, result })).toMatchObject({ body: { verdict: 'accepted' } })
  for (const given of [held, 'another'])
    expect(await post(callId, 'result', { claim: given, result })).toMatchObject({
      status: 200,
      body: { verdict: 'duplicate' },
    })
  const other = await post(callId, 'result', { claim: held, result: { parcel: 'q' } })
  expect(other).toMatchObject({ status: 409, body: { code: 'conflict' } })
})

test('a call that does not exist is unknown, not a lost claim', async () => {
  for (const [what, body] of [
    ['result', { result: 1 }],
    ['progress', {}],
    ['release', {}],
  ] as const)
    expect(await post('x.1.1', what, { claim: 'c', ...body })).toMatchObject({ status: 404, body: { code: 'unknown' } })
  const callId = await shipping(here, 'c1')
  for (const [what, body] of [
    ['result', { result: { parcel: 'p' } }],
    ['progress', {}],
    ['release', {}],
  ] as const)
    expect(await post(callId, what, { claim: 'c', ...body })).toMatchObject({ body: { code: 'claim-lost' } })
})

test('a waiting worker gets a call as soon as there is one', async () => {
  const waiting = claim({ wait: 20 })
  const started = Date.now()
  const callId = await shipping(here, 'c1')
  expect((await waiting).body.items).toMatchObject([{ callId }])
  expect(Date.now() - started).toBeLessThan(19_000)
})

test('a worker that disconnects while waiting claims nothing', async () => {
  let leave = (): void => {}
  const peer = { disconnect: () => {}, onDisconnect: (gone: () => void) => void (leave = gone) }
  const headers = { authorization: `Bearer ${here.key('acme', 'worker')}`, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify({ tools: ['ship'], wait: 20 }) }
  const waiting = here.api.fetch(new Request('http://localhost/api/calls/claim', init), peer)
  await vi.waitFor(async () => expect((await here.ask('GET', '/api/workers')).body.items).toHaveLength(1))
  leave()
  const callId = await shipping(here, 'c1')
  expect(await (await waiting).json()).toEqual({ items: [] })
  expect((await claim()).body.items).toMatchObject([{ callId }])
})

test('waiting for a turn continues while a worker has its call, and returns the result', async () => {
  const say = (id: string, wait: number): ReturnType<Kit['ask']> =>
    here.ask('POST', `/api/conversations/${id}/messages?wait=${wait}`, { body: { content: 'ship Ada' } })
  // No worker was seen yet, so the caller gets the hold.
  expect(await say('c0', 20)).toMatchObject({ status: 200, body: { result: { status: 'held' } } })
  const working = claim({ wait: 20, max: 1 })
  await working
  const next = claim({ wait: 20 })
  const sent = say('c1', 20)
  const [{ callId, claim: held }] = (await next).body.items
  const soon = await Promise.race([sent, new Promise((resolve) => setTimeout(resolve, 300, 'waits'))])
  expect(soon).toBe('waits')
  await post(callId, 'result', { claim: held, result: { parcel: 'p' } })
  expect(await sent).toMatchObject({ status: 200, body: { result: { status: 'done' } } })
})

test('waiting for a turn sends its message once', async () => {
  const send = vi.spyOn(Runtime.prototype, 'send')
  onTestFinished(() => send.mockRestore())
  const path = '/api/conversations/c1/messages?wait=5'
  const sent = await here.ask('POST', path, { body: { content: 'hello' } })
  expect(sent).toMatchObject({ status: 200, body: { turnId: expect.any(String), result: { text: 'It is done.' } } })
  expect(send).not.toHaveBeenCalled()
})

test('a wait that ends before the worker is done returns 202', async () => {
  await claim()
  const { status, body } = await here.ask('POST', '/api/conversations/c1/messages?wait=1', {
    body: { content: 'ship Ada' },
  })
  expect({ status, ...body }).toEqual({ status: 202, turnId: expect.any(String) })
})

test('a worker cannot answer a question to a person', async () => {
  const sent = await here.ask('POST', '/api/conversations/c1/messages?wait=5', { body: { content: 'ask Budget' } })
  const [{ callId, kind }] = sent.body.result.holds
  expect(kind).toBe('elicitation')
  const path = `/api/runs/${callId.split('.')[0]}/tool-results`
  const body = { callId, result: 'a million' }
  expect(await here.ask('POST', path, { as: 'worker', body })).toMatchObject({ status: 403 })
  expect((await here.ask('POST', '/api/calls/claim', { as: 'worker', body: { tools: ['ask'] } })).body.items).toEqual(
    [],
  )
  expect(await here.ask('POST', path, { as: 'resolver', body })).toMatchObject({ status: 200 })
})

test('a result by run id finds its conversation, and an unknown call is refused', async () => {
  const callId = await shipping(here, 'c1')
  const [runId] = callId.split('.')
  const give = (run: string | undefined, body: object): ReturnType<Kit['ask']> =>
    here.ask('POST', `/api/runs/${run}/tool-results`, { as: 'worker', body })
  const result = { parcel: 'p1' }
  expect(await give('another', { callId, result })).toMatchObject({ status: 404, body: { code: 'unknown' } })
  expect(await give(runId, { callId: `${runId}.9.9`, conversationId: 'c1', result })).toMatchObject({ status: 404 })
  expect(await give(runId, { callId: `${runId}.9.9`, result })).toMatchObject({
    status: 404,
    body: { code: 'unknown' },
  })
  expect(await give(runId, { callId, result })).toMatchObject({ status: 200, body: { verdict: 'accepted' } })
  const again = await give(runId, { callId, result, conversationId: 'c1' })
  expect(again).toMatchObject({ status: 200, body: { verdict: 'duplicate' } })
  const other = await give(runId, { callId, result: { parcel: 'p2' }, conversationId: 'c1' })
  expect(other).toMatchObject({ status: 409, body: { code: 'conflict' } })
})

test('progress reported to one node is streamed by another, also to readers that join later', async () => {
  const callId = await shipping(here, 'c1')
  const runtime = await holdpoint({ store: here.store, agentFor: async () => undefined, drive: false })
  const api = gateway({ runtime, store: here.store })
  const there = { ...here, api }
  const watching = await followStream(there, 'c1')
  await watching.until(isEvent('call.held'))
  const [{ claim: held }] = (await claim()).body.items
  await post(callId, 'progress', { claim: held, value: { at: 'depot' } })
  const seen = await watching.until(isFrame('call-progress'))
  expect(seen.at(-1)).toMatchObject({ frame: { callId, value: { at: 'depot' } } })
  await post(callId, 'progress', { claim: held })
  await post(callId, 'progress', { claim: held, value: { at: 'ship' } })
  expect((await watching.until(isFrame('call-progress'))).at(-1)).toMatchObject({ frame: { value: { at: 'ship' } } })
  await watching.close()
  const late = await followStream(there, 'c1')
  expect((await late.until(isFrame('call-progress'))).at(-1)).toMatchObject({ frame: { value: { at: 'ship' } } })
  await post(callId, 'result', { claim: held, result: { parcel: 'p' } })
  expect((await late.until(isEvent('call.settled'))).filter(isFrame('call-progress'))).toEqual([])
  await late.close()
  await api.close()
  await runtime.close()
})

test('progress has a size limit', async () => {
  const callId = await shipping(here, 'c1')
  const [{ claim: held }] = (await claim()).body.items
  const said = await post(callId, 'progress', { claim: held, value: 'x'.repeat(64_000) })
  expect(said).toMatchObject({ status: 413, body: { code: 'too-large' } })
  expect((await post(callId, 'progress', { claim: held, value: 'x'.repeat(60_000) })).status).toBe(200)
})

test('a call can be found by id among many', async () => {
  const callId = await shipping(here, 'c1')
  await shipping(here, 'c2')
  const { body } = await here.ask('GET', `/api/holds?callId=${callId}`)
  expect(body.items).toMatchObject([{ conversationId: 'c1', callId }])
  const other = await here.ask('GET', `/api/holds?callId=${callId}`, { tenant: 'umbrella' })
  expect(other.body.items).toEqual([])
})
