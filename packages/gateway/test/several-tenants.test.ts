/** Staff of several tenants: a request names the tenant it is about, and one inbox shows the holds of all. */
import { agent, memoryStore, Runtime, tool } from 'holdpoint'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { testPorts } from '@holdpoint/testing'
import { z } from 'zod'
import { gateway, type ApplicationSession, type Gateway } from '@holdpoint/gateway'
import type { NewKey } from '../src/auth/keys.ts'
import { obedient } from './kit.ts'

interface Asked {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}
// oxlint-disable-next-line typescript/no-explicit-any
type Ask = (method: string, path: string, asked?: Asked) => Promise<{ readonly status: number; readonly body: any }>

const SESSIONS: Readonly<Record<string, ApplicationSession>> = {
  grace: { id: 'grace', tenants: ['staff', 'acme', 'umbrella'], scopes: ['agent', 'resolver', 'reader'] },
  hugo: { id: 'hugo', tenant: 'acme', scopes: ['agent', 'resolver', 'reader'] },
  // A person of acme, with the id of a member of the staff.
  local: { id: 'grace', tenant: 'acme', scopes: ['agent', 'resolver', 'reader'] },
  wrong: { id: 'wrong', tenant: 'acme', tenants: ['staff', 'acme'] },
}

let api: Gateway
let runtime: Runtime
let now: number

beforeEach(async () => {
  now = 1_700_000_000_000
  const store = memoryStore({ now: () => now })
  const refund = tool({
    name: 'refund',
    description: 'Pays money back.',
    input: z.looseObject({ euros: z.number() }),
    approval: 'required',
    run: () => 'paid',
  })
  const ports = { ...testPorts(), now: () => now, monotonic: () => now }
  const desk = agent({ name: 'desk', model: obedient, tools: [refund], ports })
  runtime = await Runtime.open({ store, agents: [desk], ports })
  const authenticate = (request: Request): ApplicationSession | undefined =>
    SESSIONS[request.headers.get('x-session') ?? '']
  api = gateway({ runtime, store, agents: [desk], auth: { authenticate } })
  onTestFinished(async () => {
    await api.close()
    await runtime.close()
  })
})

function asking(credential: Readonly<Record<string, string>>): Ask {
  return async (method, path, { body, headers } = {}) => {
    const type = body === undefined ? undefined : { 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { ...credential, ...type, ...headers },
      ...sent,
    })
    const response = await api.fetch(request)
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
}

const person = (session: string): Ask => asking({ 'x-session': session })
const program = async (tenant: string, more: Partial<NewKey> = {}): Promise<Ask> => {
  const { key } = await api.keys.create(tenant, { name: 'k', scopes: ['admin'], ...more })
  return asking({ authorization: `Bearer ${key}` })
}

/** Holds a call in the tenant, a millisecond after the one before. */
async function held(tenant: string, id: string): Promise<string> {
  now += 1
  const { holds } = await runtime.tenant(tenant).send(id, 'refund 5', { by: 'cleo' })
  return holds[0]?.callId ?? ''
}

// oxlint-disable-next-line typescript/no-explicit-any
const shown = (items: readonly any[]): readonly string[] =>
  items.map(({ tenant, conversationId }) => `${tenant}/${conversationId}`)

test('without a name a request is about the first tenant; the query and the header name another', async () => {
  await held('staff', 's1')
  await held('acme', 'a1')
  const ids = async (path: string, headers = {}): Promise<unknown> =>
    (await person('grace')('GET', path, { headers })).body.items.map(
      (each: { conversationId: string }) => each.conversationId,
    )
  expect(await ids('/api/holds')).toEqual(['s1'])
  expect(await ids('/api/holds?tenant=acme')).toEqual(['a1'])
  expect(await ids('/api/holds', { 'holdpoint-tenant': 'acme' })).toEqual(['a1'])
  expect((await person('grace')('GET', '/api/me?tenant=acme')).body).toMatchObject({
    tenant: 'acme',
    tenants: ['staff', 'acme', 'umbrella'],
    by: 'grace',
  })
})

test('a tenant that was not given to the caller is refused, whether it exists or not', async () => {
  const callId = await held('secret', 'c1')
  const everywhere: readonly [string, string, unknown?][] = [
    ['GET', '/api/holds'],
    ['GET', '/api/me'],
    ['GET', '/api/conversations/c1'],
    ['GET', `/api/holds/c1/${callId}`],
    ['POST', `/api/holds/c1/${callId}/resolve`, { kind: 'approve' }],
    ['POST', '/api/conversations/c1/messages', { content: 'hello' }],
  ]
  const key = await program('acme', { scopes: ['agent', 'resolver', 'reader'] })
  for (const ask of [person('grace'), person('hugo'), key])
    for (const name of ['secret', 'no-such-tenant', '', 'acme%00'])
      for (const [method, path, body] of everywhere) {
        const more = body === undefined ? {} : { body }
        const inQuery = await ask(method, `${path}?tenant=${name}`, more)
        const inHeader = await ask(method, path, { ...more, headers: { 'holdpoint-tenant': name } })
        for (const { status, body: problem } of [inQuery, inHeader])
          expect({ status, detail: problem.detail }, `${name} ${path}`).toEqual({
            status: 403,
            detail: 'This credential has no such tenant.',
          })
      }
  expect((await runtime.tenant('secret').pending()).items).toHaveLength(1)
})

test('names that differ, and a name given twice, are errors', async () => {
  const ask = person('grace')
  const both = { headers: { 'holdpoint-tenant': 'acme' } }
  expect((await ask('GET', '/api/holds?tenant=umbrella', both)).status).toBe(422)
  expect((await ask('GET', '/api/holds?tenant=acme&tenant=umbrella')).status).toBe(422)
  expect((await ask('GET', '/api/holds?tenant=acme', both)).status).toBe(200)
})

test('a resolution goes to the tenant that is named', async () => {
  // The ids are the same in both tenants.
  const callId = await held('acme', 'c1')
  await held('umbrella', 'c1')
  const path = `/api/holds/c1/${callId}/resolve`
  const body = { kind: 'approve' }
  expect((await person('grace')('POST', path, { body })).status).toBe(404)
  expect(await person('grace')('POST', `${path}?tenant=acme`, { body })).toMatchObject({ status: 200 })
  expect((await runtime.tenant('acme').pending()).items).toEqual([])
  expect((await runtime.tenant('umbrella').pending()).items).toHaveLength(1)
  const events = await runtime.tenant('acme').events('c1')
  expect(events.find(({ type }) => type === 'call.approved')).toMatchObject({ by: 'grace' })
})

test('an idempotency key of a visitor is not the key of a person of the tenant with the same id', async () => {
  const callId = await held('acme', 'c1')
  const path = `/api/holds/c1/${callId}/comments`
  const headers = { 'idempotency-key': 'k1' }
  const mine = { body: { text: 'mine' }, headers }
  expect((await person('grace')('POST', `${path}?tenant=acme`, mine)).status).toBe(201)
  expect((await person('local')('POST', path, { body: { text: 'other' }, headers })).status).toBe(201)
})

test('one inbox shows the holds of all tenants of the caller, oldest first, page by page', async () => {
  const order = ['acme/a1', 'umbrella/u1', 'acme/a2', 'staff/s1', 'acme/a3', 'umbrella/u2', 'acme/a4']
  for (const each of order) await held(...(each.split('/') as [string, string]))
  await held('secret', 'x1')
  const ask = person('grace')
  const all = await ask('GET', '/api/holds?tenants=all')
  expect(shown(all.body.items)).toEqual(order)
  expect(all.body.next).toBeUndefined()
  for (const size of [1, 2, 3, 7]) {
    const pages: string[] = []
    let next: string | undefined = ''
    for (let page = 0; next !== undefined && page < 10; page++) {
      const from = next === '' ? '' : `&after=${encodeURIComponent(next)}`
      const { body } = await ask('GET', `/api/holds?tenants=all&limit=${size}${from}`)
      expect(body.items.length).toBeLessThanOrEqual(size)
      pages.push(...shown(body.items))
      next = body.next
    }
    expect(pages).toEqual(order)
  }
  expect(shown((await person('hugo')('GET', '/api/holds?tenants=all')).body.items)).toEqual(
    order.filter((each) => each.startsWith('acme/')),
  )
})

test('a cursor stays where it is when holds before it are resolved and new ones come', async () => {
  const callIds = new Map<string, string>()
  for (const each of ['acme/a1', 'umbrella/u1', 'acme/a2', 'umbrella/u2'])
    callIds.set(each, await held(...(each.split('/') as [string, string])))
  const ask = person('grace')
  const first = (await ask('GET', '/api/holds?tenants=all&limit=2')).body
  expect(shown(first.items)).toEqual(['acme/a1', 'umbrella/u1'])
  await runtime.tenant('acme').approve('a1', callIds.get('acme/a1') ?? '', { by: 'grace' })
  await runtime.tenant('umbrella').approve('u1', callIds.get('umbrella/u1') ?? '', { by: 'grace' })
  await held('staff', 's1')
  const second = (await ask('GET', `/api/holds?tenants=all&after=${encodeURIComponent(first.next)}`)).body
  expect(shown(second.items)).toEqual(['acme/a2', 'umbrella/u2', 'staff/s1'])
})

test('a cursor that names another tenant shows nothing of it, and a broken one is an error', async () => {
  await held('secret', 'x1')
  await held('acme', 'a1')
  const ask = person('grace')
  const cursor = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const other = await ask('GET', `/api/holds?tenants=all&after=${cursor({ secret: '[0,0,""]' })}`)
  expect(shown(other.body.items)).toEqual(['acme/a1'])
  for (const broken of ['x', cursor(5), cursor({ acme: 5 }), cursor({ acme: 'x' })])
    expect((await ask('GET', `/api/holds?tenants=all&after=${broken}`)).status, broken).toBe(422)
})

test('a key may be given several tenants by a program, and over HTTP only those of its creator', async () => {
  await held('acme', 'a1')
  const staff = await program('staff', { tenants: ['staff', 'acme'] })
  expect((await staff('GET', '/api/holds?tenant=acme')).body.items).toHaveLength(1)
  await expect(api.keys.create('staff', { name: 'k', scopes: ['reader'], tenants: ['acme', 'staff'] })).rejects.toThrow(
    'must begin with its own tenant',
  )
  const create = (ask: Ask, tenants: readonly string[]): ReturnType<Ask> =>
    ask('POST', '/api/keys', { body: { name: 'k', scopes: ['reader'], tenants } })
  expect((await create(staff, ['staff', 'acme'])).status).toBe(201)
  expect((await create(staff, ['staff', 'umbrella'])).status).toBe(403)
  expect((await create(staff, ['acme'])).status).toBe(422)
  expect((await create(await program('acme'), ['acme', 'staff'])).status).toBe(403)
})

test('a session whose `tenant` is not the first of its `tenants` lets no caller in', async () => {
  expect((await person('wrong')('GET', '/api/me')).status).toBe(401)
})
