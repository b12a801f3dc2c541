/** What a hold says the caller may do is what the gateway then does, and a refused caller is told why in one sentence. */
import { SignJWT } from 'jose'
import { agent, holdpoint, memoryStore, tool } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { gateway } from '@holdpoint/gateway'
import { obedient } from './kit.ts'

const SECRET = 's'.repeat(40)

// oxlint-disable-next-line typescript/no-explicit-any
type Ask = (method: string, path: string, body?: unknown) => Promise<{ readonly status: number; readonly body: any }>

interface Here {
  person(sub: string, groups?: readonly string[], scope?: string): Promise<Ask>
  key(options?: { readonly mayActFor?: true }): Promise<Ask>
  /** Cleo asks for it, and it is held. The path of the hold. */
  held(text: string): Promise<string>
}

async function open(): Promise<Here> {
  const store = memoryStore({ now: Date.now })
  const refund = tool({
    name: 'refund',
    description: 'Pays money back.',
    input: z.looseObject({}),
    approval: {
      required: true,
      approvers: { anyOf: ['ann', 'group:finance'], count: 2 },
      remindAfter: '1 h',
      escalate: { after: '2 h', to: ['group:board'] },
    },
    run: () => 'paid',
  })
  const ship = tool({
    name: 'ship',
    description: 'Ships it.',
    input: z.looseObject({}),
    approval: { required: true },
    run: () => 'shipped',
  })
  const ask = tool({ name: 'ask', description: 'Asks a person.', executor: 'human', input: z.looseObject({}) })
  const desk = agent({ name: 'desk', model: obedient, tools: [refund, ship, ask] })
  const runtime = await holdpoint({ store, agents: [desk] })
  const auth = { tokens: { secret: SECRET, issuer: 'i', audience: 'a' } }
  const api = gateway({ runtime, store, agents: [desk], auth, log: () => {} })
  onTestFinished(async () => {
    await api.close()
    await runtime.close()
  })
  const as =
    (credential: string): Ask =>
    async (method, path, body) => {
      const json = body === undefined ? {} : { body: JSON.stringify(body) }
      const headers = {
        authorization: `Bearer ${credential}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      }
      const response = await api.fetch(new Request(`http://localhost${path}`, { method, headers, ...json }))
      const text = await response.text()
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
    }
  const person: Here['person'] = async (sub, groups = [], scope = 'agent reader') =>
    as(
      await new SignJWT({ tenant: 'acme', sub, groups, scope })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer('i')
        .setAudience('a')
        .setExpirationTime('10m')
        .sign(new TextEncoder().encode(SECRET)),
    )
  const cleo = await person('cleo', ['finance'])
  let conversations = 0
  return {
    person,
    key: async (options = {}) =>
      as((await api.keys.create('acme', { name: 'console', scopes: ['agent', 'resolver', 'reader'], ...options })).key),
    held: async (text) => {
      const id = `c${++conversations}`
      const { body } = await cleo('POST', `/api/conversations/${id}/messages?wait=5`, { content: text })
      return `/api/holds/${id}/${body.result.holds[0].callId}`
    },
  }
}

test.each([
  ['the requester', 'refund 5', 'cleo', ['finance'], 'You asked for this, so another person must approve it.'],
  ['a named person', 'refund 5', 'ann', [], undefined],
  ['a person of a named group', 'refund 5', 'bob', ['finance'], undefined],
  ['another resolver', 'refund 5', 'eve', [], 'Only ann or finance may approve this.'],
  ['a resolver, of a call for any person', 'ship Ada', 'eve', [], undefined],
] as const)('%s: %s', async (_who, text, sub, groups, why) => {
  const here = await open()
  const hold = await here.held(text)
  const caller = await here.person(sub, groups, 'resolver reader agent')
  const { body } = await caller('GET', hold)
  expect(body.may.why).toBe(why)
  expect(body.may.approve).toBe(why === undefined)
  const { status } = await caller('POST', `${hold}/resolve`, { kind: 'approve' })
  expect(status).toBe(why === undefined ? 200 : 403)
})

test('a person without the right to resolve holds may answer their own question, and approve nothing', async () => {
  const here = await open()
  const [question, approval] = [await here.held('ask size'), await here.held('ship Ada')]
  const cleo = await here.person('cleo')
  expect((await cleo('GET', question)).body.may).toEqual({ resolve: true, approve: false })
  expect((await cleo('GET', approval)).body.may).toEqual({
    resolve: false,
    approve: false,
    why: 'You have no right to answer this: it needs a credential with the scope resolver.',
  })
  expect((await cleo('POST', `${approval}/resolve`, { kind: 'approve' })).status).toBe(403)
  expect((await cleo('POST', `${question}/resolve`, { kind: 'answer', value: 'M' })).status).toBe(200)
})

test('a hold says who approved this input, for whom, and how many are missing', async () => {
  const here = await open()
  const hold = await here.held('refund 5')
  const [ann, eve, bob] = [await here.person('ann'), await here.person('eve'), await here.person('bob', ['finance'])]
  const resolver = await here.person('root', [], 'admin')
  const before = await resolver('GET', hold)
  expect(before.body).toMatchObject({
    to: ['ann', 'group:finance'],
    approvers: 2,
    notRequester: true,
    askedBy: [{ by: 'cleo' }],
    endorsed: [],
    missing: 2,
    remindAt: expect.any(Number),
    escalation: { at: expect.any(Number), to: ['group:board'] },
  })
  await ann('PUT', '/api/delegations/eve', { until: Date.now() + 60_000 })
  await eve('POST', `${hold}/resolve`, { kind: 'approve' })
  const { body } = await ann('GET', hold)
  expect(body).toMatchObject({ endorsed: [{ by: 'eve', onBehalfOf: 'ann' }], missing: 1 })
  expect(body.may).toEqual({ resolve: true, approve: false, why: 'eve approved this already, for ann.' })
  expect((await eve('GET', hold)).body.may).toMatchObject({ approve: false, why: 'You approved this already.' })
  expect((await bob('GET', hold)).body.may).toEqual({ resolve: true, approve: true })
})

test('a key that acts for a person is told about that person, and a key without that right about itself', async () => {
  const here = await open()
  const hold = await here.held('refund 5')
  const [acts, plain] = [await here.key({ mayActFor: true }), await here.key()]
  expect((await acts('GET', `${hold}?by=ann`)).body.may).toEqual({ resolve: true, approve: true })
  expect((await acts('GET', hold)).body.may).toMatchObject({
    approve: false,
    why: 'Only ann or finance may approve this.',
  })
  const refused = (await plain('GET', `/api/holds?by=ann`)).body.items[0].may
  expect(refused).toMatchObject({
    approve: false,
    resolve: false,
    why: expect.stringContaining('may not act for "ann"'),
  })
})

test('a person lists those who decide for them, and ends it', async () => {
  const here = await open()
  const [ann, acts] = [await here.person('ann'), await here.key({ mayActFor: true })]
  for (const to of ['eve', 'b/o%b'])
    await ann('PUT', `/api/delegations/${encodeURIComponent(to)}`, { until: Date.now() + 60_000 })
  const given = async (): Promise<readonly string[]> =>
    (await ann('GET', '/api/delegations?view=given')).body.items.map(({ to }: { readonly to: string }) => to).toSorted()
  expect(await given()).toEqual(['b/o%b', 'eve'])
  expect((await acts('GET', '/api/delegations?view=given&by=ann')).body.items).toHaveLength(2)
  expect((await acts('GET', '/api/delegations?by=eve')).body.items).toMatchObject([{ from: 'ann', to: 'eve' }])
  await ann('DELETE', '/api/delegations/eve')
  expect(await given()).toEqual(['b/o%b'])
})
