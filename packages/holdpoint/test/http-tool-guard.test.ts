import { describe, expect, test } from 'vitest'
import { nodeNetwork } from '../src/http-tool/connect.ts'
import { httpTool } from '../src/http-tool/http-tool.ts'
import { httpToolOn } from '../src/http-tool/http-tool-on.ts'
import { isPublicAddress } from '../src/http-tool/public-address.ts'
import {
  base,
  json,
  PUBLIC,
  PUBLIC_6,
  redirect,
  run,
  serve,
  testNetwork,
  type Made,
  type Options,
  type TestNetwork,
} from './http-tool-kit.ts'

const NOT_PUBLIC = (host: string): object => ({
  message: `The address of ${host} is not public. The tool's author can permit it with "allowPrivate: true".`,
})

const on = (network: TestNetwork, options: Partial<Options> = {}): Made => httpToolOn(network)({ ...base, ...options })

/** Everything that is our own machine or network, and how people have written it to get past a filter. */
const OURS: ReadonlyArray<readonly [written: string, address: string]> = [
  ['127.0.0.1', '127.0.0.1'],
  ['127.1', '127.0.0.1'],
  ['127.0.0.1.', '127.0.0.1'],
  ['0x7f.1', '127.0.0.1'],
  ['0x7f000001', '127.0.0.1'],
  ['0177.0.0.1', '127.0.0.1'],
  ['017700000001', '127.0.0.1'],
  ['2130706433', '127.0.0.1'],
  ['%31%32%37.0.0.1', '127.0.0.1'],
  ['①②⑦.0.0.1', '127.0.0.1'],
  ['127.255.255.254', '127.255.255.254'],
  ['0', '0.0.0.0'],
  ['0.0.0.0', '0.0.0.0'],
  ['10.0.0.1', '10.0.0.1'],
  ['100.64.0.1', '100.64.0.1'],
  ['100.127.255.255', '100.127.255.255'],
  ['169.254.169.254', '169.254.169.254'],
  ['0xa9fea9fe', '169.254.169.254'],
  ['172.16.0.1', '172.16.0.1'],
  ['172.31.255.255', '172.31.255.255'],
  ['192.0.0.192', '192.0.0.192'],
  ['192.0.2.7', '192.0.2.7'],
  ['192.88.99.1', '192.88.99.1'],
  ['192.168.1.1', '192.168.1.1'],
  ['198.18.0.1', '198.18.0.1'],
  ['198.51.100.7', '198.51.100.7'],
  ['203.0.113.7', '203.0.113.7'],
  ['224.0.0.1', '224.0.0.1'],
  ['240.0.0.1', '240.0.0.1'],
  ['255.255.255.255', '255.255.255.255'],
  ['[::]', '::'],
  ['[::1]', '::1'],
  ['[0:0:0:0:0:0:0:1]', '::1'],
  ['[::127.0.0.1]', '::7f00:1'],
  ['[::ffff:127.0.0.1]', '::ffff:7f00:1'],
  ['[::ffff:7f00:1]', '::ffff:7f00:1'],
  ['[::ffff:0:127.0.0.1]', '::ffff:0:7f00:1'],
  ['[::ffff:8.8.8.8]', '::ffff:808:808'],
  ['[64:ff9b::7f00:1]', '64:ff9b::7f00:1'],
  ['[64:ff9b:1::1]', '64:ff9b:1::1'],
  ['[100::1]', '100::1'],
  ['[2001::1]', '2001::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2002:7f00:1::]', '2002:7f00:1::'],
  ['[3fff::1]', '3fff::1'],
  ['[5f00::1]', '5f00::1'],
  ['[fc00::1]', 'fc00::1'],
  ['[fd00::1]', 'fd00::1'],
  ['[fe80::1]', 'fe80::1'],
  ['[fec0::1]', 'fec0::1'],
  ['[ff02::1]', 'ff02::1'],
]

describe('An address of ours', () => {
  test.each(OURS)('written %s is refused when the tool is defined', (written, address) => {
    expect(() => httpTool({ ...base, url: `https://${written}/` })).toThrow(
      `Tool "api.call": the address of ${address} is not public. If the tool is meant to call it, say "allowPrivate: true".`,
    )
  })

  test.each(OURS)('written %s is refused as the target of a redirect', async (written, address) => {
    const ascii = written.replaceAll(/[^ -~]/gu, encodeURIComponent)
    const server = await serve(redirect(`https://${ascii}/`), { secure: true })
    const network = testNetwork(server.port, { 'api.test': [[PUBLIC]] })
    expect(await run(on(network))).toMatchObject(NOT_PUBLIC(address))
    expect(network.dialled).toEqual([[[PUBLIC], 443]])
  })

  test.each(OURS)('written %s is refused when a public name resolves to it', async (_, address) => {
    const network = testNetwork(1, { 'api.test': [[address]] })
    expect(await run(on(network))).toMatchObject(NOT_PUBLIC('api.test'))
    expect(network.dialled).toEqual([])
  })

  test('is refused by its name', () => {
    expect(() => httpTool({ ...base, url: 'https://localhost/' })).toThrow('the address of localhost is not public')
    expect(() => httpTool({ ...base, url: 'https://api.localhost/' })).toThrow(
      'the address of api.localhost is not public',
    )
  })

  test('is refused by a name that the system resolves', async () => {
    const server = await serve(redirect('https://localhost/'), { secure: true })
    const network = testNetwork(server.port, { 'api.test': [[PUBLIC]] })
    const resolve: TestNetwork['resolve'] = (hostname) =>
      (hostname === 'localhost' ? nodeNetwork : network).resolve(hostname)
    expect(await run(on({ ...network, resolve }))).toMatchObject(NOT_PUBLIC('localhost'))
    expect(network.dialled).toEqual([[[PUBLIC], 443]])
  })
})

describe('The guard', () => {
  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '93.184.216.34',
    '100.128.0.1',
    '172.32.0.1',
    '192.169.0.1',
    '223.255.255.255',
    '2606:2800:220:1::1',
    '2a00:1450::1',
    '2001:4860::8888',
  ])('lets %s through', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  test.each(['', 'localhost', '1.2.3', '08.8.8.8', '8.8.8.8/32', '2606:2800:220:1::1%eth0', '4000::1', '1fff::1'])(
    'takes %s for no public address',
    (address) => {
      expect(isPublicAddress(address)).toBe(false)
    },
  )

  test('refuses a name when only one of its addresses is ours', async () => {
    const network = testNetwork(1, { 'api.test': [[PUBLIC, '10.0.0.7']] })
    const told = await run(on(network))
    expect(told).toMatchObject(NOT_PUBLIC('api.test'))
    expect(JSON.stringify(told)).not.toContain('10.0.0.7')
    expect(network.dialled).toEqual([])
  })

  test('hands the connection all the addresses it checked, and no others', async () => {
    const server = await serve(json('ok'), { secure: true })
    const network = testNetwork(server.port, { 'api.test': [[PUBLIC_6, PUBLIC]] })
    expect(await run(on(network))).toEqual({ status: 200, body: 'ok' })
    expect(network.dialled).toEqual([[[PUBLIC_6, PUBLIC], 443]])
  })

  test('resolves a name once, so that it cannot be rebound between check and connection', async () => {
    const server = await serve(json('ok'), { secure: true })
    const network = testNetwork(server.port, { 'api.test': [[PUBLIC], ['127.0.0.1']] })
    expect(await run(on(network))).toEqual({ status: 200, body: 'ok' })
    expect(network.resolved).toEqual(['api.test'])
    expect(network.dialled).toEqual([[[PUBLIC], 443]])
    expect(await run(on(network))).toMatchObject(NOT_PUBLIC('api.test'))
    expect(network.dialled).toHaveLength(1)
  })

  test('checks a rebound name again at every redirect', async () => {
    const server = await serve(redirect('https://api.test/again'), { secure: true })
    const network = testNetwork(server.port, { 'api.test': [[PUBLIC], ['169.254.169.254']] })
    expect(await run(on(network))).toMatchObject(NOT_PUBLIC('api.test'))
    expect(network.dialled).toEqual([[[PUBLIC], 443]])
  })

  test.each([
    ['our own machine', '127.0.0.1'],
    ['a public address that was not checked', '8.8.8.8'],
    ['an unknown place', undefined],
  ])('sends nothing over a connection that landed on %s', async (_, landsOn) => {
    const server = await serve(json('ok'))
    const network = testNetwork(server.port, { 'api.test': [[PUBLIC]] }, landsOn ?? 'unknown')
    expect(await run(on(network, { url: 'http://api.test/', allowHttp: true }))).toMatchObject(NOT_PUBLIC('api.test'))
    expect(server.seen).toEqual([])
  })

  test('stands aside for the author who says allowPrivate', async () => {
    const server = await serve(json('ours'))
    for (const host of ['127.0.0.1', 'localhost', '0x7f.1']) {
      expect(await run(httpTool({ ...base, url: `http://${host}:${server.port}/`, allowPrivate: true }))).toEqual({
        status: 200,
        body: 'ours',
      })
    }
  })

  test('does not stand aside elsewhere: allowPrivate speaks for the host in the url alone', async () => {
    const server = await serve(redirect('http://169.254.169.254/latest/meta-data'))
    const tool = httpTool({ ...base, url: `http://127.0.0.1:${server.port}/`, allowPrivate: true, allowHttp: true })
    expect(await run(tool)).toMatchObject(NOT_PUBLIC('169.254.169.254'))
  })

  test('cannot be led round by a proxy from the environment', async () => {
    const [server, proxy] = [await serve(json('direct')), await serve(json('proxied'))]
    const before = { ...process.env }
    Object.assign(process.env, {
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
      http_proxy: `http://127.0.0.1:${proxy.port}`,
      NO_PROXY: '',
    })
    try {
      expect(await run(httpTool({ ...base, url: `http://127.0.0.1:${server.port}/`, allowPrivate: true }))).toEqual({
        status: 200,
        body: 'direct',
      })
    } finally {
      process.env = before
    }
  })
})

describe('Encryption', () => {
  test('a certificate for another name is refused', async () => {
    const server = await serve(json('ok'), { secure: true })
    const network = testNetwork(server.port, { 'wrong.test': [[PUBLIC]] })
    expect(await run(on(network, { url: 'https://wrong.test/' }))).toMatchObject({
      message: 'wrong.test could not be reached (ERR_TLS_CERT_ALTNAME_INVALID).',
    })
    expect(server.seen).toEqual([])
  })

  test('an untrusted certificate is refused, whatever the environment says', async () => {
    const server = await serve(json('ok'), { secure: true })
    const { resolve, dial } = testNetwork(server.port, { 'api.test': [[PUBLIC]] })
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      expect(await run(httpToolOn({ resolve, dial })({ ...base, url: 'https://api.test/' }))).toMatchObject({
        message: 'api.test could not be reached (DEPTH_ZERO_SELF_SIGNED_CERT).',
      })
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    }
    expect(server.seen).toEqual([])
  })
})
