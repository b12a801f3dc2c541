import { afterEach, beforeEach, expect, test } from 'vitest'
import { gateway } from '@holdpoint/gateway'
import { holdpoint, memoryStore } from 'holdpoint'
import { follow, isEvent, isFrame } from './follow.ts'
import { kit, shipping, type Kit, type Told } from './kit.ts'

let here: Kit
beforeEach(async () => {
  here = await kit()
})
afterEach(() => here.close())

const claim = (body: object = {}): ReturnType<Kit['ask']> =>
  here.ask('POST', '/api/calls/claim', { as: 'worker', body: { tools: ['ship'], ...body } })
const post = (callId: string, what: string, body: object): ReturnType<Kit['ask']> =>
  here.ask('POST', `/api/calls/${callId}/${what}`, { as: 'worker', body })

test('several workers share the calls, and none is given twice', async () => {
  const calls = await Promise.all(Array.from({ length: 12 }, (_, nth) => shipping(here, `c${nth}`)))
  const claimed = await Promise.all(Array.from({ length: 6 }, () => claim({ max: 3 })))
  const ids = claimed.flatMap(({ body }) => body.items.map(({ callId }: { callId: string }) => callId)) as string[]
  expect(ids).toHaveLength(calls.length)
  expect(new Set(ids)).toEqual(new Set(calls))
})

test('a worker that is not heard of loses its claim, and what it brings later is told so', async () => {
  let now = Date.now()
  const { put, get, documents } = memoryStore({ now: () => now })
  const store = { ...here.store, put, get, documents }
  const door = gateway({ runtime: here.runtime, store, now: () => now })
  const { key } = await door.keys.create('acme', { name: 'w', scopes: ['worker'] })
  const callId = await shipping(here, 'c1')
  const ask = async (path: string, body: object): Promise<Pick<Told, 'status' | 'body'>> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const url = `http://localhost/api/calls/${path}`
    const told = await door.fetch(new Request(url, { method: 'POST', headers, body: JSON.stringify(body) }))
    return { status: told.status, body: await told.json() }
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
  const told = await ask(`${callId}/result`, { claim: second.claim, result: { parcel: 'new' } })
  expect(told).toMatchObject({ status: 200, body: { verdict: 'accepted' } })
  await door.close()
})

test('a call that was given back is free for the next worker', async () => {
  const callId = await shipping(here, 'c1')
  const [first] = (await claim()).body.items
  expect((await post(callId, 'release', { claim: first.claim })).status).toBe(204)
  const [second] = (await claim()).body.items
  expect(second.callId).toBe(callId)
  expect((await post(callId, 'release', { claim: first.claim })).status).toBe(409)
})

test('a result that does not fit the tool may be given again; the claim stays', async () => {
  const callId = await shipping(here, 'c1')
  const [{ claim: held }] = (await claim()).body.items
  expect(await post(callId, 'result', { claim: held, result: { parcel: 1 } })).toMatchObject({
    status: 422,
    body: { code: 'invalid' },
  })
  expect((await post(callId, 'result', { claim: held, result: { parcel: 'p' } })).status).toBe(200)
})

test('a worker that waits is given the call as soon as there is one', async () => {
  const waiting = claim({ wait: 20 })
  const started = Date.now()
  const callId = await shipping(here, 'c1')
  expect((await waiting).body.items).toMatchObject([{ callId }])
  expect(Date.now() - started).toBeLessThan(19_000)
})

test('a worker carries calls out; it does not answer in the place of a person', async () => {
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

test('a result by the id of its run finds its conversation, and an unknown one is told so', async () => {
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

test('what a worker says to one node is seen on another, and by whoever comes there late', async () => {
  const callId = await shipping(here, 'c1')
  const runtime = await holdpoint({ store: here.store, agentFor: async () => undefined, drive: false })
  const door = gateway({ runtime, store: here.store })
  const there = { ...here, door }
  const watching = await follow(there, 'c1')
  await watching.until(isEvent('call.held'))
  const [{ claim: held }] = (await claim()).body.items
  await post(callId, 'progress', { claim: held, value: { at: 'depot' } })
  const seen = await watching.until(isFrame('call-progress'))
  expect(seen.at(-1)).toMatchObject({ frame: { callId, value: { at: 'depot' } } })
  await post(callId, 'progress', { claim: held })
  await post(callId, 'progress', { claim: held, value: { at: 'ship' } })
  expect((await watching.until(isFrame('call-progress'))).at(-1)).toMatchObject({ frame: { value: { at: 'ship' } } })
  await watching.close()
  const late = await follow(there, 'c1')
  expect((await late.until(isFrame('call-progress'))).at(-1)).toMatchObject({ frame: { value: { at: 'ship' } } })
  await post(callId, 'result', { claim: held, result: { parcel: 'p' } })
  expect((await late.until(isEvent('call.settled'))).filter(isFrame('call-progress'))).toEqual([])
  await late.close()
  await door.close()
  await runtime.close()
})

test('what is said of a call has a size', async () => {
  const callId = await shipping(here, 'c1')
  const [{ claim: held }] = (await claim()).body.items
  const said = await post(callId, 'progress', { claim: held, value: 'x'.repeat(64_000) })
  expect(said).toMatchObject({ status: 413, body: { code: 'too-large' } })
  expect((await post(callId, 'progress', { claim: held, value: 'x'.repeat(60_000) })).status).toBe(200)
})

test('a call is found by its id, whatever else waits', async () => {
  const callId = await shipping(here, 'c1')
  await shipping(here, 'c2')
  const { body } = await here.ask('GET', `/api/holds?callId=${callId}`)
  expect(body.items).toMatchObject([{ conversationId: 'c1', callId }])
  const other = await here.ask('GET', `/api/holds?callId=${callId}`, { tenant: 'umbrella' })
  expect(other.body.items).toEqual([])
})
