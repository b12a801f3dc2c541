/** A call can be found by its id while it waits, after its answer and after its deadline. */
import { manualClock, scriptedModel, testPorts, type ManualClock } from '@holdpoint/testing'
import { agent, memoryStore, Runtime, tool, type LogEvent } from 'holdpoint'
import { gateway, type Gateway } from '@holdpoint/gateway'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { SCOPES } from './kit.ts'

const keyOf = (scope: string, tenant = 'acme'): string => `hp_${tenant}_${scope}`.padEnd(40, '0')
const KEYS = ['acme', 'umbrella'].flatMap((tenant) =>
  SCOPES.map((scope) => ({ key: keyOf(scope, tenant), tenant, scopes: [scope] })),
)
const external = { description: 'Elsewhere', executor: 'external', timeout: '10 s', input: z.object({}) } as const

let clock: ManualClock
let runtime: Runtime
let api: Gateway
beforeEach(async () => {
  clock = manualClock()
  const store = memoryStore({ now: clock.now })
  const tools = [
    tool({ ...external, name: 'welcome', late: 'inbox' }),
    tool({ ...external, name: 'strict', late: 'reject' }),
    tool({ ...external, name: 'later', async: true }),
    tool({ name: 'ask', description: 'Ask', executor: 'human', timeout: '1 h', input: z.object({}) }),
  ]
  const model = scriptedModel(({ prompt }) => {
    const last = prompt.at(-1)
    const [name] = last?.role === 'user' ? (/welcome|strict|later|ask/.exec(JSON.stringify(last.parts)) ?? []) : []
    return name === undefined || JSON.stringify(prompt).includes('"assistant"') ? 'Done.' : { calls: [{ name }] }
  })
  const agents = [agent({ name: 'desk', model, tools })]
  runtime = await Runtime.open({ store, agents, ports: testPorts({ clock }) })
  api = gateway({ runtime, store, agents, auth: { keys: KEYS }, now: clock.now })
})
afterEach(async () => {
  await api.close()
  await runtime.close()
})

interface KitResponse {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

async function ask(method: string, path: string, body?: object, as = 'worker', tenant = 'acme'): Promise<KitResponse> {
  const headers = { authorization: `Bearer ${keyOf(as, tenant)}`, 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await api.fetch(new Request(`http://localhost/api/${path}`, { method, headers, ...sent }))
  return { status: response.status, body: await response.json() }
}

const events = (id: string): Promise<readonly LogEvent[]> => runtime.tenant('acme').events(id)
const give = (callId: string, result: unknown, as?: string): Promise<KitResponse> =>
  ask('POST', `runs/${callId.split('.')[0]}/tool-results`, { callId, result }, as)
const show = (callId: string, as?: string, tenant?: string): Promise<KitResponse> =>
  ask('GET', `calls/${callId}`, undefined, as, tenant)

/** Starts a call in a conversation named after the tool. */
async function callOf(name: string): Promise<string> {
  await runtime.tenant('acme').submit(name, name)
  return vi.waitFor(async () => {
    const held = (await events(name)).find((event) => event.type === 'call.held')
    if (!held) throw new Error('not yet')
    return held.callId
  })
}

/** Advances the clock past the deadline and waits for the expiry. */
async function expire(name: string): Promise<void> {
  await vi.waitFor(async () => {
    await clock.advance(6000)
    expect((await runtime.tenant('acme').view(name))?.status).toBe('idle')
  })
}

async function atRest(id: string): Promise<void> {
  await vi.waitFor(async () => expect((await runtime.tenant('acme').view(id))?.status).toBe('idle'))
}

test('a repeated result by call id is a duplicate, and a different one a conflict', async () => {
  const callId = await callOf('strict')
  expect(await give(callId, 1)).toMatchObject({ status: 200, body: { verdict: 'accepted' } })
  await atRest('strict')
  expect(await give(callId, 1)).toMatchObject({ status: 200, body: { verdict: 'duplicate' } })
  expect(await give(callId, 2)).toMatchObject({ status: 409, body: { code: 'conflict' } })
})

test('a late result by call id reaches the inbox, or gets `expired`', async () => {
  const [welcome, strict] = [await callOf('welcome'), await callOf('strict')]
  await expire('welcome')
  await expire('strict')
  expect(await give(welcome, 'late')).toMatchObject({ status: 200, body: { verdict: 'accepted' } })
  expect((await events('welcome')).some(({ type }) => type === 'answer.arrived')).toBe(true)
  expect(await give(welcome, 'late')).toMatchObject({ status: 200, body: { verdict: 'duplicate' } })
  expect(await give(strict, 'late')).toMatchObject({ status: 410, body: { code: 'expired' } })
})

test('a call is waiting, pending or resolved, and a settled call can be found by id', async () => {
  const status = async (callId: string): Promise<string> => (await show(callId)).body.status
  const [welcome, strict, later] = [await callOf('welcome'), await callOf('strict'), await callOf('later')]
  expect([await status(welcome), await status(strict), await status(later)]).toEqual(['waiting', 'waiting', 'pending'])
  await give(later, 'here')
  await expire('welcome')
  await expire('strict')
  expect([await status(welcome), await status(strict), await status(later)]).toEqual([
    'pending',
    'resolved',
    'resolved',
  ])
  await give(welcome, 'late')
  expect((await show(welcome)).body).toMatchObject({
    callId: welcome,
    conversationId: 'welcome',
    runId: welcome.split('.')[0],
    name: 'welcome',
    kind: 'external',
    status: 'resolved',
    outcome: { ok: true, value: 'late' },
  })
})

test('calls can be listed by status', async () => {
  const [strict, later] = [await callOf('strict'), await callOf('later')]
  const list = async (query: string): Promise<unknown> =>
    (await ask('GET', `calls?${query}`, undefined, 'reader')).body.items.map(({ callId }: { callId: string }) => callId)
  expect(await list('status=waiting')).toEqual([strict])
  expect(await list('status=pending')).toEqual([later])
  await give(strict, 1)
  expect(await list('status=waiting')).toEqual([])
  expect(await list('status=resolved&conversationId=strict')).toEqual([strict])
  expect(await list('status=waiting&conversationId=strict')).toEqual([])
  expect(await list('conversationId=strict')).toEqual([strict])
  expect(await ask('GET', 'calls?status=resolved', undefined, 'reader')).toMatchObject({ status: 422 })
  expect(await ask('GET', 'calls?status=gone', undefined, 'reader')).toMatchObject({ status: 422 })
})

test('a call past its deadline that accepts a late result is listed as pending in its conversation', async () => {
  const welcome = await callOf('welcome')
  await expire('welcome')
  const list = async (query: string): Promise<unknown> =>
    (await ask('GET', `calls?${query}`, undefined, 'reader')).body.items.map(({ callId }: { callId: string }) => callId)
  expect(await list('status=pending&conversationId=welcome')).toEqual([welcome])
  expect(await list('status=pending')).toEqual([])
})

test.each(['abc', '-1', '1.5'])('the invalid page cursor %j is refused', async (after) => {
  await callOf('strict')
  const response = await ask('GET', `calls?conversationId=strict&after=${after}`, undefined, 'reader')
  expect(response.status).toBe(422)
})

test('calls of another tenant, calls without a hold and, for workers, calls for people are not found', async () => {
  const [strict, person] = [await callOf('strict'), await callOf('ask')]
  expect(await show(strict, 'reader', 'umbrella')).toMatchObject({ status: 404, body: { code: 'unknown' } })
  expect(await show('no.1.1', 'reader')).toMatchObject({ status: 404, body: { code: 'unknown' } })
  expect(await show(person, 'worker')).toMatchObject({ status: 404, body: { code: 'unknown' } })
  expect(await show(person, 'reader')).toMatchObject({ status: 200, body: { status: 'waiting' } })
})
