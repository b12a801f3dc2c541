/** The groups of a person who is signed in are read again from the provider, and a person who is gone is signed out. */
import { expect, test, vi } from 'vitest'
import { Browser } from '../../../test/kit/openid-kit.ts'
import { isSignedIn, me, world, type World, type WorldOptions } from './openid-world.ts'

const MAX_AGE = 40_000
const openId = { groupsMaxAgeMs: MAX_AGE }
const withTokens: WorldOptions = { openId, provider: { refreshTokens: true } }

async function signedIn(options: WorldOptions): Promise<World & { readonly browser: Browser }> {
  const here = await world(options)
  const browser = new Browser()
  await here.signIn(browser, 'ada')
  return { ...here, browser }
}

const groupsOf = async ({ browser, url }: World & { readonly browser: Browser }): Promise<unknown> =>
  ((await me(browser, url)).body as { readonly groups?: unknown }).groups

test.each([
  ['a refresh token', { refreshTokens: true }],
  ['the userinfo endpoint', {}],
])('with %s, a request never sees groups that are older than the limit', async (_, provider) => {
  const here = await signedIn({ openId, provider })
  here.people['ada'] = { name: 'Ada', groups: ['board'] }
  here.advance(MAX_AGE / 2 - 1000)
  expect(await groupsOf(here)).toEqual(['finance', 'board'])
  here.advance(MAX_AGE / 2 + 1000)
  expect((await me(here.browser, here.url)).body).toMatchObject({ groups: ['board'], scopes: ['reader', 'agent'] })
  expect(here.lines).toEqual([])
})

test('from half of the limit on, the groups are read again without a request that waits', async () => {
  const here = await signedIn(withTokens)
  here.people['ada'] = { groups: ['board'] }
  here.advance(MAX_AGE / 2 + 1000)
  expect(await groupsOf(here)).toEqual(['finance', 'board'])
  await vi.waitFor(async () => expect(await groupsOf(here)).toEqual(['board']))
})

test('groups that change end an open stream, so that its reader connects with the new ones', async () => {
  const here = await signedIn({ ...withTokens, limits: { heartbeatMs: 20 } })
  const stream = await here.browser.fetch(`${here.url}/api/changes`, { headers: { accept: 'text/event-stream' } })
  here.people['ada'] = { groups: ['board'] }
  here.advance(MAX_AGE / 2 + 1000)
  await stream.text()
  expect(await groupsOf(here)).toEqual(['board'])
})

test.each([
  ['a refresh token', { refreshTokens: true }, 'openid-ended'],
  ['the userinfo endpoint', {}, 'openid-ended'],
])('a person whom the provider removed is signed out, with their streams: %s', async (_, provider, reason) => {
  const here = await signedIn({ openId, provider, limits: { heartbeatMs: 20 } })
  const stream = await here.browser.fetch(`${here.url}/api/changes`, { headers: { accept: 'text/event-stream' } })
  delete here.people['ada']
  here.advance(MAX_AGE / 2 + 1000)
  await stream.text()
  expect(await isSignedIn(here.browser, here.url)).toBe(false)
  expect(here.lines.map((line) => line.reason)).toEqual([reason, 'session-ended'])
})

test('a person whose last group with a scope is gone is signed out', async () => {
  const here = await signedIn(withTokens)
  here.people['ada'] = { groups: ['guests'] }
  here.advance(MAX_AGE + 1000)
  expect(await isSignedIn(here.browser, here.url)).toBe(false)
  expect(here.lines[0]).toMatchObject({
    reason: 'openid-scope',
    message: expect.stringContaining('A session was ended'),
  })
})

test('while the provider does not answer, groups decide until the limit and then requests fail, and it recovers', async () => {
  const here = await signedIn(withTokens)
  here.provider.suspend()
  here.advance(MAX_AGE / 2 + 1000)
  expect(await isSignedIn(here.browser, here.url)).toBe(true)
  await vi.waitFor(() => expect(here.lines[0]).toMatchObject({ level: 'error', reason: 'openid-unreachable' }))
  here.advance(MAX_AGE / 2)
  expect(await me(here.browser, here.url)).toMatchObject({ status: 503, body: { code: 'sign-in-unavailable' } })
  here.provider.resume()
  here.advance(11_000)
  expect(await groupsOf(here)).toEqual(['finance', 'board'])
})

test('a refresh token is used once, whatever the number of requests and processes', async () => {
  const here = await signedIn({ ...withTokens, gateways: 2 })
  const [first = '', second = ''] = here.gateways.map(({ url }) => url)
  const [value = ''] = Object.values(here.browser.cookiesOf(first))
  here.browser.setCookie(second, `holdpoint-session-${new URL(second).port}`, value)
  for (let round = 0; round < 3; round++) {
    here.people['ada'] = { groups: ['board', `round-${round}`] }
    here.advance(MAX_AGE + 1000)
    const urls = Array.from({ length: 6 }, (_, nth) => (nth % 2 === 0 ? first : second))
    const seen = await Promise.all(urls.map(async (url) => groupsOf({ ...here, url })))
    expect(seen).toEqual(urls.map(() => ['board', `round-${round}`]))
  }
  expect(here.lines).toEqual([])
})

test('without a refresh token and without groups at the userinfo endpoint, the groups are those of the sign-in', async () => {
  const here = await signedIn({ openId: { ...openId, sessionMs: 3_600_000 }, provider: { onlyIdToken: true } })
  here.people['ada'] = { groups: ['board'] }
  here.advance(3_590_000)
  expect(await groupsOf(here)).toEqual(['finance', 'board'])
  here.advance(10_000)
  expect(await isSignedIn(here.browser, here.url)).toBe(false)
})

test('a session whose groups cannot be read again ends with their age, and says so', async () => {
  const here = await signedIn({ openId })
  const { body } = await me(here.browser, here.url)
  const { expiresAt } = body as { readonly expiresAt: number }
  // The access token of this provider lasts a minute.
  expect(expiresAt - Date.now()).toBeLessThanOrEqual(60_000 + MAX_AGE)
  here.advance(59_000)
  expect(await isSignedIn(here.browser, here.url)).toBe(true)
  here.advance(MAX_AGE + 1000)
  expect(await isSignedIn(here.browser, here.url)).toBe(false)
})

test('the store has no token of the provider that can be read, and a copy of it opens no session', async () => {
  const here = await signedIn(withTokens)
  const [cookie = ''] = Object.values(here.browser.cookiesOf(here.url))
  const { items = [] } = (await here.stores[0]?.documents({ tenant: '', kind: 'gateway.session', limit: 10 })) ?? {}
  const [{ data } = { data: {} }] = items
  const text = JSON.stringify(items)
  expect(text).not.toContain(cookie)
  const { tokens } = data as { readonly tokens: string }
  // An encrypted JWT, and no signed one.
  expect(tokens.split('.')).toHaveLength(5)
  expect(text.replace(tokens, '')).not.toContain('eyJ')
})
