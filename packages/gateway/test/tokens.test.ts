import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose'
import { afterEach, expect, test } from 'vitest'
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
  ask(method, path, { ...options, as: 'nobody', headers: { authorization: `Bearer ${token}` } })

test('a token says who speaks, for which tenant, and with what right', async () => {
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

test('a token speaks for nobody else, a key for whom it says', async () => {
  const here = await start({ auth: { tokens: { secret } } })
  const body = { content: 'hi', by: 'grace' }
  const token = await signed(claims)
  expect(await withToken(here, token, 'POST', '/api/conversations/c1/messages', { body })).toMatchObject({
    status: 403,
  })
  expect((await here.ask('POST', '/api/conversations/c1/messages', { body })).status).toBe(202)
})

test('what is expired, unsigned, of another signer, without a tenant or without an end is no token', async () => {
  const here = await start({ auth: { tokens: { secret, issuer: 'https://id.acme.test' } } })
  const iss = 'https://id.acme.test'
  const stranger = new SignJWT({ ...claims, iss }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1m')
  const tokens = [
    await signed({ ...claims, iss }, '-1m'),
    await signed({ ...claims, iss }, ''),
    await signed({ sub: 'ada', scope: 'admin', iss }),
    await signed({ tenant: 'acme', scope: 'admin', iss }),
    await signed({ ...claims, iss: 'https://id.evil.test' }),
    new UnsecuredJWT({ ...claims, iss }).setExpirationTime('1m').encode(),
    await stranger.sign(new TextEncoder().encode('another secret that is long enough')),
    'a.b.c',
  ]
  for (const token of tokens)
    expect((await withToken(here, token, 'GET', '/api/conversations')).status, token).toBe(401)
  expect((await withToken(here, await signed({ ...claims, iss }), 'GET', '/api/conversations')).status).toBe(200)
})

test('with a JWKS, the public key is no secret that anybody could sign with', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }
  const server = createServer((_, response) => response.end(JSON.stringify({ keys: [jwk] }))).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  open.push({ close: () => new Promise((resolve) => server.close(() => resolve())) })
  const jwks = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const here = await start({ auth: { tokens: { jwks } } })
  const good = new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).setExpirationTime('1m')
  expect((await withToken(here, await good.sign(privateKey), 'GET', '/api/conversations')).status).toBe(200)
  const forged = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).setExpirationTime('1m')
  const token = await forged.sign(new TextEncoder().encode(JSON.stringify(jwk)))
  expect((await withToken(here, token, 'GET', '/api/conversations')).status).toBe(401)
})

test('a key that is revoked, or whose time is over, is of no use', async () => {
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

test('a secret for tokens that is too short is refused', async () => {
  await expect(kit({ auth: { tokens: { secret: 'short' } } })).rejects.toThrow('at least 32')
})
