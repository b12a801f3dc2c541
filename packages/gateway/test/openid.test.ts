/** Sign-in by OpenID Connect over real HTTP, with a real provider: the way to the provider and back. */
import { expect, test } from 'vitest'
import { Browser } from '../../../test/kit/openid-kit.ts'
import { isSignedIn, lastReason, me, untilCallback, world } from './openid-world.ts'

test('a person signs in at the provider, returns to the page, and has the groups and scopes of the claims', async () => {
  const here = await world()
  const browser = new Browser()
  const page = await here.signIn(browser, 'ada')
  expect(page.url, 'the page that was open, and no code in the address').toBe(`${here.url}/holds?mine=1`)
  const { status, body } = await me(browser, here.url)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    tenant: '',
    kind: 'person',
    by: 'ada',
    name: 'Ada Lovelace',
    groups: ['finance', 'board'],
    scopes: ['resolver', 'agent', 'reader'],
    expiresAt: expect.any(Number),
  })
  const made = await browser.fetch(`${here.url}/api/conversations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: here.url },
    body: '{"id":"c1"}',
  })
  expect(made.status).toBe(201)
  const admin = await browser.fetch(`${here.url}/api/keys`)
  expect(admin.status, 'no scope that the groups do not give').toBe(403)
  expect(here.lines).toMatchObject([{ event: 'request-refused', code: 'scope-missing' }])
})

test('a person of several tenants chooses one in each request', async () => {
  const here = await world({ openId: { tenant: { claim: 'org' } } })
  const browser = new Browser()
  await here.signIn(browser, 'grace')
  expect((await me(browser, here.url)).body).toMatchObject({ tenant: 'staff', tenants: ['staff', 'acme'] })
  expect(await (await browser.fetch(`${here.url}/api/me?tenant=acme`)).json()).toMatchObject({ tenant: 'acme' })
  expect((await browser.fetch(`${here.url}/api/me?tenant=umbrella`)).status).toBe(403)
})

test('the cookies cannot be read by scripts, and the store has no session id', async () => {
  const here = await world()
  const browser = new Browser()
  const response = await browser.fetch(`${here.url}/auth/sign-in`)
  expect(response.status).toBe(303)
  const [line = ''] = response.headers.getSetCookie()
  expect(line).toMatch(/^holdpoint-sign-in-\d+=ey[^;]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/)
  const to = new URL(response.headers.get('location') ?? '')
  expect(Object.fromEntries(to.searchParams)).toMatchObject({ response_type: 'code', code_challenge_method: 'S256' })
  expect(line).not.toContain(to.searchParams.get('state'))
  await here.signIn(browser, 'ada')
  const cookies = browser.cookiesOf(here.url)
  expect(Object.keys(cookies), 'the record of the sign-in is gone').toEqual([
    expect.stringMatching(/^holdpoint-session-\d+$/),
  ])
  const [value = ''] = Object.values(cookies)
  const sessions = await here.stores[0]?.documents({ tenant: '', kind: 'gateway.session', limit: 10 })
  expect(sessions?.items).toMatchObject([{ data: { person: { id: 'ada' } }, until: expect.any(Number) }])
  expect(JSON.stringify(sessions)).not.toContain(value)
})

test('with an https URL the cookies have the prefix __Host- and are Secure', async () => {
  const here = await world({
    openId: { url: 'https://holdpoint.acme.test' },
    hosts: ['127.0.0.1', 'holdpoint.acme.test'],
  })
  const response = await new Browser().fetch(`${here.url}/auth/sign-in`)
  expect(response.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-holdpoint-sign-in=ey[^;]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/),
  ])
  const to = new URL(response.headers.get('location') ?? '')
  expect(to.searchParams.get('redirect_uri')).toBe('https://holdpoint.acme.test/auth/callback')
})

test.each([
  ['a wrong state', 'state', 'openid-state'],
  ['no state', undefined, 'openid-state'],
  ['a wrong code', 'code', 'openid-exchange'],
])('a callback with %s signs no one in, and the log says why', async (_, name, reason) => {
  const here = await world()
  const browser = new Browser()
  const callback = new URL(await untilCallback(browser, here.url))
  if (name === undefined) callback.searchParams.delete('state')
  else callback.searchParams.set(name, 'x'.repeat(43))
  const page = await browser.open(callback.href)
  expect(page.url).toMatch(/#sign-in=failed$/)
  expect(lastReason(here)).toBe(reason)
  expect(await isSignedIn(browser, here.url)).toBe(false)
})

test('a callback that another browser started signs no one in', async () => {
  const here = await world()
  const callback = await untilCallback(new Browser(), here.url)
  const victim = new Browser()
  expect((await victim.open(callback)).url).toBe(`${here.url}/#sign-in=failed`)
  expect(here.lines.at(-1)).toMatchObject({ reason: 'openid-state', message: expect.stringContaining('no cookie') })
  await victim.open(`${here.url}/auth/sign-in`, (to) => to.startsWith('http://localhost'))
  await victim.open(callback)
  expect(lastReason(here), 'during a sign-in of the victim too').toBe('openid-state')
  expect(await isSignedIn(victim, here.url)).toBe(false)
})

test('a code works once', async () => {
  const here = await world()
  const browser = new Browser()
  const callback = await untilCallback(browser, here.url)
  const [[name, value] = ['', '']] = Object.entries(browser.cookiesOf(here.url))
  await browser.open(callback)
  expect(await isSignedIn(browser, here.url)).toBe(true)
  const replaying = new Browser()
  replaying.setCookie(here.url, name, value)
  await replaying.open(callback)
  expect(lastReason(here)).toBe('openid-exchange')
  expect(await isSignedIn(replaying, here.url)).toBe(false)
})

test('an ID token for another sign-in is refused by its nonce', async () => {
  const here = await world()
  const browser = new Browser()
  await browser.open(await untilCallback(browser, here.url, (to) => to.searchParams.set('nonce', 'of-another-sign-in')))
  expect(lastReason(here)).toBe('openid-nonce')
  expect(await isSignedIn(browser, here.url)).toBe(false)
})

test('a code that was requested without the verifier of this browser is refused', async () => {
  const here = await world()
  const browser = new Browser()
  await browser.open(
    await untilCallback(browser, here.url, (to) => to.searchParams.set('code_challenge', 'x'.repeat(43))),
  )
  expect(here.lines.at(-1)).toMatchObject({
    reason: 'openid-exchange',
    message: expect.stringContaining('invalid_grant'),
  })
})

test('a sign-in that takes longer than ten minutes, and one that the person cancels, are refused', async () => {
  const here = await world()
  const browser = new Browser()
  const callback = await untilCallback(browser, here.url)
  here.advance(601_000)
  await browser.open(callback)
  expect(here.lines.at(-1)).toMatchObject({ reason: 'openid-state', message: expect.stringContaining('too long ago') })
  const other = new Browser()
  const page = await other.open(`${here.url}/auth/sign-in`)
  const [, abort = ''] = /href="([^"]+\/abort)"/.exec(page.text) ?? []
  expect((await other.open(new URL(abort, page.url).href)).url).toMatch(/#sign-in=failed$/)
  expect(here.lines.at(-1)).toMatchObject({
    reason: 'openid-denied',
    message: expect.stringContaining('access_denied'),
  })
})

test.each([
  ['bob', 'no-access', 'openid-scope', '"bob" is in no group of `scopesByGroup` (groups: guests)'],
  ['odd', 'failed', 'openid-claims', 'the groups claim "groups" must be an array of at most 1000 names'],
  ['key:trusted', 'failed', 'openid-claims', 'reserved for keys'],
])('%s is not let in: %s, and the log says %s', async (name, shown, reason, message) => {
  const here = await world()
  const browser = new Browser()
  expect((await here.signIn(browser, name)).url).toBe(`${here.url}/holds?mine=1#sign-in=${shown}`)
  expect(here.lines).toMatchObject([{ level: 'warn', reason, message: expect.stringContaining(message) }])
  expect(await isSignedIn(browser, here.url)).toBe(false)
})

test('a provider that cannot be reached is an error in the log, and the next sign-in asks it again', async () => {
  const here = await world()
  here.provider.suspend()
  const browser = new Browser()
  expect((await browser.open(`${here.url}/auth/sign-in?return=/holds`)).url).toBe(
    `${here.url}/holds#sign-in=unavailable`,
  )
  expect(here.lines.at(-1)).toMatchObject({ level: 'error', reason: 'openid-unreachable' })
  here.provider.register(here.url)
  await here.signIn(browser, 'ada')
  expect(await isSignedIn(browser, here.url)).toBe(true)
})

test('a stranger cannot make the gateway ask the provider without limit', async () => {
  const here = await world({ limits: { failedAuthentications: { perSecond: 0.001, burst: 2 } } })
  for (let nth = 0; nth < 4; nth++) await new Browser().open(`${here.url}/auth/callback?code=x&state=${nth}`)
  const guessing = new Browser()
  guessing.setCookie(here.url, `holdpoint-session-${new URL(here.url).port}`, 'x'.repeat(43))
  expect((await me(guessing, here.url)).status).toBe(429)
  const browser = new Browser()
  await here.signIn(browser, 'ada')
  expect(await isSignedIn(browser, here.url), 'who can sign in is not kept out').toBe(true)
})

test('the secret of the client is in no log line', async () => {
  const here = await world({ openId: { clientSecret: 'a wrong secret of the client' } })
  const browser = new Browser()
  await here.signIn(browser, 'ada')
  expect(here.lines.at(-1)).toMatchObject({ reason: 'openid-exchange', message: expect.stringContaining('its secret') })
  const other = new Browser()
  const started = await other.open(`${here.url}/auth/sign-in`, (to) => to.startsWith('http://localhost'))
  const state = new URL(started.url).searchParams.get('state') ?? ''
  const said = new URLSearchParams({
    state,
    iss: here.provider.issuer,
    error: 'x',
    error_description: 'a wrong secret of the client',
  })
  await other.open(`${here.url}/auth/callback?${said.toString()}`)
  expect(here.lines.at(-1)?.message).toBe('A sign-in was refused (openid-denied): the provider answered x [redacted]')
})
