import { expect, onTestFinished, test } from 'vitest'
import { gateway } from '@holdpoint/gateway'
import { clientOf, trustedProxies } from '../src/auth/trusted-proxies.ts'
import { settingsFromEnv } from '../src/settings.ts'
import { kit } from './kit.ts'

const PROXY = '10.0.0.9'
const wrong = (nth: number): string => `Bearer hp_${String(nth).padEnd(43, 'x')}`

async function setUp(options: { readonly trustedProxies?: readonly string[] | number } = {}) {
  const { runtime, store, close } = await kit()
  onTestFinished(close)
  const limits = { failedAuthentications: { perSecond: 1, burst: 3 } }
  const { fetch, keys } = gateway({ runtime, store, limits, now: () => 1_000_000, ...options })
  const ask = async (authorization: string, headers: Readonly<Record<string, string>> = {}): Promise<number> => {
    const request = new Request('http://localhost/api/conversations', { headers: { authorization, ...headers } })
    return (await fetch(request, { address: PROXY, disconnect: () => {} })).status
  }
  const make = async (): Promise<string> =>
    `Bearer ${(await keys.create('acme', { name: 'k', scopes: ['admin'] })).key}`
  return { ask, make }
}

test('a valid key that was never used passes, however many invalid ones come from the same address', async () => {
  const { ask, make } = await setUp()
  const good = await make()
  const response = []
  for (let nth = 0; nth < 5; nth++) response.push(await ask(wrong(nth)))
  expect(response).toEqual([401, 401, 401, 429, 429])
  expect(await ask(good)).toBe(200)
  expect(await ask(wrong(9))).toBe(429)
  const flood = Array.from({ length: 50 }, (_, nth) => ask(wrong(100 + nth)))
  const another = await make()
  expect(await ask(another)).toBe(200)
  expect(new Set(await Promise.all(flood))).toEqual(new Set([429]))
})

test('behind a trusted proxy, invalid keys are counted per client address', async () => {
  const { ask } = await setUp({ trustedProxies: ['10.0.0.0/8'] })
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const response = []
  for (let nth = 0; nth < 5; nth++) response.push(await ask(wrong(nth), from('192.0.2.7')))
  expect(response).toEqual([401, 401, 401, 429, 429])
  expect(await ask(wrong(7), from('192.0.2.8'))).toBe(401)
  expect(await ask(wrong(8), from('203.0.113.1, 192.0.2.7'))).toBe(429)
})

test('without the setting, forwarding headers are ignored', async () => {
  const { ask } = await setUp()
  const response = []
  for (let nth = 0; nth < 5; nth++) response.push(await ask(wrong(nth), { 'x-forwarded-for': `192.0.2.${nth}` }))
  expect(response).toEqual([401, 401, 401, 429, 429])
})

test.each<[string, readonly string[] | number, Readonly<Record<string, string>>, string]>([
  ['nothing is said', ['10.0.0.0/8'], {}, PROXY],
  [
    'the last address is the one that the proxy saw',
    ['10.0.0.0/8'],
    { 'x-forwarded-for': '1.1.1.1, 192.0.2.7' },
    '192.0.2.7',
  ],
  ['two proxies are trusted', ['10.0.0.0/8'], { 'x-forwarded-for': '192.0.2.7, 10.1.1.1' }, '192.0.2.7'],
  ['two stand before it, by number', 2, { 'x-forwarded-for': '1.1.1.1, 192.0.2.7, 172.16.0.1' }, '192.0.2.7'],
  ['one stands before it, by number', 1, { 'x-forwarded-for': '1.1.1.1, 192.0.2.7' }, '192.0.2.7'],
  ['more are said to be there than came along', 5, { 'x-forwarded-for': '192.0.2.7' }, '192.0.2.7'],
  ['another proxy is trusted', ['172.16.0.0/12'], { 'x-forwarded-for': '192.0.2.7' }, PROXY],
  ['none is trusted, by number', 0, { 'x-forwarded-for': '192.0.2.7' }, PROXY],
  ['it is said with a port', [PROXY], { 'x-forwarded-for': '192.0.2.7:4711' }, '192.0.2.7'],
  ['it is said as the standard has it', [PROXY], { forwarded: 'for=192.0.2.7;proto=https' }, '192.0.2.7'],
  ['it is an address of IPv6', [PROXY], { forwarded: 'proto=https;for="[2001:db8::1]:4711"' }, '2001:db8::1'],
  ['it is not an address', [PROXY], { 'x-forwarded-for': 'unknown' }, PROXY],
  ['two headers say the same', [PROXY], { 'x-forwarded-for': '192.0.2.7', forwarded: 'for=192.0.2.7' }, '192.0.2.7'],
  [
    'two headers differ, one of which the client may have sent',
    [PROXY],
    { 'x-forwarded-for': '1.1.1.1', forwarded: 'for=192.0.2.7' },
    PROXY,
  ],
])('where a request comes from, when %s', (_, trusted, headers, client) => {
  expect(clientOf(PROXY, new Headers(headers), trustedProxies(trusted))).toBe(client)
  expect(clientOf(`::ffff:${PROXY}`, new Headers(headers), trustedProxies(trusted))?.replace('::ffff:', '')).toBe(
    client,
  )
})

test.each(['10.0.0.0/33', '10.0.0.0/8/8', 'proxy.acme.test', '', '10.0.0.0/x'])(
  '"%s" is not a valid proxy address',
  (text) => {
    expect(() => trustedProxies([text])).toThrow(/^"trustedProxies" contains .* which is not an address such as/)
  },
)

test('the setting is a list or a number', () => {
  const read = (HOLDPOINT_TRUSTED_PROXIES: string) => settingsFromEnv({ HOLDPOINT_TRUSTED_PROXIES }).trustedProxies
  expect([read('2'), read('10.0.0.0/8, ::1'), read('')]).toEqual([2, ['10.0.0.0/8', '::1'], undefined])
  for (const count of [-1, 1.5, 100]) expect(() => trustedProxies(count)).toThrow(/as a number must be from 0 to 32/)
})
