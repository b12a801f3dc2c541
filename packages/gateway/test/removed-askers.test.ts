/** A person who asked, and was removed from the conversation or the space since, neither sees nor answers the question. */
import { SignJWT } from 'jose'
import { expect, onTestFinished, test, vi } from 'vitest'
import { kit, type Kit, type KitResponse } from './kit.ts'

const secret = 'a secret that is long enough for HS256'

type Ask = (method: string, path: string, body?: unknown) => Promise<KitResponse>

async function start(): Promise<Kit & { person(sub: string, scope?: string): Promise<Ask> }> {
  const here = await kit({ auth: { tokens: { secret } } })
  onTestFinished(() => here.close())
  return {
    ...here,
    person: async (sub, scope = 'agent reader') => {
      const jwt = new SignJWT({ sub, scope, tenant: 'acme' }).setProtectedHeader({ alg: 'HS256' })
      const token = await jwt.setExpirationTime('1m').sign(new TextEncoder().encode(secret))
      return (method, path, body) =>
        here.ask(method, path, { as: 'anonymous', body, headers: { authorization: `Bearer ${token}` } })
    },
  }
}

const VIEWS = ['mine', 'asked', 'all']
const listed = async (by: Ask): Promise<number[]> =>
  Promise.all(VIEWS.map(async (view) => (await by('GET', `/api/holds?view=${view}`)).body.items.length))

test('a person who is removed from a conversation can no longer answer what was asked of them there', async () => {
  const { person } = await start()
  const [ada, ben] = [await person('ada'), await person('ben')]
  await ada('POST', '/api/conversations/a/messages?wait=5', { content: 'Hello' })
  await ada('POST', '/api/conversations/a/participants', { add: ['ben'] })
  const { body } = await ben('POST', '/api/conversations/a/messages?wait=5', { content: 'ask size' })
  const hold = `/api/holds/a/${body.result.holds[0].callId}`
  const answer = { kind: 'answer', value: 'xl' }
  expect([await listed(ben), (await ben('GET', hold)).body.may.resolve]).toEqual([[1, 1, 1], true])
  expect((await ada('POST', `${hold}/resolve`, answer)).status).toBe(403)

  await ada('POST', '/api/conversations/a/participants', { remove: ['ben'] })
  expect(await listed(ben)).toEqual([0, 0, 0])
  expect((await ben('GET', hold)).status).toBe(403)
  expect(await ben('POST', `${hold}/resolve`, answer)).toMatchObject({ status: 403, body: { code: 'not-allowed' } })
  expect((await ben('POST', `${hold}/comments`, { text: 'Hm' })).status).toBe(403)

  await ada('POST', '/api/conversations/a/participants', { add: ['ben'] })
  expect(await listed(ben)).toEqual([1, 1, 1])
  expect((await ben('POST', `${hold}/resolve`, answer)).status).toBe(200)
})

test('a person who leaves a space can no longer answer what an agent asked them there', async () => {
  const { person, ask } = await start()
  const bob = await person('bob')
  const members = [
    { member: { kind: 'agent', id: 'desk' } },
    { member: { kind: 'human', id: 'bob' } },
    { member: { kind: 'human', id: 'ada' }, role: 'owner' },
  ]
  await ask('POST', '/api/spaces', { body: { id: 'room', name: 'Room', members } })
  await bob('POST', '/api/spaces/room/messages', { text: 'in room ask size' })
  const calls = async (): Promise<{ callId: string; may: { resolve: boolean } }[]> =>
    (await bob('GET', '/api/holds?view=mine')).body.items
  await vi.waitFor(async () => expect(await calls()).toHaveLength(1))
  const hold = `/api/holds/agent%3Adesk/${(await calls())[0]?.callId}`
  const answer = { kind: 'answer', value: 'xl' }

  await ask('DELETE', '/api/spaces/room/members/human/bob')
  expect(await listed(bob)).toEqual([0, 0, 0])
  expect((await bob('GET', hold)).status).toBe(403)
  expect((await bob('POST', `${hold}/resolve`, answer)).status).toBe(403)

  await ask('PUT', '/api/spaces/room/members/human/bob', { body: {} })
  expect((await calls())[0]?.may.resolve).toBe(true)
  expect((await bob('POST', `${hold}/resolve`, answer)).status).toBe(200)
})
