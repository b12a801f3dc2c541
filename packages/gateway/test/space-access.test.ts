/** Who may see and do what in spaces, and in the lives of agents: keys act for anybody, a person's token for that person. */
import { SignJWT } from 'jose'
import { afterEach, expect, test } from 'vitest'
import { follow, isEvent } from './follow.ts'
import { kit, type Kit, type Told } from './kit.ts'

const secret = 'a secret that is long enough for HS256'
const open: Kit[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

interface Here extends Kit {
  token(sub: string, scope?: string, tenant?: string): Promise<string>
  /** As a person, with the right to talk unless said. */
  by(sub: string, method: string, path: string, body?: unknown, scope?: string, tenant?: string): Promise<Told>
}

/** A space of Ada's with the agent in it, Bob as a member and Rita as a reader. */
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
      as: 'nobody',
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

test('a person sees the spaces they are in, and no others; a key that reads sees all of its tenant', async () => {
  const { by, ask } = await start()
  await by('bob', 'POST', '/api/spaces', { id: 'own', name: 'Own' })
  const ids = (told: Told): string[] => told.body.items.map((each: { id: string }) => each.id).toSorted()
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

test('only members speak, readers do not, and nobody in the name of another', async () => {
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
  // What somebody else has read is theirs to say.
  expect(await by('bob', 'PUT', '/api/spaces/trip/read', { upTo: 3 })).toMatchObject({ status: 200 })
  expect(
    await by('bob', 'PUT', '/api/spaces/trip/read', { upTo: 3, member: { kind: 'human', id: 'ada' } }),
  ).toMatchObject({ status: 403 })
})

test('owners say who is in; the last one cannot leave, and an agent that is none is not let in', async () => {
  const { by, ask } = await start()
  const at = (kind: string, id: string): string => `/api/spaces/trip/members/${kind}/${id}`
  expect(await by('bob', 'PUT', at('human', 'eve'), {})).toMatchObject({ status: 403, body: { code: 'not-allowed' } })
  expect(await by('eve', 'PUT', at('human', 'eve'), {})).toMatchObject({ body: { code: 'not-a-member' } })
  expect(await by('bob', 'PUT', at('human', 'eve'), { by: 'ada' })).toMatchObject({ body: { code: 'scope-missing' } })
  expect(await by('ada', 'PUT', at('human', 'eve'), { role: 'reader' })).toMatchObject({ status: 200 })
  expect(await by('ada', 'PUT', at('agent', 'nobody'), {})).toMatchObject({
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

test('a space is no conversation: its log is not to be had by another door', async () => {
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
    const told = await by('eve', method, `/api/conversations/trip${path}`, body)
    expect(told, `${method} ${path}`).toMatchObject({ status: 409, body: { code: 'is-a-space' } })
    expect(JSON.stringify(told.body)).not.toContain('ada')
  }
  expect(await by('eve', 'POST', '/api/conversations', { id: 'trip' })).toMatchObject({ status: 422 })
  const stream = await follow(here, 'trip', { token: await here.token('eve') })
  expect(stream.response.status).toBe(409)
  expect((await follow(here, 'trip', { of: 'spaces', token: await here.token('eve') })).response.status).toBe(403)
  const { body } = await ask('GET', '/api/conversations')
  expect(JSON.stringify(body)).not.toContain('trip')
})

test("an agent's life is not for people to look into, except for an admin; waking it is", async () => {
  const here = await start()
  const { by, ask } = here
  await by('ada', 'POST', '/api/spaces/trip/messages', { text: 'A secret between us' })
  const life = '/api/conversations/agent%3Adesk'
  for (const [method, path, body] of [
    ['GET', life],
    ['GET', `${life}/events`],
    ['GET', `${life}/explain`],
    ['POST', `${life}/messages?wait=1`, { content: 'What did you hear?' }],
    ['POST', `${life}/cancel`, {}],
    ['POST', `${life}/continue`, {}],
    ['POST', '/api/conversations', { id: 'agent:desk' }],
    ['GET', '/api/agents/desk/life'],
    ['GET', '/api/agents/desk/plans'],
    ['POST', '/api/agents/desk/plans', { what: 'Spy', runAfter: '1 day' }],
    ['DELETE', '/api/agents/desk/plans/p'],
  ] as const) {
    const told = await by('eve', method, path, body, 'agent reader')
    expect(told, `${method} ${path}`).toMatchObject({ status: 403, body: { code: 'scope-missing' } })
  }
  expect((await follow(here, 'agent:desk', { token: await here.token('eve', 'reader') })).response.status).toBe(403)
  expect(JSON.stringify((await by('eve', 'GET', '/api/conversations')).body)).not.toContain('agent:desk')
  expect((await by('eve', 'GET', life, undefined, 'admin')).status).toBe(200)
  expect((await ask('GET', life, { as: 'reader' })).status).toBe(200)
  expect((await ask('GET', '/api/agents/desk/life', { as: 'reader' })).body).toMatchObject({
    conversationId: 'agent:desk',
  })
  expect(await by('eve', 'POST', '/api/agents/desk/trigger', { name: 'bell' })).toMatchObject({ status: 202 })
  expect(await ask('POST', '/api/agents/nobody/trigger', { body: { name: 'bell' } })).toMatchObject({ status: 404 })
})

test('whoever is in a space answers the calls that ask there; strangers and readers do not, nor by another door', async () => {
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
  expect(await by('bob', 'POST', path, body)).toMatchObject({ status: 200, body: { verdict: 'accepted' } })
  expect(await ask('POST', path, { as: 'agent', body })).toMatchObject({ body: { verdict: 'duplicate' } })

  // What waits for a worker or for an approval is not for everybody who sees it.
  for (const verb of ['ship', 'refund']) {
    await by('ada', 'POST', '/api/spaces/trip/messages', { text: `in trip ${verb} 7` })
    const stream = await follow(here, 'trip', { of: 'spaces', as: 'admin' })
    const seen = await stream.until(
      (each) => each.kind === 'event' && each.event.type === 'tool.started' && each.event.name === verb,
    )
    await stream.close()
    const last = seen.at(-1)
    const shown = last?.kind === 'event' && last.event.type === 'tool.started' ? last.event.toolCallId : ''
    const told = await by('bob', 'POST', path, { callId: shown, result: { parcel: 'p' } })
    expect(told, verb).toMatchObject({ status: 404, body: { code: 'unknown' } })
    await ask('POST', '/api/conversations/agent%3Adesk/cancel', { body: {} })
  }
})

test('whoever is sent away hears no more, from the next event on', async () => {
  const here = await start()
  const { by } = here
  const stream = await follow(here, 'trip', { of: 'spaces', token: await here.token('bob') })
  await stream.until(isEvent('member.joined'))
  await by('ada', 'DELETE', '/api/spaces/trip/members/human/bob')
  await by('ada', 'POST', '/api/spaces/trip/messages', { text: 'Bob is gone' })
  const rest = await stream.rest()
  expect(rest).toContain('member.left')
  expect(rest).not.toContain('Bob is gone')
  expect((await follow(here, 'trip', { of: 'spaces', token: await here.token('bob') })).response.status).toBe(403)
})
