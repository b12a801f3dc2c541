/** The holds of a person who left: they wait for no one who may not decide them, and the log says who handed them over. */
import { connect } from '@holdpoint/client'
import { holdpoint, agent, memoryStore, tool } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { gateway } from '@holdpoint/gateway'
import { SignJWT } from 'jose'
import { obedient } from './kit.ts'

const SECRET = 's'.repeat(40)

// oxlint-disable-next-line typescript/no-explicit-any
type Ask = (method: string, path: string, body?: unknown) => Promise<{ readonly status: number; readonly body: any }>

async function open() {
  const store = memoryStore({ now: Date.now })
  const refund = tool({
    name: 'refund',
    description: 'Pays money back.',
    input: z.looseObject({}),
    approval: { required: true, approvers: { anyOf: ['ann', 'group:finance'] } },
    run: () => 'paid',
  })
  const pay = tool({
    name: 'pay',
    description: 'Sends money.',
    input: z.looseObject({}),
    approval: { required: true, approvers: { anyOf: ['group:finance'] } },
    run: () => 'sent',
  })
  const ship = tool({
    name: 'ship',
    description: 'Ships it.',
    input: z.looseObject({}),
    approval: 'required',
    run: () => 'shipped',
  })
  const desk = agent({ name: 'desk', model: obedient, tools: [refund, pay, ship] })
  const runtime = await holdpoint({ store, agents: [desk] })
  const auth = { tokens: { secret: SECRET, issuer: 'i', audience: 'a' } }
  const api = gateway({ runtime, store, agents: [desk], auth, log: () => {} })
  onTestFinished(async () => {
    await api.close()
    await runtime.close()
  })
  const person = async (sub: string, groups: readonly string[] = [], scope = 'agent reader'): Promise<Ask> => {
    const token = await new SignJWT({ tenant: 'acme', sub, groups, scope })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('i')
      .setAudience('a')
      .setExpirationTime('10m')
      .sign(new TextEncoder().encode(SECRET))
    return async (method, path, body) => {
      const json = body === undefined ? {} : { body: JSON.stringify(body) }
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      }
      const response = await api.fetch(new Request(`http://localhost${path}`, { method, headers, ...json }))
      const text = await response.text()
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
    }
  }
  const cleo = await person('cleo')
  return {
    api,
    person,
    root: await person('root', [], 'admin'),
    /** Cleo asks for it, and it is held. The path of the hold. */
    held: async (id: string, text: string): Promise<string> => {
      const { body } = await cleo('POST', `/api/conversations/${id}/messages?wait=5`, { content: text })
      return `/api/holds/${id}/${body.result.holds[0].callId}`
    },
    assigned: async (id: string) => {
      const events = await store.read({ tenant: 'acme', id }, 0)
      return events.filter(({ type }) => type === 'hold.assigned')
    },
  }
}

test('a hold whose assignee left the group is shown without one, and another takes it', async () => {
  const here = await open()
  const [hold, ann, bob] = [
    await here.held('c', 'pay 5'),
    await here.person('ann', ['finance']),
    await here.person('bob', ['finance']),
  ]
  await ann('POST', `${hold}/assign`, {})
  // The gateway does not know the groups of a person with a token, or knows that they still allow it.
  expect((await bob('GET', hold)).body).toMatchObject({ assignee: 'ann' })
  await here.root('PUT', '/api/people/ann', { groups: ['finance', 'sales'] })
  expect((await bob('GET', hold)).body).toMatchObject({ assignee: 'ann' })
  await here.root('PUT', '/api/people/ann', { name: 'Ann', groups: ['sales'] })
  for (const { body } of [await bob('GET', hold), await here.root('GET', hold)]) {
    expect(body).toMatchObject({ formerAssignee: 'ann', names: { ann: 'Ann' }, missing: 1 })
    expect(body).not.toHaveProperty('assignee')
  }
  const listed = (await bob('GET', '/api/holds')).body.items[0]
  expect([listed.assignee, listed.formerAssignee]).toEqual([undefined, 'ann'])

  await bob('POST', `${hold}/assign`, {})
  expect((await bob('GET', hold)).body).toMatchObject({ assignee: 'bob' })
  expect((await bob('GET', hold)).body).not.toHaveProperty('formerAssignee')
  expect(await here.assigned('c')).toMatchObject([
    { by: 'ann', assignee: 'ann' },
    { by: 'bob', assignee: 'bob' },
  ])
})

test('a person stays the assignee of a hold that names them, or that they may decide by delegation', async () => {
  const here = await open()
  const [named, pay] = [await here.held('c', 'refund 5'), await here.held('d', 'pay 5')]
  const [ann, bob] = [await here.person('ann', ['finance']), await here.person('bob', ['finance'])]
  for (const hold of [named, pay]) await ann('POST', `${hold}/assign`, {})
  await here.root('PUT', '/api/people/ann', { groups: [] })
  expect((await bob('GET', named)).body).toMatchObject({ assignee: 'ann' })
  expect((await bob('GET', pay)).body).toMatchObject({ formerAssignee: 'ann' })
  await bob('PUT', '/api/delegations/ann', { until: Date.now() + 60_000 })
  expect((await bob('GET', pay)).body).toMatchObject({ assignee: 'ann' })
})

test('an admin hands over the holds of a person, in every conversation, and the log says who did', async () => {
  const here = await open()
  const [ann, bob] = [await here.person('ann', ['finance']), await here.person('bob', ['finance'])]
  const holds = [await here.held('c', 'refund 5'), await here.held('d', 'pay 5'), await here.held('e', 'pay 6')]
  for (const hold of holds) await ann('POST', `${hold}/assign`, {})
  await bob('POST', `${holds[2]}/assign`, {})
  expect((await ann('POST', '/api/people/ann/hand-over', {})).status).toBe(403)

  const { key } = await here.api.keys.create('acme', { name: 'admin', scopes: ['admin'] })
  const fetch = (url: string, init: RequestInit) => here.api.fetch(new Request(url, init))
  const hp = connect({ url: 'http://localhost', key, fetch })
  expect(await hp.people.handOver('ann', { to: 'bob' })).toEqual({ holds: 2 })
  expect(await hp.people.handOver('ann')).toEqual({ holds: 0 })
  for (const hold of holds) expect((await bob('GET', hold)).body).toMatchObject({ assignee: 'bob' })
  expect((await here.assigned('d')).at(-1)).toMatchObject({ by: 'key:admin', assignee: 'bob' })
  expect((await bob('POST', `${holds[1]}/resolve`, { kind: 'approve' })).status).toBe(200)
})

test('the holds of a person who is removed have no assignee', async () => {
  const here = await open()
  const [hold, ann, bob] = [
    await here.held('c', 'pay 5'),
    await here.person('ann', ['finance']),
    await here.person('bob', ['finance']),
  ]
  await ann('POST', `${hold}/assign`, {})
  expect((await here.root('DELETE', '/api/people/ann')).status).toBe(404)
  await here.root('PUT', '/api/people/ann', { groups: ['finance'] })
  expect((await here.root('DELETE', '/api/people/ann')).status).toBe(204)
  const { body } = await bob('GET', hold)
  expect([body.assignee, body.formerAssignee]).toEqual([undefined, undefined])
  expect((await here.assigned('c')).at(-1)).toMatchObject({ by: 'root' })
})

test('a caller who may not resolve a hold may not assign it', async () => {
  const here = await open()
  const hold = await here.held('c', 'ship 5')
  const [cleo, resolver] = [await here.person('cleo'), await here.person('ann', [], 'resolver')]
  expect((await cleo('GET', hold)).body.may).toMatchObject({ resolve: false, approve: false })
  for (const assignee of ['cleo', null])
    expect(await cleo('POST', `${hold}/assign`, { assignee })).toMatchObject({
      status: 403,
      body: { code: 'not-allowed' },
    })
  expect((await resolver('POST', `${hold}/assign`, {})).status).toBe(200)
})
