/** A person lists and ends their sessions, and an admin ends those of a person of the tenant. */
import { expect, test } from 'vitest'
import { connect } from '@holdpoint/client'
import { Browser } from '../../../test/kit/openid-kit.ts'
import { isSignedIn, world, type World, type WorldOptions } from './openid-world.ts'

interface Session {
  readonly id: string
  readonly current?: true
}

const scopesByGroup = { finance: ['resolver', 'agent'], board: ['reader', 'agent'], ops: ['admin'] } as const

/** The tenant of a person is the claim `org`. */
async function sessionsWorld(options: WorldOptions = {}): Promise<World> {
  const here = await world({
    ...options,
    openId: { scopesByGroup, tenant: { claim: 'org' }, ...options.openId },
  })
  here.people['ada'] = { groups: ['finance', 'board'], org: 'acme' }
  here.people['ben'] = { groups: ['finance'], org: 'acme' }
  here.people['root'] = { groups: ['ops'], org: 'acme' }
  here.people['other-root'] = { groups: ['ops'], org: 'umbrella' }
  here.people['staff'] = { groups: ['ops'], org: ['staff', 'acme'] }
  return here
}

async function signedIn(here: World, name: string, at?: string): Promise<Browser> {
  const browser = new Browser()
  await here.signIn(browser, name, at)
  return browser
}

async function sessionsOf(here: World, browser: Browser, path = '/api/me/sessions'): Promise<readonly Session[]> {
  const response = await browser.fetch(here.url + path)
  expect(response.status).toBe(200)
  return ((await response.json()) as { readonly items: readonly Session[] }).items
}

const end = async (
  here: World,
  browser: Browser,
  path: string,
  headers: Readonly<Record<string, string>> = { origin: here.url },
): Promise<number> => (await browser.fetch(here.url + path, { method: 'DELETE', headers })).status

const stream = (here: World, browser: Browser, url = here.url): Promise<Response> =>
  browser.fetch(`${url}/api/changes`, { headers: { accept: 'text/event-stream' } })

test('a person sees the browsers in which they are signed in, and ends one of them with its streams', async () => {
  const here = await sessionsWorld({ limits: { heartbeatMs: 1_000_000 } })
  const [laptop, phone] = [await signedIn(here, 'ada'), await signedIn(here, 'ada')]
  await signedIn(here, 'ben')
  const listed = await sessionsOf(here, laptop)
  expect(listed).toHaveLength(2)
  expect(listed.filter(({ current }) => current)).toHaveLength(1)
  expect(listed[0]).toEqual(
    expect.objectContaining({ id: expect.any(String), createdAt: expect.any(Number), browser: expect.any(String) }),
  )
  const open = await stream(here, phone)
  const [other] = listed.filter(({ current }) => !current)
  expect(await end(here, laptop, `/api/me/sessions/${other?.id}`)).toBe(204)
  // At once, before the next heartbeat.
  await open.text()
  expect([await isSignedIn(laptop, here.url), await isSignedIn(phone, here.url)]).toEqual([true, false])
  expect(await sessionsOf(here, laptop)).toMatchObject([{ current: true }])
})

test('a person ends all of their other sessions, in every process', async () => {
  const here = await sessionsWorld({ gateways: 2, limits: { heartbeatMs: 20 } })
  const [, second = ''] = here.gateways.map(({ url }) => url)
  const laptop = await signedIn(here, 'ada')
  const elsewhere = await signedIn(here, 'ada', second)
  const open = await stream(here, elsewhere, second)
  const ben = await signedIn(here, 'ben')
  expect(await end(here, laptop, '/api/me/sessions')).toBe(204)
  await open.text()
  expect(await isSignedIn(elsewhere, second)).toBe(false)
  expect([await isSignedIn(laptop, here.url), await isSignedIn(ben, here.url)]).toEqual([true, true])
})

test('an admin lists and ends all sessions of a person, with the client', async () => {
  const here = await sessionsWorld()
  const [ada, again] = [await signedIn(here, 'ada'), await signedIn(here, 'ada')]
  const made = await here.gateways[0]?.gateway.keys.create('acme', { name: 'admin', scopes: ['admin'] })
  const client = connect({ url: here.url, key: made?.key ?? '' })
  expect((await client.people.sessions('ada')).items).toHaveLength(2)
  expect((await client.people.sessions('ada', { limit: 1 })).next).toEqual(expect.any(String))
  await client.people.endSessions('ada')
  expect([await isSignedIn(ada, here.url), await isSignedIn(again, here.url)]).toEqual([false, false])
  expect((await client.people.sessions('ada')).items).toEqual([])
  expect((await client.sessions.list()).items, 'a program has none').toEqual([])
  await client.sessions.endOthers()
  await client.sessions.end('x')
})

test('an admin of another tenant ends no session, and a staff admin those of the tenant that they choose', async () => {
  const here = await sessionsWorld()
  const [ada, root, otherRoot, staff] = await Promise.all(
    ['ada', 'root', 'other-root', 'staff'].map((name) => signedIn(here, name)),
  )
  if (!ada || !root || !otherRoot || !staff) throw new Error('A person is not signed in.')
  expect(await sessionsOf(here, otherRoot, '/api/people/ada/sessions')).toEqual([])
  expect(await end(here, otherRoot, '/api/people/ada/sessions')).toBe(204)
  expect(await end(here, otherRoot, '/api/people/ada/sessions?tenant=acme')).toBe(403)
  expect(await isSignedIn(ada, here.url)).toBe(true)
  // The staff's own sessions are in their own tenant: an admin of a tenant that they work for does not end them.
  expect(await sessionsOf(here, root, '/api/people/staff/sessions')).toEqual([])
  expect(await end(here, root, '/api/people/staff/sessions')).toBe(204)
  expect(await sessionsOf(here, staff, '/api/me/sessions?tenant=acme')).toHaveLength(1)
  expect(await end(here, staff, '/api/people/ada/sessions?tenant=acme')).toBe(204)
  expect([await isSignedIn(ada, here.url), await isSignedIn(staff, here.url)]).toEqual([false, true])
})

test('a person with the id of another one in another tenant has none of their sessions', async () => {
  const here = await sessionsWorld()
  const ada = await signedIn(here, 'ada')
  here.people['ada'] = { groups: ['ops'], org: 'umbrella' }
  const namesake = await signedIn(here, 'ada')
  expect(await sessionsOf(here, namesake)).toHaveLength(1)
  expect(await end(here, namesake, '/api/me/sessions')).toBe(204)
  expect(await end(here, namesake, '/api/people/ada/sessions')).toBe(204)
  expect(await isSignedIn(ada, here.url)).toBe(true)
})

test('the id of a session of another person ends nothing, and the answer is that for an unknown id', async () => {
  const here = await sessionsWorld()
  const [ada, ben] = [await signedIn(here, 'ada'), await signedIn(here, 'ben')]
  const [mine] = await sessionsOf(here, ada)
  const guesses = [mine?.id ?? '', 'unknown', `../ada/${mine?.id}`, `ada/${mine?.id}`, '%', 'ada%2F']
  for (const guess of guesses)
    expect(await end(here, ben, `/api/me/sessions/${encodeURIComponent(guess)}`), guess).toBe(204)
  for (const path of ['/api/people/ada/sessions', '/api/me/sessions?by=ada', '/api/me/sessions?person=ada'])
    expect([403, 422], path).toContain((await ben.fetch(here.url + path)).status)
  expect(await end(here, ben, '/api/people/ada/sessions')).toBe(403)
  expect(await isSignedIn(ada, here.url)).toBe(true)
})

test('the id of a session does not sign in, and the list has no secret', async () => {
  const here = await sessionsWorld()
  const ada = await signedIn(here, 'ada')
  const [[name, value] = ['', '']] = Object.entries(ada.cookiesOf(here.url))
  const text = JSON.stringify(await sessionsOf(here, ada))
  expect(text).not.toContain(value)
  expect(text).not.toMatch(/[0-9a-f]{64}|eyJ/)
  const [row] = await sessionsOf(here, ada)
  const thief = new Browser()
  thief.setCookie(here.url, name, row?.id ?? '')
  expect(await isSignedIn(thief, here.url)).toBe(false)
})

test('a page of another site cannot end sessions with the cookie of a person', async () => {
  const here = await sessionsWorld({ origins: ['https://app.acme.test'] })
  const [ada, other] = [await signedIn(here, 'ada'), await signedIn(here, 'ada')]
  const root = await signedIn(here, 'root')
  const [row] = await sessionsOf(here, ada)
  for (const headers of [
    {},
    { origin: 'https://evil.test' },
    { origin: 'https://app.acme.test' },
    { origin: 'null' },
  ]) {
    expect(await end(here, ada, '/api/me/sessions', headers)).toBe(403)
    expect(await end(here, ada, `/api/me/sessions/${row?.id}`, headers)).toBe(403)
    expect(await end(here, root, '/api/people/ada/sessions', headers)).toBe(403)
  }
  expect([await isSignedIn(ada, here.url), await isSignedIn(other, here.url)]).toEqual([true, true])
})

test('a cookie that another person put into the browser is no session after the sign-in', async () => {
  const here = await sessionsWorld()
  const name = `holdpoint-session-${new URL(here.url).port}`
  const attacker = await signedIn(here, 'ben')
  const [planted = ''] = Object.values(attacker.cookiesOf(here.url))
  for (const value of ['x'.repeat(43), planted]) {
    const victim = new Browser()
    victim.setCookie(here.url, name, value)
    await here.signIn(victim, 'ada')
    expect(victim.cookiesOf(here.url)[name]).not.toBe(value)
    const before = new Browser()
    before.setCookie(here.url, name, value)
    expect(await isSignedIn(before, here.url)).toBe(false)
  }
})

test('the export of a person has their sessions, without anything that opens them', async () => {
  const here = await sessionsWorld({ provider: { refreshTokens: true } })
  const ada = await signedIn(here, 'ada')
  const root = await signedIn(here, 'root')
  const text = await (await root.fetch(`${here.url}/api/people/ada/export`)).text()
  const sessions = text.split('\n').filter((line) => line.includes('"type":"session"'))
  expect(sessions.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      type: 'session',
      data: expect.objectContaining({
        id: expect.any(String),
        groups: ['finance', 'board'],
        scopes: expect.any(Array),
      }),
    },
  ])
  for (const cookie of Object.values(ada.cookiesOf(here.url))) expect(text).not.toContain(cookie)
  expect(text).not.toMatch(/[0-9a-f]{64}|eyJ|"tokens"|"hash"/)
})
