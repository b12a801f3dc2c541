import { expect, onTestFinished, test } from 'vitest'
import { gateway } from '@holdpoint/gateway'
import { networkOf, FailedAuthenticationLimit } from '../src/auth/failed-authentication-limit.ts'
import { kit } from './kit.ts'

async function setUp() {
  const { runtime, store, close } = await kit()
  let now = Date.now()
  const limits = { failedAuthentications: { perSecond: 1, burst: 3 } }
  const { fetch, keys } = gateway({ runtime, store, now: () => now, limits })
  onTestFinished(close)
  const ask = async (authorization: string, address: string): Promise<number> => {
    const request = new Request('http://localhost/api/conversations', { headers: { authorization } })
    return (await fetch(request, { address, disconnect: () => {} })).status
  }
  return {
    ask,
    keys,
    pass: (ms: number) => void (now += ms),
  }
}
const wrong = (nth: number): string => `Bearer hp_${String(nth).padEnd(43, 'x')}`

test('a client that tries many keys gets 429', async () => {
  const here = await setUp()
  const response = []
  for (let nth = 0; nth < 6; nth++) response.push(await here.ask(wrong(nth), '192.0.2.7'))
  expect(response).toEqual([401, 401, 401, 429, 429, 429])
  expect(await here.ask('Bearer a.b.c', '192.0.2.7')).toBe(429)
  here.pass(1000)
  expect(await here.ask(wrong(9), '192.0.2.7')).toBe(401)
  expect(await here.ask(wrong(9), '192.0.2.7')).toBe(429)
})

test('over the limit, credentials from one address are verified one at a time, and the queue is limited', async () => {
  const limit = new FailedAuthenticationLimit({ perSecond: 1, burst: 1 }, () => 0)
  let [now, most] = [0, 0]
  const verify = async (): Promise<undefined> => {
    most = Math.max(most, ++now)
    await new Promise((resolve) => setImmediate(resolve))
    now--
  }
  await limit.authenticate('192.0.2.7', 'first', verify)
  const wrongOnes = Array.from({ length: 1500 }, (_, nth) => limit.authenticate('192.0.2.7', `wrong ${nth}`, verify))
  expect(await limit.authenticate('192.0.2.7', 'good', async () => 'ada'), 'there is no room').toEqual({ wait: 1 })
  const response = await Promise.all(wrongOnes)
  expect([most, response.every((each) => 'wait' in each && each.wait > 0)]).toEqual([1, true])
  expect(await limit.authenticate('192.0.2.8', 'good', async () => 'ada')).toEqual({ caller: 'ada' })
})

test('a valid credential that was never used passes after hundreds of invalid ones, also slow ones', async () => {
  const limit = new FailedAuthenticationLimit({ perSecond: 1, burst: 1 }, () => 0)
  const from = '192.0.2.7'
  await limit.authenticate(from, 'first', async () => undefined)
  // For example a token of an unknown issuer, while the issuer's public keys cannot be fetched.
  const endless = (): Promise<undefined> => new Promise(() => {})
  for (let nth = 0; nth < 3; nth++) void limit.authenticate(from, `Bearer a.b.${nth}`, endless)
  for (let nth = 0; nth < 500; nth++) void limit.authenticate(from, wrong(nth), async () => undefined)
  const good = async (): Promise<string> => 'ada'
  expect(await limit.authenticate(from, wrong(9999), good)).toEqual({ caller: 'ada' })
  expect(await limit.authenticate(from, 'Bearer good.token', good)).toEqual({ caller: 'ada' })
})

test('other addresses, and credentials that were valid before, are not limited', async () => {
  const here = await setUp()
  const { key } = await here.keys.create('acme', { name: 'k', scopes: ['admin'] })
  const good = `Bearer ${key}`
  expect(await here.ask(good, '192.0.2.7')).toBe(200)
  for (let nth = 0; nth < 6; nth++) await here.ask(wrong(nth), '192.0.2.7')
  expect(await here.ask(good, '192.0.2.7')).toBe(200)
  expect(await here.ask(wrong(1), '192.0.2.8')).toBe(401)
  const { id } = (await here.keys.list('acme', undefined, 50)).items.find(({ name }) => name === 'k')!
  await here.keys.revoke('acme', id)
  expect(await here.ask(good, '192.0.2.9')).toBe(401)
  expect(await here.ask(good, '192.0.2.7')).toBe(429)
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s is of the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('the limit works over a real port', async () => {
  const { ask, close } = await kit({ socket: true, limits: { failedAuthentications: { perSecond: 1, burst: 2 } } })
  onTestFinished(close)
  const response = []
  for (let nth = 0; nth < 4; nth++)
    response.push((await ask('GET', '/api/holds', { headers: { authorization: wrong(nth) } })).status)
  expect(response).toEqual([401, 401, 429, 429])
  expect((await ask('GET', '/api/health', { as: 'anonymous' })).status).toBe(200)
})

test('an id that cannot be part of a URL is refused', async () => {
  const { ask, close } = await kit()
  onTestFinished(close)
  for (const id of ['.', '..']) {
    expect(await ask('POST', '/api/conversations', { body: { id } })).toMatchObject({
      status: 422,
      body: { code: 'bad-request' },
    })
    expect(await ask('POST', '/api/agents', { body: { name: id } })).toMatchObject({ status: 422 })
  }
  expect((await ask('POST', '/api/conversations', { body: { id: '...' } })).status).toBe(201)
  expect((await ask('GET', '/api/conversations/...')).status).toBe(200)
})
