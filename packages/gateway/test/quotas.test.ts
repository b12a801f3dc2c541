/** Quotas of a tenant over HTTP: what a caller is told, what the operator reads, and the usage. */
import { memoryStore } from 'holdpoint'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { LogLine } from '../src/gateway-options.ts'
import { kit, type Kit, type KitOptions } from './kit.ts'

async function start(options: KitOptions): Promise<Kit & { readonly lines: LogLine[] }> {
  const lines: LogLine[] = []
  const here = await kit({ log: (line) => void lines.push(line), ...options })
  onTestFinished(here.close)
  return { ...here, lines }
}

const say = ({ ask }: Kit, id: string, tenant: 'acme' | 'umbrella' = 'acme') =>
  ask('POST', `/api/conversations/${id}/messages?wait=5`, { body: { content: 'Hello' }, tenant })

test('a tenant at its quota of conversations is told so, and so is the operator, once', async () => {
  const quotas = (tenant: string) => (tenant === 'acme' ? { conversations: 1 } : undefined)
  const here = await start({ program: { quotas } })
  expect((await say(here, 'c1')).status).toBe(200)
  for (const refused of [
    await say(here, 'c2'),
    await here.ask('POST', '/api/conversations', { body: { id: 'c3' } }),
    await here.ask('POST', '/api/spaces', { body: { id: 'room', name: 'Room' } }),
  ])
    expect(refused).toMatchObject({
      status: 403,
      body: {
        code: 'quota-exceeded',
        detail: 'The tenant reached its quota of 1 conversations. Erase some, or ask the operator for a higher quota.',
      },
    })
  expect((await say(here, 'c1')).status).toBe(200)
  expect((await say(here, 'c2', 'umbrella')).status).toBe(200)
  expect(here.lines.filter(({ reason }) => reason === 'quota-conversations')).toEqual([
    { level: 'warn', tenant: 'acme', reason: 'quota-conversations', message: expect.stringContaining('"acme"') },
  ])
})

test('model calls over the quota are delayed; with as many delayed, a message is told when to retry', async () => {
  // A clock that begins a minute now.
  const late = Date.now() % 60_000
  const here = await start({
    store: memoryStore({ now: () => Date.now() - late }),
    program: { quotas: { modelCallsPerMinute: 1 }, graceMs: 0, onProblem: () => {} },
  })
  const send = (id: string) => here.ask('POST', `/api/conversations/${id}/messages`, { body: { content: 'Hello' } })
  const used = async () => (await here.ask('GET', '/api/usage')).body
  await send('c1')
  await vi.waitFor(async () => expect(await used()).toMatchObject({ modelCallsPerMinute: { used: 1, limit: 1 } }))
  expect((await send('c2')).status).toBe(202)
  await vi.waitFor(async () => expect(await used()).toMatchObject({ modelCallsWaiting: 1 }))
  const refused = await send('c3')
  expect(refused).toMatchObject({ status: 429, body: { code: 'too-many-requests' } })
  expect(refused.body.detail).toContain('quota of 1 model calls per minute')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  expect(here.lines).toContainEqual(expect.objectContaining({ reason: 'quota-model-calls-per-minute' }))
})

test('the usage of a tenant, with its quotas, is for its admins', async () => {
  const here = await start({
    program: { quotas: { conversations: 5, storedBytes: 1_000_000 } },
    limits: { tenantBytesPerDay: 5000, tenantRate: { perSecond: 1, burst: 100 } },
  })
  await say(here, 'c1')
  const { status, body } = await here.ask('GET', '/api/usage')
  expect(status).toBe(200)
  expect(body).toEqual({
    conversations: { used: 1, limit: 5 },
    storedBytes: { used: expect.any(Number), limit: 1_000_000 },
    modelCallsPerMinute: { used: 0 },
    modelCallsWaiting: 0,
    bytesSentToday: { used: expect.any(Number), limit: 5000 },
    requests: { used: expect.any(Number), limit: 100 },
  })
  expect(body.bytesSentToday.used).toBeGreaterThan(0)
  expect(body.requests.used).toBeGreaterThan(0)
  expect((await here.ask('GET', '/api/usage', { tenant: 'umbrella' })).body.conversations.used).toBe(0)
  expect((await here.ask('GET', '/api/usage', { as: 'agent' })).status).toBe(403)
})

test('the operator reads which limit of requests or bytes a tenant reached', async () => {
  const here = await start({
    limits: { tenantRate: { perSecond: 1, burst: 3 }, tenantBytes: { perSecond: 1, burst: 25 } },
  })
  expect([(await say(here, 'c1')).status, (await say(here, 'c1')).status]).toEqual([200, 429])
  for (let nth = 0; nth < 5; nth++) await here.ask('GET', '/api/conversations')
  expect(here.lines.map(({ reason }) => reason)).toEqual(['quota-bytes', 'quota-requests'])
})

test('a plan over the quota is refused', async () => {
  const here = await start({ program: { quotas: { plans: 1 } } })
  const plan = (id: string) =>
    here.ask('POST', '/api/agents/desk/plans', { body: { id, what: 'Stretch', runAfter: '1 day' } })
  expect((await plan('first')).status).toBe(200)
  expect(await plan('second')).toMatchObject({ status: 403, body: { code: 'quota-exceeded' } })
  expect((await plan('first')).status).toBe(200)
  expect((await here.ask('GET', '/api/usage')).body.plans).toEqual({ used: 1, limit: 1 })
})
