/** Who sees and does what inside a tenant: people have their own conversations, and an application may have other rules. */
import { SignJWT } from 'jose'
import { afterEach, expect, test } from 'vitest'
import { authorize } from '@holdpoint/gateway'
import { followStream, isEvent } from './follow-stream.ts'
import { kit, type Kit, type KitOptions, type KitResponse } from './kit.ts'

const secret = 'a secret that is long enough for HS256'
const open: Kit[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

type Ask = (method: string, path: string, body?: unknown) => Promise<KitResponse>

interface Here extends Kit {
  token(sub: string, scope?: string): Promise<string>
  person(sub: string, scope?: string): Promise<Ask>
}

async function start(options: KitOptions = {}): Promise<Here> {
  const here = await kit({ auth: { tokens: { secret } }, limits: { heartbeatMs: 50 }, ...options })
  open.push(here)
  const token: Here['token'] = (sub, scope = 'agent reader') =>
    new SignJWT({ sub, scope, tenant: 'acme' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1m')
      .sign(new TextEncoder().encode(secret))
  const person: Here['person'] = async (sub, scope) => {
    const headers = { authorization: `Bearer ${await token(sub, scope)}` }
    return (method, path, body) => here.ask(method, path, { as: 'anonymous', body, headers })
  }
  return { ...here, token, person }
}

const ids = (response: KitResponse): string[] => response.body.items.map((each: { id: string }) => each.id).toSorted()
const reads = (id: string): readonly string[] => [
  `/api/conversations/${id}`,
  `/api/conversations/${id}/events`,
  `/api/conversations/${id}/explain`,
  `/api/conversations/${id}/participants`,
  `/api/calls?conversationId=${id}`,
]
const writes = (id: string): readonly (readonly [string, object?])[] => [
  [`/api/conversations/${id}/messages`, { content: 'Hi' }],
  [`/api/conversations/${id}/cancel`],
  [`/api/conversations/${id}/continue`],
  [`/api/conversations/${id}/participants`, { add: ['eve'] }],
]

test('a person reads and writes their own conversations, and no other', async () => {
  const { person } = await start()
  const [ada, ben] = await Promise.all([person('ada'), person('ben')])
  await ada('POST', '/api/conversations/a/messages?wait=5', { content: 'Hello' })
  await ben('POST', '/api/conversations', { id: 'b' })
  expect(ids(await ada('GET', '/api/conversations'))).toEqual(['a'])
  expect(ids(await ben('GET', '/api/conversations'))).toEqual(['b'])
  for (const path of reads('a')) {
    expect([path, (await ada('GET', path)).status]).toEqual([path, 200])
    expect([path, await ben('GET', path)]).toMatchObject([path, { status: 403, body: { code: 'not-allowed' } }])
  }
  for (const [path, body] of writes('a'))
    expect([path, await ben('POST', path, body)]).toMatchObject([path, { status: 403, body: { code: 'not-allowed' } }])
  expect((await ada('POST', '/api/conversations/a/messages?wait=5', { content: 'Again' })).status).toBe(200)
})

test('an operator reads everything: admin, a program, and the scope conversations:read-all, which writes nothing', async () => {
  const { person, ask } = await start()
  const ada = await person('ada')
  await ada('POST', '/api/conversations/a/messages?wait=5', { content: 'Hello' })
  const [admin, auditor] = [await person('root', 'admin'), await person('ola', 'agent reader conversations:read-all')]
  for (const path of reads('a')) {
    expect([path, (await admin('GET', path)).status]).toEqual([path, 200])
    expect([path, (await auditor('GET', path)).status]).toEqual([path, 200])
    expect([path, (await ask('GET', path, { as: 'agent' })).status]).toEqual([path, 200])
  }
  expect(ids(await auditor('GET', '/api/conversations'))).toEqual(['a'])
  for (const [path, body] of writes('a'))
    expect([path, (await auditor('POST', path, body)).status]).toEqual([path, 403])
  expect((await admin('POST', '/api/conversations/a/messages?wait=5', { content: 'Hi' })).status).toBe(200)
})

test('the owner adds and removes participants; a participant may leave, and adds no one', async () => {
  const { person } = await start()
  const [ada, ben, eve] = await Promise.all([person('ada'), person('ben'), person('eve')])
  await ada('POST', '/api/conversations/a/messages?wait=5', { content: 'Hello' })
  const people = '/api/conversations/a/participants'
  expect(await ada('POST', people, { add: ['ben'] })).toMatchObject({ body: { owner: 'ada', participants: ['ben'] } })
  expect((await ben('POST', '/api/conversations/a/messages?wait=5', { content: 'Hi' })).status).toBe(200)
  expect(ids(await ben('GET', '/api/conversations'))).toEqual(['a'])
  expect((await ben('POST', people, { add: ['eve'] })).status).toBe(403)
  expect((await ben('POST', people, { remove: ['ada'] })).status).toBe(403)
  expect((await eve('POST', people, { remove: ['eve'] })).status).toBe(403)
  expect((await ben('POST', people, { remove: ['ben'] })).status).toBe(200)
  expect(await ben('GET', '/api/conversations')).toMatchObject({ body: { items: [] } })
  expect((await ben('GET', '/api/conversations/a')).status).toBe(403)
  expect(await ada('POST', people, { owner: 'ben' })).toMatchObject({ body: { owner: 'ben', participants: ['ada'] } })
  expect((await ada('POST', people, { add: ['eve'] })).status).toBe(403)
  expect((await ada('GET', '/api/conversations/a')).status).toBe(200)
  expect((await ada('POST', people, { add: [''] })).status).toBe(422)
  expect((await ada('GET', '/api/conversations/none/participants')).status).toBe(404)
})

test('a stream ends when its reader is removed, and does not open again', async () => {
  const here = await start()
  const { person, token } = here
  const ada = await person('ada')
  await ada('POST', '/api/conversations/a/messages?wait=5', { content: 'Hello' })
  await ada('POST', '/api/conversations/a/participants', { add: ['ben'] })
  const stream = await followStream(here, 'a', { token: await token('ben') })
  await stream.until(isEvent('participants.changed'))
  await ada('POST', '/api/conversations/a/participants', { remove: ['ben'] })
  await stream.until(isEvent('participants.changed'))
  await ada('POST', '/api/conversations/a/messages?wait=5', { content: 'A secret' })
  expect(await stream.rest()).not.toContain('A secret')
  expect((await followStream(here, 'a', { token: await token('ben') })).response.status).toBe(403)
})

test('the stream of an owner ends when another replaces them', async () => {
  const here = await start({ limits: {} })
  const [ada, root] = [await here.person('ada'), await here.person('root', 'admin')]
  await ada('POST', '/api/conversations/a/messages?wait=5', { content: 'Hello' })
  const stream = await followStream(here, 'a', { token: await here.token('ada') })
  await stream.until(isEvent('model.replied'))
  await root('POST', '/api/conversations/a/participants', { owner: 'ben', remove: ['ada'] })
  const ben = await here.person('ben')
  await ben('POST', '/api/conversations/a/messages?wait=5', { content: 'A secret' })
  expect(await stream.rest()).not.toContain('A secret')
})

test('the stream of an approver ends with the hold that they read it for', async () => {
  const here = await start({ limits: {} })
  const [ada, boss] = [await here.person('ada'), await here.person('boss', 'resolver reader')]
  const { body } = await ada('POST', '/api/conversations/a/messages?wait=5', { content: 'refund 5' })
  const stream = await followStream(here, 'a', { token: await here.token('boss', 'resolver reader') })
  await stream.until(isEvent('call.held'))
  await boss('POST', `/api/holds/a/${body.result.holds[0].callId}/resolve`, { kind: 'approve' })
  await ada('POST', '/api/conversations/a/messages?wait=5', { content: 'A secret' })
  expect(await stream.rest()).not.toContain('A secret')
})

test('the scope conversations:read-all does not begin the log of an autonomous agent', async () => {
  const { person } = await start()
  const auditor = await person('ola', 'agent reader conversations:read-all')
  const answer = await auditor('POST', '/api/conversations/agent%3Adesk/messages', { content: 'Hello' })
  expect(answer).toMatchObject({ status: 403, body: { code: 'scope-missing' } })
  expect((await auditor('GET', '/api/conversations/agent%3Adesk')).status).toBe(404)
})

test('a person answers what is asked of them without the right to approve, and sees no hold of others', async () => {
  const { person } = await start()
  const [ada, ben, boss] = await Promise.all([person('ada'), person('ben'), person('boss', 'resolver')])
  const { body: asked } = await ada('POST', '/api/conversations/a/messages?wait=5', { content: 'ask size' })
  const { body: gated } = await ada('POST', '/api/conversations/a2/messages?wait=5', { content: 'refund 5' })
  const [question, refund] = [asked.result.holds[0].callId, gated.result.holds[0].callId]
  const both = [String(question), String(refund)].toSorted()
  const calls = async (by: Ask, view: string): Promise<string[]> =>
    (await by('GET', `/api/holds?view=${view}`)).body.items.map((each: { callId: string }) => each.callId).toSorted()
  expect(await calls(ada, 'mine')).toEqual([question])
  expect(await calls(ada, 'asked')).toEqual(both)
  expect(await calls(ada, 'all')).toEqual(both)
  for (const view of ['mine', 'asked', 'all']) expect(await calls(ben, view)).toEqual([])
  expect(await calls(boss, 'mine')).toEqual(both)
  for (const path of [`/api/holds/a/${question}`, `/api/holds/a2/${refund}`, `/api/calls/${refund}`])
    expect([path, (await ben('GET', path)).status]).toEqual([path, 403])
  expect((await ben('POST', `/api/holds/a/${question}/resolve`, { kind: 'answer', value: 'xl' })).status).toBe(403)
  expect((await ben('POST', `/api/holds/a/${question}/comments`, { text: 'Hm' })).status).toBe(403)
  expect((await ada('POST', `/api/holds/a2/${refund}/resolve`, { kind: 'approve' })).status).toBe(403)
  expect((await boss('GET', '/api/conversations/a2')).status).toBe(200)
  expect((await ada('POST', `/api/holds/a/${question}/resolve`, { kind: 'answer', value: 'xl' })).status).toBe(200)
  expect((await boss('POST', `/api/holds/a2/${refund}/resolve`, { kind: 'approve' })).status).toBe(200)
  expect((await boss('GET', '/api/conversations/a2')).status).toBe(403)
})

test('an application replaces the rules, and calls the default rules for the rest', async () => {
  const { person } = await start({
    authorize: (caller, action, resource) =>
      authorize(caller, action, resource) ||
      (caller.id === 'helper' && action !== 'conversation.share' && resource.owner === 'ada'),
  })
  const [ada, ben, helper] = await Promise.all([person('ada'), person('ben'), person('helper')])
  await ada('POST', '/api/conversations/a/messages?wait=5', { content: 'refund 5' })
  await ben('POST', '/api/conversations/b/messages?wait=5', { content: 'refund 6' })
  expect(ids(await helper('GET', '/api/conversations'))).toEqual(['a'])
  expect((await helper('GET', '/api/conversations/a')).status).toBe(200)
  expect((await helper('GET', '/api/conversations/b')).status).toBe(403)
  expect((await helper('POST', '/api/conversations/a/cancel')).status).toBe(200)
  expect((await helper('POST', '/api/conversations/a/participants', { add: ['helper'] })).status).toBe(403)
  const { body } = await helper('GET', '/api/holds')
  expect(body.items).toEqual([])
  expect((await ben('GET', '/api/holds')).body.items).toHaveLength(1)
})

test('whom the rules of an application hide a hold from does not read its conversation, and answers it on no route', async () => {
  const { person } = await start({
    authorize: (caller, action, resource) => caller.id !== 'rex' && authorize(caller, action, resource),
  })
  const [ada, rex, boss] = await Promise.all([
    person('ada'),
    person('rex', 'resolver reader'),
    person('boss', 'resolver reader'),
  ])
  const { body } = await ada('POST', '/api/conversations/a/messages?wait=5', { content: 'ask size' })
  const { callId } = body.result.holds[0]
  const run = `/api/runs/${body.turnId}/tool-results`
  expect((await rex('GET', '/api/conversations/a')).status).toBe(403)
  expect((await rex('POST', `/api/holds/a/${callId}/resolve`, { kind: 'answer', value: 'xl' })).status).toBe(403)
  expect((await rex('POST', run, { callId, result: 'xl' })).status).toBe(403)
  expect((await boss('GET', '/api/conversations/a')).status).toBe(200)
  expect((await boss('POST', run, { callId, result: 'xl' })).status).toBe(200)
})

test('the default rules show a hold to a delegate, and to no person who is called like a group', () => {
  const caller = { tenant: 'acme', id: 'eve', kind: 'person', groups: [], scopes: ['agent'] } as const
  const hold = { to: ['group:finance'], askedBy: [] }
  const resource = { conversationId: 'a', owner: 'ada', participants: [], hold }
  const delegations = [{ from: { id: 'ann', groups: ['finance'] }, until: 0 }]
  expect(authorize(caller, 'hold.read', resource)).toBe(false)
  expect(authorize({ ...caller, delegations }, 'hold.read', resource)).toBe(true)
  expect(authorize({ ...caller, groups: ['finance'] }, 'hold.read', resource)).toBe(true)
  expect(authorize({ ...caller, id: 'group:finance' }, 'hold.read', resource)).toBe(false)
})
