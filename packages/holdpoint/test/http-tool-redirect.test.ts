import type { RequestListener } from 'node:http'
import { describe, expect, test } from 'vitest'
import { httpToolOn } from '../src/http-tool/http-tool-on.ts'
import {
  base,
  json,
  local,
  PUBLIC,
  redirect,
  run,
  serve,
  testNetwork,
  type Made,
  type Options,
} from './http-tool-kit.ts'

const start = (port: number, options: Partial<Options> = {}): Made => local(port, options, '/start')

/** Redirects /start, and answers everything else. */
const moved =
  (location: string, status: number): RequestListener =>
  (request, response) =>
    request.url?.startsWith('/start')
      ? redirect(location, status)(request, response)
      : json('arrived')(request, response)

describe('A redirect', () => {
  test('within the origin is followed, and keeps the headers', async () => {
    const server = await serve(moved('/new?a=1', 302))
    expect(await run(start(server.port, { headers: { Authorization: 'Bearer secret' } }))).toEqual({
      status: 200,
      body: 'arrived',
    })
    expect(server.seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/start', 'Bearer secret'],
      ['/new?a=1', 'Bearer secret'],
    ])
  })

  test('to another origin loses every header of the author, and they do not come back', async () => {
    const server = await serve(
      (request, response) =>
        (request.url === '/start'
          ? redirect('https://other.test/', 307)
          : request.headers.host === 'other.test'
            ? redirect('https://api.test/back', 307)
            : json('home'))(request, response),
      { secure: true },
    )
    const network = testNetwork(server.port, { 'api.test': [[PUBLIC]], 'other.test': [[PUBLIC]] })
    const headers = {
      authorization: 'Bearer secret',
      Cookie: 'sid=secret',
      'X-Api-Key': 'secret',
      'Content-Type': 'application/vnd.secret+json',
    }
    const tool = httpToolOn(network)({ ...base, url: 'https://api.test/start', method: 'POST', headers })

    expect(await run(tool, { a: 1 })).toEqual({ status: 200, body: 'home' })
    const [first, away, back] = server.seen
    expect(JSON.stringify(first?.headers)).toContain('secret')
    expect(JSON.stringify(away?.headers)).not.toContain('secret')
    expect(JSON.stringify(back?.headers)).not.toContain('secret')
    expect(away?.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'turn-1.1.1',
      host: 'other.test',
    })
  })

  test('to another port of a private host is refused: the author permitted one service, not the machine', async () => {
    const inner = await serve(json('the password'))
    const server = await serve(moved(`http://127.0.0.1:${inner.port}/`, 302))
    expect(await run(start(server.port))).toMatchObject({ message: expect.stringContaining('without encryption') })
    const secure = await serve(moved(`https://127.0.0.1:${inner.port}/`, 302))
    expect(await run(start(secure.port))).toMatchObject({ message: expect.stringContaining('is not public') })
    expect(await run(start(server.port, { allowHttp: true }))).toMatchObject({
      message: expect.stringContaining('is not public'),
    })
    expect(await inner.connections()).toBe(0)
    expect(inner.seen).toEqual([])
  })

  test('of a private host to its own encrypted port is followed', async () => {
    const server = await serve(json('home'), { secure: true })
    const plain = await serve(redirect('https://api.test/', 302))
    const network = testNetwork(server.port, { 'api.test': [['10.0.0.1']] })
    const dial: typeof network.dial = (addresses, port) =>
      port === 443 ? network.dial(addresses, port) : testNetwork(plain.port, {}).dial(addresses, port)
    const tool = httpToolOn({ ...network, dial })({ ...base, url: 'http://api.test/', allowPrivate: true })
    expect(await run(tool)).toEqual({ status: 200, body: 'home' })
  })

  test.each<[number, 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'GET', string]>([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'DELETE', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [301, 'PUT', 'PUT'],
    [302, 'DELETE', 'DELETE'],
    [307, 'POST', 'POST'],
    [308, 'POST', 'POST'],
    [308, 'GET', 'GET'],
  ])('of status %i turns %s into %s', async (status, method, becomes) => {
    const server = await serve(moved('/new', status))
    await run(start(server.port, { method }), { a: 1 })
    const [first, second] = server.seen
    expect(second?.method).toBe(becomes)
    const keepsBody = becomes === 'POST' || becomes === 'PUT'
    expect(second?.body).toBe(keepsBody ? first?.body : '')
    expect(second?.headers['content-type']).toBe(keepsBody ? 'application/json' : undefined)
  })

  test('that drops the body drops what the author said about the body', async () => {
    const server = await serve(moved('/new', 303))
    await run(
      start(server.port, {
        method: 'POST',
        headers: { 'Content-Type': 'application/vnd.acme+json', 'X-Api-Key': 'k' },
      }),
      { a: 1 },
    )
    expect(server.seen.map(({ headers }) => [headers['content-type'], headers['x-api-key']])).toEqual([
      ['application/vnd.acme+json', 'k'],
      [undefined, 'k'],
    ])
  })

  test('is followed three times, not four', async () => {
    const server = await serve((request, response) => {
      const left = Number(request.url?.split('/').at(-1))
      return (left === 0 ? json('done') : redirect(`/hop/${left - 1}`))(request, response)
    })
    expect(await run(local(server.port, {}, '/hop/3'))).toEqual({ status: 200, body: 'done' })
    expect(await run(local(server.port, {}, '/hop/4'))).toMatchObject({
      message: `127.0.0.1:${server.port} redirected more than 3 times.`,
    })
  })

  test('to itself ends', async () => {
    const server = await serve(redirect('/start'))
    expect(await run(start(server.port))).toMatchObject({
      message: `127.0.0.1:${server.port} redirected more than 3 times.`,
    })
    expect(server.seen).toHaveLength(4)
  })

  test.each([
    'ftp://api.test/',
    'file:///etc/passwd',
    'data:text/plain,hi',
    'javascript:alert(1)',
    'http://[bad',
    'http://a b/',
  ])('to %s is refused', async (location) => {
    const server = await serve(redirect(location))
    expect(await run(start(server.port))).toMatchObject({
      message: `127.0.0.1:${server.port} redirected to something that is not a web address.`,
    })
  })

  test('that says no place is an answer like any other', async () => {
    const server = await serve(
      (_, response) => void response.writeHead(302, { 'content-type': 'text/plain' }).end('somewhere'),
    )
    expect(await run(start(server.port))).toMatchObject({
      message: `127.0.0.1:${server.port} answered 302.`,
      details: { status: 302, body: 'somewhere' },
    })
  })

  test('from https to http is refused, even where http is allowed', async () => {
    const server = await serve(redirect('http://api.test/'), { secure: true })
    const network = testNetwork(server.port, { 'api.test': [[PUBLIC]] })
    const tool = httpToolOn(network)({ ...base, url: 'https://api.test/', allowPrivate: true, allowHttp: true })
    expect(await run(tool)).toMatchObject({ message: 'api.test redirected to api.test without encryption.' })
    expect(network.dialled).toHaveLength(1)
  })

  test('from our own network to an unencrypted stranger is refused', async () => {
    const server = await serve(redirect('http://stranger.test/'))
    expect(await run(start(server.port))).toMatchObject({
      message: `127.0.0.1:${server.port} redirected to stranger.test without encryption.`,
    })
  })

  test('between public hosts is followed, and the credentials in its url are not sent', async () => {
    const server = await serve(
      (request, response) =>
        (request.headers.host === 'api.test' ? redirect('https://user:pass@other.test/x') : json('other'))(
          request,
          response,
        ),
      { secure: true },
    )
    const network = testNetwork(server.port, { 'api.test': [[PUBLIC]], 'other.test': [[PUBLIC]] })
    expect(await run(httpToolOn(network)({ ...base, allowPrivate: false, url: 'https://api.test/' }))).toEqual({
      status: 200,
      body: 'other',
    })
    expect(server.seen[1]?.headers.authorization).toBeUndefined()
  })
})
