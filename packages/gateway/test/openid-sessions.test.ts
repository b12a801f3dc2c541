/** The session of a person who signed in: its end, sign-out, and writes from other sites. */
import { expect, test } from 'vitest'
import { Browser } from '../../../test/kit/openid-kit.ts'
import { isSignedIn, me, world } from './openid-world.ts'

test('a session expires, at the request and at an open stream', async () => {
  const here = await world({ openId: { sessionMs: 60_000 }, limits: { heartbeatMs: 20 } })
  const browser = new Browser()
  await here.signIn(browser, 'ada')
  const stream = await browser.fetch(`${here.url}/api/changes`, { headers: { accept: 'text/event-stream' } })
  expect(stream.status).toBe(200)
  here.advance(59_000)
  expect(await isSignedIn(browser, here.url)).toBe(true)
  here.advance(1000)
  expect(await me(browser, here.url)).toMatchObject({ status: 401, body: { code: 'unauthorised' } })
  expect(here.lines.at(-1)).toMatchObject({ level: 'info', reason: 'session-ended' })
  await stream.text()
})

test('a sign-out ends the session in every process on the store, with its streams, and names the page of the provider', async () => {
  const here = await world({ gateways: 2, limits: { heartbeatMs: 20 } })
  const [first = '', second = ''] = here.gateways.map(({ url }) => url)
  const browser = new Browser()
  await here.signIn(browser, 'ada', first)
  // The same browser at another process of the same gateway: cookies there have the name of the other port.
  const [value = ''] = Object.values(browser.cookiesOf(first))
  browser.setCookie(second, `holdpoint-session-${new URL(second).port}`, value)
  expect(await isSignedIn(browser, second)).toBe(true)
  const stream = await browser.fetch(`${second}/api/changes`, { headers: { accept: 'text/event-stream' } })
  const response = await browser.fetch(`${first}/auth/sign-out`, {
    method: 'POST',
    headers: { origin: first },
  })
  const { to } = (await response.json()) as { readonly to: string }
  const parameters = new URL(to).searchParams
  expect(to).toMatch(/^http:\/\/localhost:\d+\/session\/end\?/)
  expect(parameters.get('post_logout_redirect_uri')).toBe(`${first}/`)
  expect(parameters.get('id_token_hint')).toMatch(/^ey/)
  expect(browser.cookiesOf(first)).toEqual({})
  expect(await isSignedIn(browser, second)).toBe(false)
  await stream.text()
})

test('a new sign-in ends the session that the browser had, and gives another id', async () => {
  const here = await world()
  const browser = new Browser()
  await here.signIn(browser, 'ada')
  const [[name, before] = ['', '']] = Object.entries(browser.cookiesOf(here.url))
  await browser.open(`${here.url}/auth/sign-in`)
  expect(browser.cookiesOf(here.url)[name]).not.toBe(before)
  const old = new Browser()
  old.setCookie(here.url, name, before)
  expect([await isSignedIn(browser, here.url), await isSignedIn(old, here.url)]).toEqual([true, false])
})

test('a page of another site, also an allowed one, cannot write with the cookie', async () => {
  const here = await world({ origins: ['https://app.acme.test'] })
  const browser = new Browser()
  await here.signIn(browser, 'ada')
  const write = async (path: string, headers: Readonly<Record<string, string>>, body?: string): Promise<unknown> => {
    const response = await browser.fetch(here.url + path, {
      method: 'POST',
      headers,
      ...(body !== undefined && { body }),
    })
    return { status: response.status, code: ((await response.json()) as { readonly code?: string }).code }
  }
  const json = { 'content-type': 'application/json' }
  for (const path of ['/api/conversations', '/auth/sign-out'])
    for (const origin of [{}, { origin: 'https://evil.test' }, { origin: 'https://app.acme.test' }, { origin: 'null' }])
      expect(await write(path, { ...json, ...origin }, '{}')).toEqual({ status: 403, code: 'origin-not-allowed' })
  expect(await write('/api/conversations', { 'content-type': 'text/plain', origin: here.url }, '{}')).toEqual({
    status: 415,
    code: 'content-type',
  })
  expect(await isSignedIn(browser, here.url)).toBe(true)
})

test('a key still works beside a session, and the console learns how people sign in', async () => {
  const here = await world({ openId: { name: 'Acme' } })
  const { key } = (await here.gateways[0]?.gateway.keys.create('', { name: 'x', scopes: ['reader'] })) ?? { key: '' }
  const browser = new Browser()
  await here.signIn(browser, 'ada')
  const response = await browser.fetch(`${here.url}/api/me`, { headers: { authorization: `Bearer ${key}` } })
  expect(await response.json()).toMatchObject({ by: 'key:x' })
  const ways = await fetch(`${here.url}/api/console/sign-in`)
  expect(await ways.json()).toEqual({ openId: { name: 'Acme' } })
})
