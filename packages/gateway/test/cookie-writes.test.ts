/**
 * Cross-site request forgery: a browser adds the cookie of the application's own login to a request from any page, so a
 * write with a cookie must come from a page of the same host.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { kit, type Kit, type KitResponse } from './kit.ts'

const PARTNER = 'https://partner.test'

let here: Kit
beforeEach(async () => {
  here = await kit({
    origins: [PARTNER],
    auth: {
      authenticate: ({ headers }) => {
        const id = /(?:^|; )sid=(\w+)/.exec(headers.get('cookie') ?? '')?.[1] ?? headers.get('x-session')
        return id === null ? undefined : { id, tenant: 'acme', scopes: ['admin'] }
      },
    },
  })
})
afterEach(() => here.close())

const WRITES = [
  ['POST', '/api/conversations', { id: 'c1' }],
  ['POST', '/api/conversations/c1/cancel', undefined],
  ['PUT', '/api/people/ann', { groups: [] }],
  ['DELETE', '/api/people/ann', undefined],
] as const

const say = (
  [method, path, body]: (typeof WRITES)[number],
  headers: Readonly<Record<string, string>>,
): Promise<KitResponse> => here.ask(method, path, { as: 'anonymous', headers, ...(body && { body }) })
const ofForgery = { status: 403, body: { code: 'origin-not-allowed' } }

test.for(WRITES)('%s %s with a cookie needs the origin of the gateway’s own host', async (write) => {
  const cookie = { cookie: 'theme=dark; sid=ada' }
  for (const origin of ['http://localhost', 'https://localhost'])
    expect((await say(write, { ...cookie, origin })).status).not.toBe(403)
  expect(await say(write, cookie)).toMatchObject(ofForgery)
  for (const origin of ['null', 'https://evil.test', 'http://localhost.evil.test', 'http://localhost:81', PARTNER])
    expect(await say(write, { ...cookie, origin }), origin).toMatchObject(ofForgery)
})

test('an origin that may use the gateway with a token may not use it with the cookie of a person', async () => {
  const [write] = WRITES
  const token = { authorization: `Bearer ${here.key('acme', 'admin')}` }
  expect((await say(write, { ...token, origin: PARTNER })).status).toBe(201)
  expect(await say(write, { cookie: 'sid=ada', origin: PARTNER })).toMatchObject(ofForgery)
  const read = await here.ask('GET', '/api/me', { as: 'anonymous', headers: { cookie: 'sid=ada', origin: PARTNER } })
  // Without this header the browser does not show the response to the page.
  expect(read.headers.has('access-control-allow-credentials')).toBe(false)
})

test('reads with a cookie, and writes with another credential, need no origin', async () => {
  const [write] = WRITES
  const cookie = { cookie: 'sid=ada' }
  expect((await here.ask('GET', '/api/me', { as: 'anonymous', headers: cookie })).body).toMatchObject({ by: 'ada' })
  expect((await say(write, { 'x-session': 'ada' })).status).toBe(201)
  expect((await say(write, { ...cookie, authorization: `Bearer ${here.key('acme', 'admin')}` })).status).toBe(201)
})
