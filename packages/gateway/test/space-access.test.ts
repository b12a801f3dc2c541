/** Access to spaces and to the logs of autonomous agents: a key may act for any person, a token only for its own. */
import { SignJWT } from 'jose'
import { afterEach, expect, test, vi } from 'vitest'
import { followStream, isEvent } from './follow-stream.ts'
import { kit, type Kit, type KitResponse } from './kit.ts'

const secret = 'a secret that is long enough for HS256'
const open: Kit[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

interface Here extends Kit {
  token(sub: string, scope?: string, tenant?: string): Promise<string>
  /** Sends a request with a token of this person. Default scope: agent. */
  by(sub: string, method: string, path: string, body?: unknown, scope?: string, tenant?: string): Promise<KitResponse>
}

/** Creates a space owned by Ada, with the agent, Bob as a member and Rita as a reader. */
async function start(): Promise<Here> {
  const here = await kit({ auth: { tokens: { secret } }, limits: { heartbeatMs: 50 } })
  open.push(here)
  const token: Here['token'] = (sub, scope = 'agent', tenant = 'acme') =>
    new SignJWT({ sub, scope, tenant })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1m')
      .sign(new TextEncoder().encode(secret))
  const by: Here['by'] = async (sub, method, path, body, scope, tenant) =>
    here.ask(method, path, {
      as: 'anonymous',
      body,
      headers: { authorization: `Bearer ${await token(sub, scope, tenant)}` },
    })
  const made = await by('ada', 'POST', '/api/spaces', {
    id: 'trip',
    name: 'Trip',
    members: [
      { member: { kind: 'agent', id: 'desk' } },
      { member: { kind: 'human', id: 'bob' } },
      { member: { kind: 'human', id: 'rita' }, role: 'reader' },
    ],
  })
  expect(made.status).toBe(201)
  return { ...here, token, by }
}

test('a person sees only their own spaces; a reader key sees all spaces of its tenant', async () => {
  const { by, ask } = await start()
  await by('bob', 'POST', '/api/spaces', { id: 'own', name: 'Own' })
  const ids = (response: KitResponse): string[] => response.body.items.map((each: { id: string }) => each.id).toSorted()
  expect(ids(await by('ada', 'GET', '/api/spaces'))).toEqual(['trip'])
  expect(ids(await by('bob', 'GET', '/api/spaces'))).toEqual(['own', 'trip'])
  expect(ids(await by('eve', 'GET', '/api/spaces'))).toEqual([])
  expect(ids(await ask('GET', '/api/spaces', { as: 'reader' }))).toEqual(['own', 'trip'])
  expect(ids(await by('eve', 'GET', '/api/spaces', undefined, 'admin'))).toEqual(['own', 'trip'])
  expect(await by('ada', 'GET', '/api/spaces/own')).toMatchObject({ status: 403, body: { code: 'not-a-member' } })
  expect(await by('ada', 'GET', '/api/spaces/own/events')).toMatchObject({ body: { code: 'not-a-member' } })
  expect(await by('ada', 'GET', '/api/spaces/own', undefined, 'reader', 'umbrella')).toMatchObject({ status: 404 })
  expect((await by('rita', 'GET', '/api/spaces/trip', undefined, 'reader')).status).toBe(200)
  expect((await ask('GET', '/api/spaces/own', { as: 'reader' })).status).toBe(200)
  expect(await ask('GET', '/api/spaces/nowhere')).toMatchObject({ status: 404, body: { code: 'space-missing' } })
})

test('only members with a writing role may post, and a token cannot post as another person', async () => {
  const { by, ask } = await start()
  const post = '/api/spaces/trip/messages'
  const bob = { kind: 'human', id: 'bob' }
  expect(await by('bob', 'POST', post, { text: 'Hi' })).toMatchObject({ status: 201, body: { quiet: false } })
  expect(await by('bob', 'POST', post, { text: 'Hi', from: bob })).toMatchObject({ status: 201 })
  expect(await by('rita', 'POST', post, { text: 'Hi' })).toMatchObject({ status: 403, body: { code: 'not-allowed' } })
  expect(await by('eve', 'POST', post, { text: 'Hi' })).toMatchObject({ status: 403, body: { code: 'not-a-member' } })
  expect(await by('ada', 'POST', post, { text: 'Hi', from: bob })).toMatchObject({ body: { code: 'scope-missing' } })
  const asAgent = { text: 'Hi', from: { kind: 'agent', id: 'desk' } }
  expect(await by('ada', 'POST', post, asAgent, 'admin')).toMatchObject({ body: { code: 'scope-missing' } })
  expect(await by('bob', 'POST', post, { text: 'Hi' }, 'reader')).toMatchObject({ status: 403 })
  expect(await ask('POST', post, { as: 'agent', body: { text: 'Hi', from: bob } })).toMatchObject({ status: 201 })
  expect(await ask('POST', post, { as: 'agent', body: { text: 'Hi' } })).toMatchObject({
    body: { code: 'not-a-member' },
  })
  const { body } = await ask('GET', '/api/spaces/trip')
  expect(body.messages.filter((each: { from?: { id: string } }) => each.from?.id === 'bob')).toHaveLength(3)
  // A token cannot move another person's read marker.
  expect(await by('bob', 'PUT', '/api/spaces/trip/read', { upTo: 3 })).toMatchObject({ status: 200 })
  expect(
    await by('bob', 'PUT', '/api/spaces/trip/read', { upTo: 3, member: { kind: 'human', id: 'ada' } }),
  ).toMatchObject({ status: 403 })
})

test('owners manage members; the last owner cannot leave, and an unknown agent cannot join', async () => {
  const { by, ask } = await start()
  const at = (kind: string, id: string): string => `/api/spaces/trip/members/${kind}/${id}`
  expect(await by('bob', 'PUT', at('human', 'eve'), {})).toMatchObject({ status: 403, body: { code: 'not-allowed' } })
  expect(await by('eve', 'PUT', at('human', 'eve'), {})).toMatchObject({ body: { code: 'not-a-member' } })
  expect(await by('bob', 'PUT', at('human', 'eve'), { by: 'ada' })).toMatchObject({ body: { code: 'scope-missing' } })
  expect(await by('ada', 'PUT', at('human', 'eve'), { role: 'reader' })).toMatchObject({ status: 200 })
  expect(await by('ada', 'PUT', at('agent', 'unknown'), {})).toMatchObject({
    status: 404,
    body: { code: 'agent-missing' },
  })
  expect(await by('bob', 'DELETE', at('human', 'rita'))).toMatchObject({ body: { code: 'not-allowed' } })
  expect(await by('rita', 'DELETE', at('human', 'rita'))).toMatchObject({ status: 200 })
  expect(await by('ada', 'DELETE', at('human', 'ada'))).toMatchObject({ status: 409, body: { code: 'last-owner' } })
  expect(await ask('PUT', at('human', 'bob'), { as: 'agent', body: { role: 'owner' } })).toMatchObject({ status: 200 })
  expect(await by('ada', 'DELETE', at('human', 'ada'))).toMatchObject({ status: 200 })
  expect(await ask('POST', '/api/spaces', { body: { id: 'trip', name: 'Again' } })).toMatchObject({
    status: 409,
    body: { code: 'id-taken' },
  })
})

test('the log of a space cannot be read through the conversation routes', async () => {
  const here = await start()
  const { by, ask } = here
  for (const [method, path, body] of [
    ['GET', ''],
    ['GET', '?before=3'],
    ['GET', '/events'],
    ['GET', '/events?after=2'],
    ['GET', '/events?after=100'],
    ['GET', '/explain'],
    ['POST', '/messages', { content: 'Hi', agent: 'desk' }],
    ['POST', '/cancel', {}],
    ['POST', '/continue', {}],
  ] as const) {
    const response = await by('eve', method, `/api/conversations/trip${path}`, body)
    expect(response, `${method} ${path}`).toMatchObject({ status: 409, body: { code: 'is-a-space' } })
    expect(JSON.stringify(response.body)).not.toContain('ada')
  }
  expect(await by('eve', 'POST', '/api/conversations', { id: 'trip' })).toMatchObject({ status: 422 })
  const stream = await followStream(here, 'trip', { token: await here.token('eve') })
  expect(stream.response.status).toBe(409)
  expect((await followStream(here, 'trip', { of: 'spaces', token: await here.token('eve') })).response.status).toBe(403)
  const { body } = await ask('GET', '/api/conversations')
  expect(JSON.stringify(body)).not.toContain('trip')
})

test('a person outside a space cannot read any page of its events', async () => {
  const { by, runtime } = await start()
  await by('ada', 'POST', '/api/spaces/trip/messages', { text: 'A secret between us' })
  let response = 0
  for await (const item of runtime.tenant('acme').subscribe('trip')) {
    if (item.type === 'notices.delivered') response = item.seq
    if (response > 0) break
  }
  for (let after = 0; after <= response; after++) {
    const page = await by('eve', 'GET', `/api/conversations/trip/events?after=${after}&limit=1`)
    expect(page, `after ${after}`).toMatchObject({ status: 409, body: { code: 'is-a-space' } })
  }
})

test('a token without admin cannot read the log of an autonomous agent, but can trigger the agent', async () => {
  const here = await start()
  const { by, ask } = here
  await by('ada', 'POST', '/api/spaces/trip/messages', { text: 'A secret between us' })
  const log = '/api/conversations/agent%3Adesk'
  for (const [method, path, body] of [
    ['GET', log],
    ['GET', `${log}/events`],
    ['GET', `${log}/explain`],
    ['POST', `${log}/messages?wait=1`, { content: 'What did you hear?' }],
    ['POST', `${log}/cancel`, {}],
    ['POST', `${log}/continue`, {}],
    ['POST', '/api/conversations', { id: 'agent:desk' }],
    ['GET', '/api/agents/desk/life'],
    ['GET', '/api/agents/desk/plans'],
    ['POST', '/api/agents/desk/plans', { what: 'Spy', runAfter: '1 day' }],
    ['DELETE', '/api/agents/desk/plans/p'],
  ] as const) {
    const response = await by('eve', method, path, body, 'agent reader')
    expect(response, `${method} ${path}`).toMatchObject({ status: 403, body: { code: 'scope-missing' } })
  }
  expect((await followStream(here, 'agent:desk', { token: await here.token('eve', 'reader') })).response.status).toBe(
    403,
  )
  expect(JSON.stringify((await by('eve', 'GET', '/api/conversations')).body)).not.toContain('agent:desk')
  expect((await by('eve', 'GET', log, undefined, 'admin')).status).toBe(200)
  expect((await ask('GET', log, { as: 'reader' })).status).toBe(200)
  expect((await ask('GET', '/api/agents/desk/life', { as: 'reader' })).body).toMatchObject({
    conversationId: 'agent:desk',
  })
  expect(await by('eve', 'POST', '/api/agents/desk/trigger', { name: 'bell' })).toMatchObject({ status: 202 })
  expect(await ask('POST', '/api/agents/unknown/trigger', { body: { name: 'bell' } })).toMatchObject({ status: 404 })
})

test('a person whom an autonomous agent asks answers, and does not read its log', async () => {
  const { by } = await start()
  await by('ada', 'POST', '/api/spaces', {
    id: 'own',
    name: 'Own',
    members: [{ member: { kind: 'agent', id: 'desk' } }],
  })
  await by('ada', 'POST', '/api/spaces/own/messages', { text: 'A secret' })
  await by('bob', 'POST', '/api/spaces/trip/messages', { text: 'in trip ask size' })
  const callId = await vi.waitFor(async () => {
    const { body } = await by('bob', 'GET', '/api/holds?view=mine')
    return body.items[0].callId as string
  })
  for (const path of ['', '/events', '/explain', '/participants']) {
    const read = (who: string, scope: string): ReturnType<typeof by> =>
      by(who, 'GET', `/api/conversations/agent%3Adesk${path}`, undefined, scope)
    expect([path, (await read('bob', 'agent reader')).status]).toEqual([path, 403])
    expect([path, (await read('rex', 'resolver reader')).status]).toEqual([path, 403])
  }
  const answer = { kind: 'answer', value: 'xl' }
  expect((await by('bob', 'POST', `/api/holds/agent%3Adesk/${callId}/resolve`, answer)).status).toBe(200)
})

test('members answer the calls that ask in a space; non-members, readers and agent keys do not', async () => {
  const here = await start()
  const { by, ask, runtime } = here
  await by('ada', 'POST', '/api/spaces/trip/messages', { text: 'in trip ask size' })
  let callId = ''
  for await (const item of runtime.tenant('acme').subscribe('trip'))
    if (item.type === 'tool.started') {
      callId = item.toolCallId
      break
    }
  const body = { callId, result: 'large' }
  const path = '/api/spaces/trip/tool-results'
  expect(await by('eve', 'POST', path, body)).toMatchObject({ status: 403, body: { code: 'not-a-member' } })
  expect(await by('rita', 'POST', path, body)).toMatchObject({ status: 403, body: { code: 'not-allowed' } })
  expect(await by('bob', 'POST', path, { ...body, callId: 'x.1.1' })).toMatchObject({ body: { code: 'unknown' } })
  const hold = `/api/holds/agent%3Adesk/${callId}`
  const answer = { kind: 'answer', value: 'small' }
  expect(await by('eve', 'POST', `${hold}/resolve`, answer)).toMatchObject({ status: 403 })
  expect(await by('eve', 'GET', hold)).toMatchObject({ status: 403 })
  expect(JSON.stringify((await by('eve', 'GET', '/api/holds')).body)).not.toContain(callId)
  expect(JSON.stringify((await by('eve', 'GET', '/api/holds', undefined, 'resolver')).body)).toContain(callId)
  expect(await ask('POST', path, { as: 'agent', body })).toMatchObject({ status: 403, body: { code: 'not-a-member' } })
  expect(await by('bob', 'POST', path, body)).toMatchObject({ status: 200, body: { verdict: 'accepted' } })
  const forBob = { ...body, from: { kind: 'human', id: 'bob' } }
  expect(await ask('POST', path, { as: 'agent', body: forBob })).toMatchObject({ body: { verdict: 'duplicate' } })
  expect(await ask('POST', path, { as: 'resolver', body })).toMatchObject({ body: { verdict: 'duplicate' } })

  // Members may not answer calls that wait for a worker or an approval.
  for (const verb of ['ship', 'refund']) {
    await by('ada', 'POST', '/api/spaces/trip/messages', { text: `in trip ${verb} 7` })
    const stream = await followStream(here, 'trip', { of: 'spaces', as: 'admin' })
    const seen = await stream.until(
      (each) => each.kind === 'event' && each.event.type === 'tool.started' && each.event.name === verb,
    )
    await stream.close()
    const last = seen.at(-1)
    const shown = last?.kind === 'event' && last.event.type === 'tool.started' ? last.event.toolCallId : ''
    const response = await by('bob', 'POST', path, { callId: shown, result: { parcel: 'p' } })
    expect(response, verb).toMatchObject({ status: 403, body: { code: 'not-allowed' } })
    await ask('POST', '/api/conversations/agent%3Adesk/cancel', { body: {} })
  }
})

test('a removed member gets no further events', async () => {
  const here = await start()
  const { by } = here
  const stream = await followStream(here, 'trip', { of: 'spaces', token: await here.token('bob') })
  await stream.until(isEvent('member.joined'))
  await by('ada', 'DELETE', '/api/spaces/trip/members/human/bob')
  await by('ada', 'POST', '/api/spaces/trip/messages', { text: 'Bob is gone' })
  const rest = await stream.rest()
  expect(rest).toContain('member.left')
  expect(rest).not.toContain('Bob is gone')
  expect((await followStream(here, 'trip', { of: 'spaces', token: await here.token('bob') })).response.status).toBe(403)
})
