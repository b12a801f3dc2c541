import { expect, onTestFinished, test } from 'vitest'
import { gateway } from '@holdpoint/gateway'
import { networkOf } from '../src/auth/strangers.ts'
import { kit } from './kit.ts'

async function door() {
  const { runtime, store, close } = await kit()
  let now = Date.now()
  let looked = 0
  const get: typeof store.get = (...which) => (looked++, store.get(...which))
  const limits = { strangers: { perSecond: 1, burst: 3 } }
  const { fetch, keys } = gateway({ runtime, store: { ...store, get }, now: () => now, limits })
  onTestFinished(close)
  const ask = async (authorization: string, address: string): Promise<number> => {
    const request = new Request('http://localhost/api/conversations', { headers: { authorization } })
    return (await fetch(request, { address, hangUp: () => {} })).status
  }
  return {
    ask,
    keys,
    pass: (ms: number) => void (now += ms),
    get looked() {
      return looked
    },
  }
}
const wrong = (nth: number): string => `Bearer hp_${String(nth).padEnd(43, 'x')}`

test('whoever tries one key after the other is told to wait, before anything is looked at', async () => {
  const here = await door()
  const told = []
  for (let nth = 0; nth < 6; nth++) told.push(await here.ask(wrong(nth), '192.0.2.7'))
  expect(told).toEqual([401, 401, 401, 429, 429, 429])
  expect(here.looked).toBe(3)
  expect(await here.ask('Bearer a.b.c', '192.0.2.7')).toBe(429)
  here.pass(1000)
  expect(await here.ask(wrong(9), '192.0.2.7')).toBe(401)
  expect(await here.ask(wrong(9), '192.0.2.7')).toBe(429)
})

test('others are not kept out: from other addresses, and from the same one if they were right before', async () => {
  const here = await door()
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

test('over a real port, too', async () => {
  const { ask, close } = await kit({ socket: true, limits: { strangers: { perSecond: 1, burst: 2 } } })
  onTestFinished(close)
  const told = []
  for (let nth = 0; nth < 4; nth++)
    told.push((await ask('GET', '/api/holds', { headers: { authorization: wrong(nth) } })).status)
  expect(told).toEqual([401, 401, 429, 429])
  expect((await ask('GET', '/api/health', { as: 'nobody' })).status).toBe(200)
})

test('nothing is made under an id that nobody could name in a URL', async () => {
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
