/** Quotas of a tenant over HTTP: what a caller is told, what the operator reads, and the usage. */
import { memoryStore, type QuotaReached } from 'holdpoint'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
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

describe('a counter', () => {
  /** The way an operator counts: no label has more values than there are quotas. */
  function counter() {
    const counts: Record<string, number> = {}
    const onQuotaReached = ({ quota, effect }: QuotaReached): void => {
      counts[`${quota} ${effect}`] = (counts[`${quota} ${effect}`] ?? 0) + 1
    }
    return { counts, onQuotaReached }
  }

  test('counts each refused conversation, message and plan of a tenant at its quota', async () => {
    const { counts, onQuotaReached } = counter()
    const tenants: string[] = []
    const here = await start({
      program: {
        quotas: (tenant) => (tenant === 'acme' ? { conversations: 1, storedBytes: 1, plans: 0 } : undefined),
        onQuotaReached: (reached) => {
          tenants.push(reached.tenant)
          onQuotaReached(reached)
        },
      },
    })
    await here.ask('POST', '/api/agents/desk/plans', { body: { id: 'p', what: 'Stretch', runAfter: '1 day' } })
    expect(counts).toEqual({ 'plans refused': 1 })
    await say(here, 'c1')
    for (let nth = 0; nth < 3; nth++) await say(here, `c${nth + 2}`, 'umbrella')
    expect(counts).toEqual({ 'plans refused': 1 })
    expect([...new Set(tenants)]).toEqual(['acme'])
  })

  test.each([
    ['conversations', { conversations: 1 }],
    ['storedBytes', { storedBytes: 0 }],
  ])('counts what is refused at the quota of %s, each time', async (quota, quotas) => {
    const { counts, onQuotaReached } = counter()
    const here = await start({ program: { quotas, onQuotaReached } })
    await say(here, 'c1')
    const before = counts[`${quota} refused`] ?? 0
    for (let nth = 0; nth < 3; nth++) expect((await say(here, `x${nth}`)).status).toBe(403)
    expect(counts).toEqual({ [`${quota} refused`]: before + 3 })
  })

  test('counts model calls that wait, and messages that are refused meanwhile', async () => {
    const { counts, onQuotaReached } = counter()
    const late = Date.now() % 60_000
    const here = await start({
      store: memoryStore({ now: () => Date.now() - late }),
      program: { quotas: { modelCallsPerMinute: 1 }, graceMs: 0, onProblem: () => {}, onQuotaReached },
    })
    const send = (id: string) => here.ask('POST', `/api/conversations/${id}/messages`, { body: { content: 'Hello' } })
    await send('c1')
    await vi.waitFor(async () => expect((await here.ask('GET', '/api/usage')).body.modelCallsPerMinute.used).toBe(1))
    await send('c2')
    await vi.waitFor(() => expect(counts).toEqual({ 'modelCallsPerMinute delayed': 1 }))
    expect((await send('c3')).status).toBe(429)
    expect(counts).toEqual({ 'modelCallsPerMinute delayed': 1, 'modelCallsPerMinute refused': 1 })
  })

  test('counts requests over the limits of a tenant', async () => {
    const { counts, onQuotaReached } = counter()
    const here = await start({
      limits: { tenantRate: { perSecond: 0.001, burst: 3 }, tenantBytes: { perSecond: 0.001, burst: 25 } },
      onQuotaReached,
    })
    expect([(await say(here, 'c1')).status, (await say(here, 'c1')).status]).toEqual([200, 429])
    expect(counts).toEqual({ 'bytes refused': 1 })
    for (let nth = 0; nth < 5; nth++) await here.ask('GET', '/api/conversations')
    expect(counts).toEqual({ 'bytes refused': 1, 'requests refused': 4 })
  })

  test('that throws changes no response, and is in the log', async () => {
    const problems: unknown[] = []
    const onQuotaReached = (): never => {
      throw new Error('The counter is broken.')
    }
    const onProblem = ({ error }: { readonly error: unknown }): void => void problems.push(error)
    const limits = { tenantRate: { perSecond: 0.001, burst: 2 } }
    const program = { quotas: { conversations: 0 }, onQuotaReached, onProblem }
    const here = await start({ limits, onQuotaReached, program })
    expect([(await say(here, 'c1')).status, (await say(here, 'c1')).status]).toEqual([403, 403])
    expect((await say(here, 'c1')).status).toBe(429)
    expect(problems.map(String)).toEqual([
      expect.stringContaining('The counter is broken.'),
      expect.stringContaining('The counter is broken.'),
    ])
    expect(here.lines.map(({ message }) => message).join()).toContain('The counter is broken.')
  })
})
