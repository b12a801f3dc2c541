/** Who may decide over HTTP: people are what authentication says, and never what a body says. */
import { SignJWT } from 'jose'
import { agent, holdpoint, memoryStore, tool, type Store } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { gateway, type Gateway, type GatewayOptions, type LogLine } from '@holdpoint/gateway'
import { obedient } from './kit.ts'

const SECRET = 's'.repeat(40)

interface Here {
  readonly api: Gateway
  readonly store: Store
  readonly lines: readonly LogLine[]
  /** A person with a token. */
  person(sub: string, groups?: readonly string[], scope?: string): Promise<Ask>
  program(name: string, mayActFor?: true | readonly string[]): Promise<Ask>
}

// oxlint-disable-next-line typescript/no-explicit-any
type Ask = (method: string, path: string, body?: unknown) => Promise<{ readonly status: number; readonly body: any }>

async function open(options: Partial<GatewayOptions> = {}): Promise<Here> {
  const store = memoryStore({ now: Date.now })
  const refund = tool({
    name: 'refund',
    description: 'Pays money back.',
    input: z.looseObject({ euros: z.number() }),
    approval: { required: true, approvers: { anyOf: ['group:finance'], count: 2 } },
    run: () => 'paid',
  })
  const ask = tool({ name: 'ask', description: 'Asks a person.', executor: 'human', input: z.looseObject({}) })
  const desk = agent({ name: 'desk', model: obedient, tools: [refund, ask] })
  const runtime = await holdpoint({ store, agents: [desk] })
  const lines: LogLine[] = []
  const { auth, ...rest } = options
  const api = gateway({
    runtime,
    store,
    agents: [desk],
    auth: { tokens: { secret: SECRET, issuer: 'i', audience: 'a' }, ...auth },
    log: (line) => lines.push(line),
    ...rest,
  })
  onTestFinished(async () => {
    await api.close()
    await runtime.close()
  })
  const as = (authorization: string): Ask => asking(api, { authorization: `Bearer ${authorization}` })
  return {
    api,
    store,
    lines,
    person: async (sub, groups, scope = 'agent reader') => as(await token({ sub, groups, scope })),
    program: async (name, mayActFor) =>
      as((await api.keys.create('acme', { name, scopes: ['agent', 'resolver'], ...(mayActFor && { mayActFor }) })).key),
  }
}

function asking(api: Gateway, headers: Readonly<Record<string, string>>): Ask {
  return async (method, path, body) => {
    const json = body === undefined ? {} : { body: JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await api.fetch(
      new Request(`http://localhost${path}`, { method, headers: { ...headers, ...type }, ...json }),
    )
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
}

function token(claims: Readonly<Record<string, unknown>>): Promise<string> {
  return new SignJWT({ tenant: 'acme', ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('i')
    .setAudience('a')
    .setExpirationTime('10m')
    .sign(new TextEncoder().encode(SECRET))
}

/** Asks for something that is held, and returns the path of the hold. */
async function held(asker: Ask, text: string, id = 'c'): Promise<string> {
  const { body } = await asker('POST', `/api/conversations/${id}/messages?wait=5`, { content: text })
  return `/api/holds/${id}/${body.result.holds[0].callId}`
}

const approve = { kind: 'approve' }

test('a customer asks, two people of finance approve, and neither the customer nor a stranger counts', async () => {
  const here = await open()
  const [cleo, ann, bob, eve] = await Promise.all([
    here.person('cleo', ['finance']),
    here.person('ann', ['finance']),
    here.person('bob', ['finance']),
    here.person('eve'),
  ])
  const hold = await held(cleo, 'refund 5')
  expect((await cleo('POST', `${hold}/resolve`, approve)).status).toBe(403)
  expect((await eve('POST', `${hold}/resolve`, approve)).status).toBe(403)
  expect((await eve('POST', `${hold}/assign`, {})).status).toBe(403)
  expect((await ann('POST', `${hold}/assign`, {})).status).toBe(200)
  expect((await bob('POST', `${hold}/comments`, { text: 'Looks right.' })).status).toBe(201)
  expect(await bob('GET', hold)).toMatchObject({ body: { assignee: 'ann', comments: [{ by: 'bob' }] } })
  expect(await ann('POST', `${hold}/resolve`, approve)).toMatchObject({ status: 200, body: { remaining: 1 } })
  expect(await ann('POST', `${hold}/resolve`, approve)).toMatchObject({ body: { verdict: 'duplicate', remaining: 1 } })
  expect(await bob('POST', `${hold}/resolve`, approve)).toMatchObject({ body: { verdict: 'accepted', remaining: 0 } })
})

test('one key with two names is one approver, and a key acts for people only with that right', async () => {
  const here = await open()
  const cleo = await here.person('cleo')
  const hold = await held(cleo, 'refund 5')
  const plain = await here.program('plain')
  for (const by of ['ann', 'bob'])
    expect(await plain('POST', `${hold}/resolve`, { ...approve, by })).toMatchObject({
      status: 403,
      body: { code: 'scope-missing', detail: expect.stringContaining('mayActFor') },
    })
  const slack = await here.program('slack', ['ann', 'bob'])
  expect((await slack('POST', `${hold}/resolve`, { ...approve, by: 'eve' })).status).toBe(403)
  // Neither is in a group as far as the gateway knows.
  expect((await slack('POST', `${hold}/resolve`, { ...approve, by: 'ann' })).status).toBe(403)
  const admin = await here.person('root', [], 'admin')
  for (const id of ['ann', 'bob']) await admin('PUT', `/api/people/${id}`, { groups: ['finance'] })
  expect((await slack('POST', `${hold}/resolve`, { ...approve, by: 'ann' })).status).toBe(200)
  await admin('PUT', '/api/people/bob', { groups: [] })
  expect((await slack('POST', `${hold}/resolve`, { ...approve, by: 'bob' })).status).toBe(403)
  await admin('PUT', '/api/people/bob', { groups: ['finance'] })
  expect((await slack('POST', `${hold}/resolve`, { ...approve, by: 'bob' })).status).toBe(200)
  const events = await here.store.read({ tenant: 'acme', id: 'c' }, 0)
  expect(events.filter(({ type }) => type === 'call.endorsed')).toMatchObject([
    { by: 'ann', via: 'key:slack' },
    { by: 'bob', via: 'key:slack' },
  ])
})

test('a delegate decides in the place of a person, until that ends', async () => {
  const here = await open()
  const [cleo, ann, eve] = await Promise.all([here.person('cleo'), here.person('ann', ['finance']), here.person('eve')])
  const hold = await held(cleo, 'refund 5')
  expect((await ann('PUT', '/api/delegations/eve', { until: Date.now() - 1 })).status).toBe(422)
  expect((await ann('PUT', '/api/delegations/ann', { until: Date.now() + 60_000 })).status).toBe(422)
  expect((await ann('PUT', '/api/delegations/eve', { until: Date.now() + 60_000 })).status).toBe(200)
  expect(await eve('GET', '/api/delegations')).toMatchObject({ body: { items: [{ from: 'ann', to: 'eve' }] } })
  expect((await eve('POST', `${hold}/resolve`, approve)).status).toBe(200)
  expect(await ann('POST', `${hold}/resolve`, approve)).toMatchObject({ body: { verdict: 'duplicate' } })
  await ann('DELETE', '/api/delegations/eve')
  const second = await held(cleo, 'refund 6', 'd')
  expect((await eve('POST', `${second}/resolve`, approve)).status).toBe(403)
})

test('a person has at most 100 delegations, and one more is refused', async () => {
  const here = await open()
  const [ann, eve, slack] = [await here.person('ann'), await here.person('eve'), await here.program('slack', true)]
  const until = Date.now() + 60_000
  for (let n = 0; n < 100; n++) await slack('PUT', '/api/delegations/eve', { until, by: `person-${n}` })
  expect(await ann('PUT', '/api/delegations/eve', { until })).toMatchObject({ body: { code: 'limit-reached' } })
  expect((await slack('PUT', '/api/delegations/eve', { until, by: 'person-7' })).status).toBe(200)
  await slack('DELETE', '/api/delegations/eve?by=person-7')
  expect((await ann('PUT', '/api/delegations/eve', { until })).status).toBe(200)
  expect((await eve('GET', '/api/delegations')).body.items).toHaveLength(100)
})

test('the delegations of a person who is removed end', async () => {
  const here = await open()
  const [cleo, ann, eve] = await Promise.all([here.person('cleo'), here.person('ann', ['finance']), here.person('eve')])
  const admin = await here.person('root', [], 'admin')
  const hold = await held(cleo, 'refund 5')
  await ann('PUT', '/api/delegations/eve', { until: Date.now() + 60_000 })
  await admin('PUT', '/api/people/ann', { groups: [] })
  expect((await eve('POST', `${hold}/resolve`, approve)).status).toBe(403)
  expect((await admin('DELETE', '/api/people/ann')).status).toBe(204)
  expect((await eve('POST', `${hold}/resolve`, approve)).status).toBe(403)
  expect((await ann('GET', '/api/delegations?view=given')).body.items).toEqual([])
})

test('a person answers a question of their own conversation without the right to approve; another does not', async () => {
  const here = await open()
  const [cleo, eve] = await Promise.all([here.person('cleo'), here.person('eve')])
  const hold = await held(cleo, 'ask size')
  expect((await eve('POST', `${hold}/resolve`, { kind: 'answer', value: 'XL' })).status).toBe(403)
  expect((await cleo('POST', `${hold}/resolve`, { kind: 'answer', value: 'M' })).status).toBe(200)
})

test('the application’s own login identifies people, and a session of a wrong shape lets no caller in', async () => {
  const sessions: Readonly<Record<string, unknown>> = {
    ann: { id: 'ann', tenant: 'acme', groups: ['finance'], name: 'Ann' },
    bad: { id: 'bad', groups: 'finance' },
    forged: { id: 'key:slack' },
    over: { id: 'old', expiresAt: 1 },
  }
  const here = await open({
    auth: { authenticate: (request) => sessions[request.headers.get('x-session') ?? ''] as never },
  })
  const as = (session: string): Ask => asking(here.api, { 'x-session': session })
  expect(await as('ann')('GET', '/api/me')).toMatchObject({
    status: 200,
    body: { by: 'ann', kind: 'person', groups: ['finance'], scopes: ['agent', 'reader'] },
  })
  for (const session of ['bad', 'forged', 'over', 'unknown'])
    expect((await as(session)('GET', '/api/me')).status).toBe(401)
  expect(here.lines.filter(({ reason }) => reason === 'session-invalid')).toHaveLength(2)
  const hold = await held(as('ann'), 'refund 5')
  // What the body says changes nothing about who it is.
  expect((await as('ann')('POST', `${hold}/resolve`, { ...approve, by: 'bob' })).status).toBe(403)
})

test('a token whose claims have a wrong shape is refused, and the operator is told which claim', async () => {
  const here = await open()
  for (const [claims, named] of [
    [{ sub: 'ann', scope: ['agent'] }, '"scope"'],
    [{ sub: 'ann', scope: 'agent', groups: 'finance' }, '"groups"'],
    [{ sub: 'ann', tenant: 5 }, '"tenant"'],
  ] as const) {
    const ask = asking(here.api, { authorization: `Bearer ${await token(claims)}` })
    const { status, body } = await ask('GET', '/api/me')
    expect(status).toBe(401)
    expect(JSON.stringify(body)).not.toContain(named)
    expect(here.lines.at(-1)).toMatchObject({ reason: 'token-claims', message: expect.stringContaining(named) })
  }
})
