/** Erasing spaces and the logs of autonomous agents over HTTP: who may, and what later requests are told. */
import { connect } from '@holdpoint/client'
import { expect, test } from 'vitest'
import { followStream, isEvent } from './follow-stream.ts'
import { personKit, type PersonKit } from './person-kit.ts'

const SPACE = '/api/spaces/room'
const LIFE = '/api/agents/desk/life'

async function withSpace(here: PersonKit) {
  const [ada, ben, cy] = [await here.person('ada'), await here.person('ben'), await here.person('cy')]
  await ada('POST', '/api/spaces', { id: 'room', name: 'Room', members: [{ member: { kind: 'human', id: 'ben' } }] })
  await ada('POST', `${SPACE}/messages`, { text: 'My secret' })
  return { ada, ben, cy }
}

test('an owner erases a space; a member, a stranger and a key without admin do not', async () => {
  const here = await personKit()
  const { ada, ben, cy } = await withSpace(here)
  expect(await ben('DELETE', SPACE)).toMatchObject({ status: 403, body: { code: 'not-allowed' } })
  expect(await cy('DELETE', SPACE)).toMatchObject({ status: 403, body: { code: 'not-a-member' } })
  for (const as of ['agent', 'reader'] as const)
    expect(await here.ask('DELETE', SPACE, { as })).toMatchObject({ status: 403, body: { code: 'scope-missing' } })
  expect(await here.ask('DELETE', SPACE, { tenant: 'umbrella' })).toMatchObject({ status: 404 })
  expect(await here.ask('DELETE', '/api/spaces/none')).toMatchObject({ status: 404, body: { code: 'space-missing' } })
  expect(await ada('DELETE', `${SPACE}?reason=request+12`)).toMatchObject({ status: 204 })

  const erased = { by: 'ada', reason: 'request 12', at: expect.any(Number) }
  expect(await here.ask('GET', SPACE)).toMatchObject({ status: 200, body: { members: [], messages: [], erased } })
  expect((await here.ask('GET', `${SPACE}/events`)).body.items).toMatchObject([{ type: 'space.erased', ...erased }])
  expect((await here.ask('GET', '/api/spaces')).body.items).toEqual([])
  // Erased before, and by whatever caller.
  expect(await here.ask('DELETE', SPACE)).toMatchObject({ status: 204 })
})

test('the owner who erased a space may send the same request again', async () => {
  const { ada, ben } = await withSpace(await personKit())
  expect(await ada('DELETE', SPACE)).toMatchObject({ status: 204 })
  expect(await ada('DELETE', SPACE)).toMatchObject({ status: 204 })
  expect(await ben('DELETE', SPACE)).toMatchObject({ status: 410, body: { code: 'erased' } })
})

test('every later request about the space is told that it was erased, also by its former members', async () => {
  const here = await personKit()
  const { ada, ben } = await withSpace(here)
  expect(await here.ask('DELETE', SPACE)).toMatchObject({ status: 204 })
  const gone = { status: 410, body: { code: 'erased' } }
  for (const [method, path, body] of [
    ['GET', SPACE],
    ['GET', `${SPACE}/events`],
    ['DELETE', SPACE],
    ['POST', `${SPACE}/messages`, { text: 'Hello?' }],
    ['POST', `${SPACE}/tool-results`, { callId: 'x', result: 1 }],
    ['PUT', `${SPACE}/members/human/cy`, {}],
    ['DELETE', `${SPACE}/members/human/ben`],
    ['PUT', `${SPACE}/read`, { upTo: 1 }],
    ['POST', '/api/spaces', { id: 'room', name: 'Room' }],
  ] as const)
    for (const person of [ada, ben])
      expect([method, path, await person(method, path, body)]).toMatchObject([method, path, gone])
  expect(await here.ask('POST', '/api/conversations/room/cancel', { body: {} })).toMatchObject({
    status: 409,
    body: { code: 'is-a-space' },
  })
})

test('a reader who follows the space gets the tombstone, and then nothing', async () => {
  const here = await personKit({ limits: { heartbeatMs: 50 } })
  await withSpace(here)
  const live = await followStream(here, 'room', { of: 'spaces' })
  await live.until(isEvent('message.posted'))
  await here.ask('DELETE', SPACE)
  expect((await live.until(isEvent('space.erased'))).filter(({ kind }) => kind === 'event')).toHaveLength(1)
  await here.api.close()
  expect(await live.rest()).not.toMatch(/^data:/m)
})

test('an admin erases the log of an agent; others do not, and it wakes no more', async () => {
  const here = await personKit()
  const ada = await here.person('ada')
  const trigger = () => here.ask('POST', '/api/agents/desk/trigger', { body: { name: 'ship secret' } })
  expect(await trigger()).toMatchObject({ status: 202 })
  expect(await ada('DELETE', LIFE)).toMatchObject({ status: 403, body: { code: 'scope-missing' } })
  expect(await ada('DELETE', '/api/conversations/agent:desk')).toMatchObject({ status: 403 })
  expect(await here.ask('DELETE', LIFE, { as: 'agent' })).toMatchObject({ status: 403 })
  expect(await here.ask('DELETE', '/api/agents/other/life')).toMatchObject({ status: 404 })
  expect(await here.ask('DELETE', `${LIFE}?cancel=true&reason=request+12`)).toMatchObject({ status: 204 })

  const erased = { by: 'key:admin', reason: 'request 12', at: expect.any(Number) }
  expect(await here.ask('GET', LIFE)).toMatchObject({ status: 200, body: { inbox: [], goals: [], waiting: 0, erased } })
  const gone = { status: 410, body: { code: 'erased' } }
  expect(await trigger()).toMatchObject(gone)
  expect(
    await here.ask('POST', '/api/agents/desk/plans', { body: { what: 'Look', runAfter: '1 hour' } }),
  ).toMatchObject(gone)
  expect(
    await here.ask('POST', '/api/conversations/agent:desk/messages', { body: { content: 'Hello?' } }),
  ).toMatchObject(gone)
  const { body } = await here.ask('GET', '/api/conversations/agent:desk/events')
  expect(body.items).toMatchObject([{ type: 'conversation.erased' }])
})

test('the client erases spaces and agents, and is told why it cannot', async () => {
  const here = await personKit()
  await withSpace(here)
  const fetch = (url: string, init: RequestInit) => here.api.fetch(new Request(url, init))
  const hp = connect({ url: 'http://localhost', key: here.key('acme', 'admin'), fetch })
  await hp.agents.setPlan('desk', { what: 'Look', runAfter: '1 hour' })
  expect(await hp.agents.erase('desk')).toMatchObject({ ok: false, refusal: 'turn-in-progress' })
  expect(await hp.agents.erase('desk', { cancel: true })).toEqual({ ok: true })
  expect((await hp.agents.life('desk'))?.erased).toMatchObject({ by: 'key:admin' })
  await expect(hp.agents.trigger('desk', { name: 'wake' })).rejects.toMatchObject({ code: 'erased' })

  expect(await hp.spaces.erase('none')).toMatchObject({ ok: false, refusal: 'space-missing' })
  expect(await hp.spaces.erase('room', { reason: 'request 12' })).toEqual({ ok: true })
  expect((await hp.spaces.view('room'))?.erased).toMatchObject({ reason: 'request 12' })
  expect(await hp.spaces.post('room', 'Hello?', { from: { kind: 'human', id: 'ada' } })).toMatchObject({
    ok: false,
    refusal: 'erased',
  })
})
