/** A key that is limited to tools: a worker sees, claims and resolves the calls of these tools and no others. */
import { agent, holdpoint, memoryStore, tool } from 'holdpoint'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { gateway, type Gateway } from '@holdpoint/gateway'
import type { CreateKey } from '@holdpoint/protocol'
import { obedient } from './kit.ts'

// oxlint-disable-next-line typescript/no-explicit-any
type Ask = (method: string, path: string, body?: unknown) => Promise<{ readonly status: number; readonly body: any }>

const external = { executor: 'external', timeout: '1 h' } as const
const ship = tool({ name: 'ship', description: 'Ships.', ...external, input: z.object({ to: z.string() }) })
const refund = tool({ name: 'refund', description: 'Refunds.', ...external, input: z.object({ euros: z.number() }) })
const ask = tool({ name: 'ask', description: 'Asks.', executor: 'human', input: z.looseObject({}) })

let api: Gateway
let admin: Ask
let shipper: Ask
let worker: Ask
/** The calls that wait, by tool. */
let calls: Readonly<Record<'ship' | 'refund' | 'ask', string>>

beforeEach(async () => {
  const store = memoryStore({ now: Date.now })
  const desk = agent({ name: 'desk', model: obedient, tools: [ship, refund, ask] })
  const runtime = await holdpoint({ store, agents: [desk] })
  api = gateway({ runtime, store, agents: [desk] })
  onTestFinished(async () => {
    await api.close()
    await runtime.close()
  })
  admin = asking((await api.keys.create('acme', { name: 'admin', scopes: ['admin'], mayActFor: true })).key)
  shipper = asking((await api.keys.create('acme', { name: 'shipper', scopes: ['worker'], tools: ['ship'] })).key)
  worker = asking((await api.keys.create('acme', { name: 'worker', scopes: ['worker'] })).key)
  calls = { ship: await held('ship Ada'), refund: await held('refund 5'), ask: await held('ask size') }
})

function asking(key: string): Ask {
  return async (method, path, body) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await api.fetch(new Request(`http://localhost${path}`, { method, headers, ...sent }))
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
}

async function held(text: string): Promise<string> {
  const id = text.split(' ')[0] ?? ''
  await admin('POST', `/api/conversations/${id}/messages`, { content: text })
  return vi.waitFor(async () => (await admin('GET', `/api/holds?conversationId=${id}`)).body.items[0].callId as string)
}

const runOf = (callId: string): string => callId.split('.')[0] ?? ''

test('a limited worker claims, renews, resolves and looks up calls of its tools', async () => {
  const [claimed] = (await shipper('POST', '/api/calls/claim', { tools: ['ship'] })).body.items
  expect(claimed).toMatchObject({ callId: calls.ship, name: 'ship' })
  const { claim } = claimed
  expect((await shipper('POST', `/api/calls/${calls.ship}/progress`, { claim })).status).toBe(200)
  expect((await shipper('GET', `/api/calls/${calls.ship}`)).body).toMatchObject({ name: 'ship' })
  expect((await shipper('GET', `/api/holds/ship/${calls.ship}`)).body).toMatchObject({ name: 'ship' })
  const result = { claim, result: { parcel: 'p1' } }
  for (const verdict of ['accepted', 'duplicate'])
    expect(await shipper('POST', `/api/calls/${calls.ship}/result`, result)).toMatchObject({ body: { verdict } })
})

test('a limited worker sees no hold of another tool, and no question for a person', async () => {
  const names = async (as: Ask): Promise<unknown> =>
    (await as('GET', '/api/holds')).body.items.map(({ name }: { name: string }) => name)
  expect(await names(worker)).toEqual(['ship', 'refund', 'ask'])
  expect(await names(shipper)).toEqual(['ship'])
})

test('a claim that names another tool is refused, and claims nothing', async () => {
  const refused = await shipper('POST', '/api/calls/claim', { tools: ['ship', 'refund'] })
  expect(refused).toMatchObject({
    status: 403,
    body: { code: 'scope-missing', detail: expect.stringContaining('refund') },
  })
  expect((await worker('POST', '/api/calls/claim', { tools: ['ship', 'refund'], max: 5 })).body.items).toHaveLength(2)
})

test('a call of another tool does not exist for a limited worker, even with the claim of another worker', async () => {
  const [{ claim }] = (await worker('POST', '/api/calls/claim', { tools: ['refund'] })).body.items
  const post = (callId: string, what: string, body: object): ReturnType<Ask> =>
    shipper('POST', `/api/calls/${callId}/${what}`, body)
  for (const callId of [calls.refund, calls.ask, 'no-such.call']) {
    const run = runOf(callId)
    for (const answer of [
      await post(callId, 'progress', { claim }),
      await post(callId, 'result', { claim, result: { paid: true } }),
      await post(callId, 'release', { claim }),
      await shipper('POST', `/api/runs/${run}/tool-results`, { callId, result: { paid: true } }),
      await shipper('POST', `/api/runs/${run}/tool-results`, { callId, conversationId: 'refund', result: 1 }),
    ])
      expect(answer).toMatchObject({
        status: 404,
        body: { code: 'unknown', detail: `There is no call ${callId} for workers.` },
      })
    const looked = await shipper('GET', `/api/calls/${callId}`)
    expect(looked).toMatchObject({ status: 404, body: { detail: `There is no call ${callId} that was ever held.` } })
    expect((await shipper('GET', `/api/holds/refund/${callId}`)).status).toBe(404)
  }
  expect((await worker('POST', `/api/calls/${calls.refund}/result`, { claim, result: 1 })).status).toBe(200)
})

test('a limited worker reads no log, which would show it every call', async () => {
  await admin('POST', '/api/spaces', { id: 's', name: 'S', by: 'ada' })
  for (const path of ['/api/conversations/ship/events', '/api/conversations/refund/events', '/api/spaces/s/events'])
    expect(await shipper('GET', path), path).toMatchObject({ status: 403, body: { code: 'scope-missing' } })
  expect((await worker('GET', '/api/conversations/ship/events')).status).toBe(200)
})

test('a limited key is created over HTTP, is listed with its tools, and knows them', async () => {
  const create = (more: Partial<CreateKey>): ReturnType<Ask> =>
    admin('POST', '/api/keys', { name: 'w', scopes: ['worker'], tools: ['ship'], ...more })
  const { key } = (await create({})).body
  expect((await asking(key)('GET', '/api/me')).body).toMatchObject({ scopes: ['worker'], tools: ['ship'] })
  expect((await admin('GET', '/api/keys')).body.items).toContainEqual(
    expect.objectContaining({ name: 'w', tools: ['ship'] }),
  )
  // Another scope would reach the calls of every tool.
  for (const scopes of [['worker', 'resolver'], ['admin'], ['agent']] as const)
    expect(await create({ scopes })).toMatchObject({ status: 422, body: { code: 'config-invalid' } })
  expect((await create({ tools: [] })).status).toBe(422)
})
