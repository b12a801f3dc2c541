import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose'
import { afterEach, expect, test } from 'vitest'
import type { LogLine } from '@holdpoint/gateway'
import { kit, type Kit } from './kit.ts'

const secret = 'a secret that is long enough for HS256'
const bytes = new TextEncoder().encode(secret)
const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})
async function start(...args: Parameters<typeof kit>): Promise<Kit> {
  const here = await kit(...args)
  open.push(here)
  return here
}

const claims = { tenant: 'acme', sub: 'ada', scope: 'agent resolver' }
const signed = (payload: JWTPayload, exp: string | undefined = '1m'): Promise<string> => {
  const token = new SignJWT(payload).setProtectedHeader({ alg: 'HS256' })
  return (exp ? token.setExpirationTime(exp) : token).sign(bytes)
}
const withToken = (
  { ask }: Kit,
  token: string,
  ...[method, path, options]: Parameters<Kit['ask']>
): ReturnType<Kit['ask']> =>
  ask(method, path, { ...options, as: 'anonymous', headers: { authorization: `Bearer ${token}` } })

test('a token gives the author, the tenant and the scopes', async () => {
  const here = await start({ auth: { tokens: { secret, audience: 'holdpoint' } } })
  const token = await signed({ ...claims, aud: 'holdpoint' })
  const sent = await withToken(here, token, 'POST', '/api/conversations/c1/messages?wait=5', {
    body: { content: 'hi' },
  })
  expect(sent.status).toBe(200)
  const { body } = await here.ask('GET', '/api/conversations/c1/events')
  expect(body.items[0].items[0].message.by).toBe('ada')
  expect(await withToken(here, token, 'GET', '/api/keys')).toMatchObject({ status: 403 })
  const other = await signed({ ...claims, tenant: 'umbrella', aud: 'holdpoint' })
  expect(await withToken(here, other, 'GET', '/api/conversations/c1')).toMatchObject({ status: 404 })
})

test('a token acts only for its own person; a key may name an author', async () => {
  const here = await start({ auth: { tokens: { secret } } })
  const body = { content: 'hi', by: 'grace' }
  const token = await signed(claims)
  expect(await withToken(here, token, 'POST', '/api/conversations/c1/messages', { body })).toMatchObject({
    status: 403,
  })
  expect((await here.ask('POST', '/api/conversations/c1/messages', { body })).status).toBe(202)
})

test('a token that is expired, unsigned, from another issuer, without a tenant or without an expiry is refused', async () => {
  const here = await start({ auth: { tokens: { secret, issuer: 'https://id.acme.test' } } })
  const iss = 'https://id.acme.test'
  const otherIssuer = new SignJWT({ ...claims, iss }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1m')
  const tokens = [
    await signed({ ...claims, iss }, '-1m'),
    await signed({ ...claims, iss }, ''),
    await signed({ sub: 'ada', scope: 'admin', iss }),
    await signed({ tenant: 'acme', scope: 'admin', iss }),
    await signed({ ...claims, iss: 'https://id.evil.test' }),
    new UnsecuredJWT({ ...claims, iss }).setExpirationTime('1m').encode(),
    await otherIssuer.sign(new TextEncoder().encode('another secret that is long enough')),
    'a.b.c',
  ]
  for (const token of tokens)
    expect((await withToken(here, token, 'GET', '/api/conversations')).status, token).toBe(401)
  expect((await withToken(here, await signed({ ...claims, iss }), 'GET', '/api/conversations')).status).toBe(200)
})

test('with a JWKS, a token signed with the public key as a secret is refused', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }
  const server = createServer((_, response) => response.end(JSON.stringify({ keys: [jwk] }))).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  open.push({ close: () => new Promise((resolve) => server.close(() => resolve())) })
  const jwks = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const meant = { issuer: 'https://id.acme.test', audience: 'holdpoint' }
  const here = await start({ auth: { tokens: { jwks, ...meant } } })
  const meantClaims = { ...claims, iss: meant.issuer, aud: meant.audience }
  const good = new SignJWT(meantClaims).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).setExpirationTime('1m')
  expect((await withToken(here, await good.sign(privateKey), 'GET', '/api/conversations')).status).toBe(200)
  const forged = new SignJWT(meantClaims).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).setExpirationTime('1m')
  const token = await forged.sign(new TextEncoder().encode(JSON.stringify(jwk)))
  expect((await withToken(here, token, 'GET', '/api/conversations')).status).toBe(401)
})

test('a revoked or expired key is refused', async () => {
  let now = Date.now()
  const here = await start({ now: () => now })
  const made = await here.ask('POST', '/api/keys', { body: { name: 'x', scopes: ['reader'], ttlMs: 60_000 } })
  const use = (): ReturnType<Kit['ask']> => withToken(here, made.body.key, 'GET', '/api/conversations')
  expect((await use()).status).toBe(200)
  now += 60_000
  expect((await use()).status).toBe(401)
  now -= 60_000
  expect((await use()).status).toBe(200)
  await here.ask('DELETE', `/api/keys/${made.body.id}`)
  expect((await use()).status).toBe(401)
})

test.each(['', 'short', `${'x'.repeat(40)} y`])('a key such as "%s" in the settings is refused', async (key) => {
  await expect(kit({ auth: { keys: [{ key, scopes: ['admin'] }] } })).rejects.toThrow('32 to 200')
})

test('a short token secret is refused', async () => {
  await expect(kit({ auth: { tokens: { secret: 'short' } } })).rejects.toThrow('at least 32')
})

test('a token whose sub starts with "key:" is refused, and the log says why', async () => {
  const lines: string[] = []
  const here = await start({ auth: { tokens: { secret } }, log: ({ message }) => lines.push(message) })
  const alike = ['\u043a\u0435\u0443:trusted', '\u039aEY:trusted', 'key\ua789trusted', 'key\u2236trusted']
  for (const sub of ['key:trusted', 'KEY:trusted', ' key:trusted', 'k\u200bey:trusted', 'ｋｅｙ：trusted', ...alike]) {
    const token = await signed({ ...claims, sub })
    expect(await withToken(here, token, 'GET', '/api/conversations')).toMatchObject({ status: 401 })
    expect(lines.pop()).toContain(`its sub is "${sub}"`)
  }
  const fine = await signed({ ...claims, sub: 'keyes:ada' })
  expect(await withToken(here, fine, 'POST', '/api/conversations', { body: {} })).toMatchObject({ status: 201 })
})

test('a key may act for people, but not for another key', async () => {
  const here = await start()
  const say = (by: string): ReturnType<Kit['ask']> =>
    here.ask('POST', '/api/conversations/c1/messages?wait=5', { as: 'agent', body: { content: 'hi', by } })
  expect(await say('key:admin')).toMatchObject({ status: 403, body: { code: 'scope-missing' } })
  expect((await say('key:agent')).status).toBe(200)
  expect((await say('grace')).status).toBe(200)
  await here.ask('POST', '/api/spaces', { body: { id: 'room', name: 'Room' } })
  const post = (id: string): ReturnType<Kit['ask']> =>
    here.ask('POST', '/api/spaces/room/messages', { as: 'agent', body: { text: 'hi', from: { kind: 'human', id } } })
  expect(await post('key:admin')).toMatchObject({ status: 403, body: { code: 'scope-missing' } })
})

test.each([
  [{ jwks: 'https://id.acme.test/jwks' }, 'issuer'],
  [{ jwks: 'https://id.acme.test/jwks', issuer: 'https://id.acme.test' }, 'audience'],
  [{ jwks: 'http://id.acme.test/jwks', issuer: 'https://id.acme.test', audience: 'holdpoint' }, 'https'],
  [{ jwks: 'id.acme.test', issuer: 'https://id.acme.test', audience: 'holdpoint' }, 'https'],
])('the insecure JWKS settings %j are refused at the start', async (tokens, missing) => {
  await expect(kit({ auth: { tokens: tokens as never } })).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining(missing),
  })
})

test('a token secret without an issuer or an audience gives a warning at the start', async () => {
  const lines: LogLine[] = []
  const log = (line: LogLine): void => void lines.push(line)
  await start({ auth: { tokens: { secret } }, log })
  expect(lines).toEqual([
    { level: 'warn', message: expect.stringMatching(/`issuer` and `audience`.*HOLDPOINT_ISSUER, HOLDPOINT_AUDIENCE/) },
  ])
  await start({ auth: { tokens: { secret, issuer: 'https://id.acme.test', audience: 'holdpoint' } }, log })
  expect(lines).toHaveLength(1)
})

test('a token that expires after more than a day, or more than `maxLifeMs`, is refused', async () => {
  const day = await start({ auth: { tokens: { secret } } })
  const status = async (here: Kit, exp: string): Promise<number> =>
    (await withToken(here, await signed(claims, exp), 'GET', '/api/conversations')).status
  expect([await status(day, '23h'), await status(day, '25h')]).toEqual([200, 401])
  const hour = await start({ auth: { tokens: { secret, maxLifeMs: 3_600_000 } } })
  expect([await status(hour, '59m'), await status(hour, '61m')]).toEqual([200, 401])
})

test('the log says why a credential was refused, and the response does not', async () => {
  const lines: LogLine[] = []
  const meant = { issuer: 'https://id.acme.test', audience: 'holdpoint' }
  const here = await start({ auth: { tokens: { secret, ...meant } }, log: (line) => void lines.push(line) })
  const good = { ...claims, iss: meant.issuer, aud: meant.audience }
  const other = new SignJWT(good).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1m')
  const refused: readonly (readonly [reason: string, credential: string])[] = [
    ['token-expired', await signed(good, '-1m')],
    ['token-signature', await other.sign(new TextEncoder().encode('another secret that is long enough'))],
    ['token-issuer', await signed({ ...good, iss: 'https://id.evil.test' })],
    ['token-audience', await signed({ ...good, aud: 'billing' })],
    ['token-claims', await signed({ sub: 'ada', iss: meant.issuer, aud: meant.audience })],
    ['token-claims', await signed({ ...good, tenant: 7 })],
    ['token-sub-reserved', await signed({ ...good, sub: 'key:ops' })],
    ['token-life', await signed(good, '2d')],
    ['token-algorithm', new UnsecuredJWT(good).setExpirationTime('1m').encode()],
    ['token-malformed', 'a.b.c'],
    ['key-unknown', `hp_${'A'.repeat(43)}`],
  ]
  const answers = new Set<string>()
  for (const [, credential] of refused) {
    const response = await withToken(here, credential, 'GET', '/api/conversations')
    answers.add(JSON.stringify([response.status, response.body]))
  }
  const basic = await here.ask('GET', '/api/conversations', {
    as: 'anonymous',
    headers: { authorization: 'Basic YTpi' },
  })
  answers.add(JSON.stringify([basic.status, basic.body]))
  expect(lines.map(({ reason }) => reason)).toEqual([...refused.map(([reason]) => reason), 'not-bearer'])
  expect(lines.every(({ message, reason = '' }) => message.includes(reason))).toBe(true)
  for (const [, credential] of refused) expect(JSON.stringify(lines)).not.toContain(credential)
  expect([...answers], 'one answer for all of them').toHaveLength(1)
  expect([...answers][0]).not.toMatch(/expire|signature|issuer|audience|unknown/)

  const without = await start({ log: (line) => void lines.push(line) })
  await withToken(without, await signed(good), 'GET', '/api/conversations')
  expect(lines.at(-1)).toMatchObject({ reason: 'tokens-off' })
})

test('refused credentials write at most one log line per second and reason', async () => {
  const lines: LogLine[] = []
  const here = await start({
    auth: { tokens: { secret } },
    now: () => 1_800_000_000_000,
    log: (line) => void lines.push(line),
  })
  for (let n = 0; n < 60; n++) await withToken(here, 'a.b.c', 'GET', '/api/conversations')
  expect(lines.filter(({ reason }) => reason === 'token-malformed').length).toBe(20)
})

test('an unreachable JWKS is logged as an error', async () => {
  const lines: LogLine[] = []
  const jwks = 'http://127.0.0.1:9/jwks'
  const tokens = { jwks, issuer: 'https://id.acme.test', audience: 'holdpoint' }
  const here = await start({ auth: { tokens }, log: (line) => void lines.push(line) })
  const { privateKey } = await generateKeyPair('ES256')
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).setExpirationTime('1m')
  expect((await withToken(here, await token.sign(privateKey), 'GET', '/api/conversations')).status).toBe(401)
  expect(lines).toEqual([{ level: 'error', reason: 'jwks-unreachable', message: expect.any(String) }])
})

test.each([
  [{ scope: ['agent', 'resolver'] }, '"scope" must be text with spaces between the scopes, such as "agent reader"'],
  [{ scope: 7 }, '"scope" must be text'],
  [{ tenant: undefined }, 'missing required "tenant" claim'],
  [{ tenant: 7 }, '"tenant" is not a valid name'],
  [{ tenant: '..' }, '"tenant" is not a valid name'],
  [{ sub: undefined }, 'missing required "sub" claim'],
  [{ sub: 7 }, '"sub" is not a valid name'],
  [{ groups: 'finance' }, '"groups" must be a list of names'],
  [{ tenant: undefined, tenants: 'acme' }, '"tenants" must be an array of 1 to 100 names'],
  [{ tenant: undefined, tenants: [] }, '"tenants" must be an array of 1 to 100 names'],
  [{ tenant: undefined, tenants: ['acme', 7] }, '"tenants" must be an array of 1 to 100 names'],
  [{ tenant: undefined, tenants: ['acme', '..'] }, '"tenants" must be an array of 1 to 100 names'],
  [{ tenant: undefined, tenants: { acme: true } }, '"tenants" must be an array of 1 to 100 names'],
  [{ tenants: Array.from({ length: 101 }, () => 'acme') }, '"tenants" must be an array of 1 to 100 names'],
  [{ tenant: 'acme', tenants: ['umbrella', 'acme'] }, '"tenant" must be the first of "tenants", or left out'],
])('the claims %j are refused, and the log names the claim; the caller does not learn it', async (change, message) => {
  const lines: LogLine[] = []
  const here = await start({ auth: { tokens: { secret } }, log: (line) => lines.push(line) })
  const response = await withToken(here, await signed({ ...claims, ...change } as JWTPayload), 'GET', '/api/me')
  expect(response).toMatchObject({
    status: 401,
    body: { code: 'unauthorised', detail: expect.stringMatching(/^Send/) },
  })
  expect(lines.at(-1)).toMatchObject({ reason: 'token-claims', message: expect.stringContaining(message) })
})

test('a token of several tenants chooses one in each request, and its own is the first', async () => {
  const here = await start({ auth: { tokens: { secret } } })
  const { tenant: _, ...staff } = claims
  for (const token of [
    await signed({ ...staff, tenants: ['acme', 'umbrella'] }),
    await signed({ ...claims, tenants: ['acme', 'umbrella'] }),
  ]) {
    expect(await withToken(here, token, 'GET', '/api/me')).toMatchObject({
      body: { tenant: 'acme', tenants: ['acme', 'umbrella'], by: 'ada' },
    })
    expect((await withToken(here, token, 'GET', '/api/holds?tenant=umbrella')).status).toBe(200)
    expect((await withToken(here, token, 'GET', '/api/holds?tenants=all')).status).toBe(200)
    expect((await withToken(here, token, 'GET', '/api/holds?tenant=initech')).status).toBe(403)
  }
  const one = await signed({ ...claims, tenants: ['acme'] })
  expect((await withToken(here, one, 'GET', '/api/holds?tenant=umbrella')).status).toBe(403)
})

test('a token without `scope` identifies a person who may do nothing', async () => {
  const here = await start({ auth: { tokens: { secret } } })
  const token = await signed({ tenant: 'acme', sub: 'ada' })
  expect(await withToken(here, token, 'GET', '/api/conversations')).toMatchObject({
    status: 403,
    body: { code: 'scope-missing' },
  })
})
