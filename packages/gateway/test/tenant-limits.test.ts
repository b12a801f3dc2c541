import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, openStore } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'
import { gateway } from '@holdpoint/gateway'
import { storedAgents } from '../src/stored-agents.ts'
import { settingsFromEnv } from '../src/settings.ts'
import { kit, obedient, type Kit, type KitOptions } from './kit.ts'

async function start(options: KitOptions): Promise<Kit> {
  const here = await kit(options)
  onTestFinished(here.close)
  return here
}
const NOON = Date.UTC(2026, 0, 31, 12)

test('new keys do not raise the rate limit of a tenant', async () => {
  let now = NOON
  const here = await start({ limits: { tenantRate: { perSecond: 1, burst: 4 } }, now: () => now })
  const ask = async (): Promise<number> => {
    const { key } = await here.api.keys.create('acme', { name: 'fresh', scopes: ['reader'] })
    return (await here.ask('GET', '/api/conversations', { headers: { authorization: `Bearer ${key}` } })).status
  }
  const response = [await ask(), await ask(), await ask(), await ask(), await ask()]
  expect(response).toEqual([200, 200, 200, 200, 429])
  expect((await here.ask('GET', '/api/conversations', { tenant: 'umbrella' })).status).toBe(200)
  expect((await here.ask('GET', '/api/conversations')).body).toMatchObject({
    code: 'too-many-requests',
    detail: 'The tenant made too many requests, across all of its keys. Retry in 1 s.',
  })
  now += 1000
  expect(await ask()).toBe(200)
})

test('request bytes of a tenant are limited by burst and rate', async () => {
  let now = NOON
  const here = await start({ limits: { tenantBytes: { perSecond: 100, burst: 3000 } }, now: () => now })
  const send = (nth: number, tenant: 'acme' | 'umbrella' = 'acme') =>
    here.ask('POST', `/api/conversations/c${nth}/messages`, { body: { content: 'x'.repeat(1000) }, tenant })
  expect([(await send(1)).status, (await send(2)).status]).toEqual([202, 202])
  expect(await send(3)).toMatchObject({
    status: 429,
    body: { code: 'too-many-requests', detail: 'The tenant sent too many bytes in a short time. Retry in 1 s.' },
  })
  expect((await send(3, 'umbrella')).status).toBe(202)
  now += 10_000
  expect((await send(3)).status).toBe(202)
})

test('request bytes of a tenant are limited per day across gateways', async () => {
  let now = NOON
  const settings = { limits: { tenantBytesPerDay: 5000 }, now: () => now }
  const here = await start(settings)
  const another = gateway({ runtime: here.runtime, store: here.store, ...settings })
  const send = async (nth: number, api = another): Promise<Response> =>
    api.fetch(
      new Request(`http://localhost/api/conversations/c${nth}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${here.key('acme', 'agent')}`, 'content-type': 'application/json' },
        body: JSON.stringify({ content: 'x'.repeat(1000) }),
      }),
    )
  for (let nth = 0; nth < 4; nth++) expect((await send(nth, nth % 2 ? another : here.api)).status).toBe(202)
  const refused = await send(5)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, String(12 * 3600)])
  expect(await refused.json()).toMatchObject({
    detail: expect.stringContaining('reached its limit of 5000 bytes per day'),
  })
  expect((await here.ask('GET', '/api/conversations')).status).toBe(200)
  now += 12 * 3_600_000
  expect((await send(5)).status).toBe(202)
})

test('`maxSteps` of an agent as JSON and of a message is limited by the operator', async () => {
  const here = await start({ models: { small: scriptedModel([]) }, limits: { maxSteps: 20 } })
  const post = (maxSteps: number) => here.ask('POST', '/api/agents', { body: { name: 'a', model: 'small', maxSteps } })
  expect(await post(21)).toMatchObject({
    status: 422,
    body: { code: 'config-invalid', detail: 'agent.maxSteps: must be a whole number from 1 to 20, not 21.' },
  })
  expect((await post(20)).status).toBe(201)
  const send = (maxSteps: number) =>
    here.ask('POST', '/api/conversations/c1/messages', { body: { content: 'Hi', agent: 'desk', maxSteps } })
  expect(await send(21)).toMatchObject({
    status: 422,
    body: { detail: '"maxSteps" may be at most 20, by the operator\'s limits.' },
  })
  expect((await send(20)).status).toBe(202)
})

test('the limit of the gateway applies even if `storedAgents` has none', async () => {
  const { store, runtime } = await start({})
  const stored = storedAgents(store, { models: { small: scriptedModel([]) } })
  const ask = async (limits: { maxSteps?: number }, maxSteps: number): Promise<number> => {
    const here = await kit({ store, runtime, storedAgents: stored, limits })
    const body = { name: `a${Math.random()}`, model: 'small', maxSteps }
    return (await here.ask('POST', '/api/agents', { body })).status
  }
  expect([await ask({}, 100), await ask({}, 101)]).toEqual([201, 422])
  expect([await ask({ maxSteps: 20 }, 20), await ask({ maxSteps: 20 }, 21)]).toEqual([201, 422])
  const doc = await store.put({
    tenant: 'acme',
    kind: 'agent',
    id: 'old',
    data: { name: 'old', model: 'small', maxSteps: 1000 },
  })
  expect(doc.result).toBe('ok')
  expect(await stored.agentFor('acme', 'old'), 'an older document is limited too').toMatchObject({ maxSteps: 100 })
})

test('the number of keys and agents of a tenant is limited', async () => {
  let now = NOON
  const here = await start({
    models: { small: scriptedModel([]) },
    limits: { keysPerTenant: 2, agentsPerTenant: 1 },
    now: () => now,
  })
  const key = (more = {}) => here.ask('POST', '/api/keys', { body: { name: 'k', scopes: ['reader'], ...more } })
  const first = await key()
  expect([first.status, (await key({ ttlMs: 60_000 })).status]).toEqual([201, 201])
  expect(await key()).toMatchObject({
    status: 422,
    body: { code: 'limit-reached', detail: 'A tenant may have at most 2 keys. Revoke one that is not used.' },
  })
  expect((await here.ask('DELETE', `/api/keys/${first.body.id}`)).status).toBe(204)
  expect([(await key()).status, (await key()).status]).toEqual([201, 422])
  now += 60_000
  expect([(await key()).status, (await key()).status], 'one key has expired').toEqual([201, 422])

  const agent = (name: string) => here.ask('POST', '/api/agents', { body: { name, model: 'small' } })
  expect((await agent('a')).status).toBe(201)
  expect(await agent('b')).toMatchObject({ status: 422, body: { code: 'limit-reached' } })
  expect(await agent('a')).toMatchObject({ status: 409, body: { code: 'already-exists' } })
  expect((await here.ask('PUT', '/api/agents/a', { body: { name: 'a', model: 'small' } })).status).toBe(200)
  expect((await here.ask('DELETE', '/api/agents/a')).status).toBe(204)
  expect((await agent('b')).status).toBe(201)
})

test('concurrent creations at several gateways do not exceed the limits of keys and agents', async () => {
  const settings = { limits: { keysPerTenant: 5, agentsPerTenant: 5 } }
  const here = await start({ models: { small: scriptedModel([]) }, ...settings })
  const another = gateway({ runtime: here.runtime, store: here.store, ...settings })
  const post = async (nth: number, path: string, body: object): Promise<number> => {
    const headers = { authorization: `Bearer ${here.key('acme', 'admin')}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await (nth % 2 ? another : here.api).fetch(new Request(`http://localhost${path}`, init))).status
  }
  const many = Array.from({ length: 30 }, (_, nth) => nth)
  const keys = await Promise.all(many.map((nth) => post(nth, '/api/keys', { name: 'k', scopes: ['reader'] })))
  const agents = await Promise.all(many.map((nth) => post(nth, '/api/agents', { name: `a${nth}`, model: 'small' })))
  for (const response of [keys, agents]) expect(response.filter((status) => status === 201)).toHaveLength(5)
  expect((await here.ask('GET', '/api/agents')).body.items).toHaveLength(1 + 5)
})

test('response bytes of a tenant are limited by burst and rate, without affecting other tenants', async () => {
  let now = NOON
  const here = await start({
    models: { small: scriptedModel([]) },
    limits: { tenantAnswerBytes: { perSecond: 10_000, burst: 100_000 } },
    now: () => now,
  })
  const body = { name: 'long', model: 'small', instructions: 'x'.repeat(30_000) }
  expect((await here.ask('POST', '/api/agents', { body })).status).toBe(201)
  const read = () => here.ask('GET', '/api/agents/long', { as: 'reader' })
  const response = [await read(), await read(), await read()].map(({ status }) => status)
  expect(response).toEqual([200, 200, 429])
  expect(await read()).toMatchObject({
    body: { detail: expect.stringMatching(/^The tenant received too many bytes in a short time\. Retry in/) },
  })
  expect((await here.ask('GET', '/api/agents', { tenant: 'umbrella' })).status).toBe(200)
  now += 10_000
  expect((await read()).status).toBe(200)
})

test('a page of large agents ends early, and the next page continues', async () => {
  const here = await start({ models: { small: scriptedModel([]) } })
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const description = 'y'.repeat(9000)
  const tools = Array.from({ length: 45 }, (_, nth) => ({ name: `t${nth}`, description, executionType: 'internal' }))
  for (const name of names)
    expect((await here.ask('POST', '/api/agents', { body: { name, model: 'small', tools } })).status).toBe(201)
  const found: string[] = []
  const sizes: number[] = []
  for (let next: string | undefined = ''; next !== undefined;) {
    const from: string = next === '' ? '' : `&after=${next}`
    const { body } = await here.ask('GET', `/api/agents?limit=1000${from}`, { as: 'reader' })
    found.push(
      ...body.items
        .filter(({ source }: { source: string }) => source === 'config')
        .map((each: { name: string }) => each.name),
    )
    sizes.push(JSON.stringify(body).length)
    next = body.next
  }
  expect(found).toEqual(names)
  expect(Math.max(...sizes)).toBeLessThan(1_500_000)
  const first = await here.ask('GET', '/api/agents?limit=2')
  expect([first.body.items.length, first.body.next]).toEqual([1 + 2, 'b'])
})

test('a page of large events ends early, and the next page continues', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-pages-'))
  const store = await openStore(join(folder, 'a.db'))
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const runtime = await holdpoint({ store, agents: [agent({ name: 'desk', model: obedient })] })
  const here = await start({ store, runtime })
  const content = 'x'.repeat(900_000)
  for (let nth = 0; nth < 7; nth++)
    expect((await here.ask('POST', '/api/conversations/c1/messages?wait=20', { body: { content } })).status).toBe(200)
  const seqs: number[] = []
  const sizes: number[] = []
  for (let next: string | undefined = '0'; next !== undefined;) {
    const { body } = await here.ask('GET', `/api/conversations/c1/events?limit=1000&after=${next}`, { as: 'reader' })
    seqs.push(...body.items.map(({ seq }: { seq: number }) => seq))
    sizes.push(JSON.stringify(body).length)
    next = body.next as string | undefined
  }
  const last = (await store.heads([{ tenant: 'acme', id: 'c1' }]))[0] ?? 0
  expect(seqs).toEqual(Array.from({ length: last }, (_, nth) => nth + 1))
  expect(last).toBe(14)
  expect(sizes.length).toBeGreaterThan(1)
  expect(Math.max(...sizes)).toBeLessThan(5_000_000)
  await here.close()
})

test('a plan for every second is refused', async () => {
  const here = await start({})
  const plan = (cron: string) => here.ask('POST', '/api/agents/desk/plans', { body: { what: 'Look', cron } })
  expect(await plan('* * * * * *')).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining('names times that are 1 s apart, and here they are at least 60 s apart') },
  })
  expect((await plan('*/5 * * * *')).status).toBe(200)
})

test('limits come from one setting', () => {
  const read = (HOLDPOINT_LIMITS: string) => settingsFromEnv({ HOLDPOINT_LIMITS }).limits
  const limits = { maxSteps: 20, planEveryMs: 300_000, tenantRate: { perSecond: 50, burst: 100 } }
  expect(read(JSON.stringify(limits))).toEqual(limits)
  expect(read('')).toBeUndefined()
  expect(() => read('20')).toThrow('HOLDPOINT_LIMITS must be a JSON object')
  expect(() => read('{"maxStep":20}')).toThrow('HOLDPOINT_LIMITS has no limit "maxStep". The limits are bodyBytes, ')
  expect(() => read('{"maxSteps":"20"}')).toThrow('HOLDPOINT_LIMITS needs a number from 0 for "maxSteps"')
  expect(() => read('{"rate":20}')).toThrow(
    'HOLDPOINT_LIMITS needs {"perSecond":10,"burst":20} with numbers above 0 for "rate"',
  )
})
