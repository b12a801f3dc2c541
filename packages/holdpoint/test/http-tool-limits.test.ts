import { createServer as createTcpServer, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { nodeNetwork } from '../src/http-tool/connect.ts'
import { httpToolOn } from '../src/http-tool/http-tool-on.ts'
import { base, json, listen, local, PUBLIC, run, serve, testNetwork } from './http-tool-kit.ts'

describe('Limits', () => {
  test('an answer that says it is too long is not read', async () => {
    const server = await serve((_, response) => void response.writeHead(200, { 'content-length': 5000 }).write('x'))
    expect(await run(local(server.port, { maxBytes: 4999 }))).toMatchObject({
      message: `127.0.0.1:${server.port} answered with more than 4999 bytes.`,
    })
    await expect.poll(server.connections).toBe(0)
  })

  test('an answer that turns out to be too long is cut off', async () => {
    const server = await serve((_, response) => {
      const timer = setInterval(() => response.write('x'.repeat(1000)), 1)
      response.on('close', () => clearInterval(timer))
    })
    expect(await run(local(server.port, { maxBytes: 2500 }))).toMatchObject({
      message: `127.0.0.1:${server.port} answered with more than 2500 bytes.`,
    })
    await expect.poll(server.connections).toBe(0)
  })

  test('an answer may be as long as allowed, which is 1 MB by default', async () => {
    const server = await serve((request, response) => void response.end('x'.repeat(Number(request.url?.slice(1)))))
    expect(await run(local(server.port, {}, '/1048576'))).toMatchObject({ status: 200 })
    expect(await run(local(server.port, {}, '/1048577'))).toMatchObject({
      message: expect.stringContaining('more than 1048576 bytes'),
    })
  })

  test.each(['gzip', 'br', 'gzip, identity', 'x'])(
    'an answer encoded as %s is refused, and none was asked for',
    async (encoding) => {
      const server = await serve(
        (_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(gzipSync('hi')),
      )
      expect(await run(local(server.port))).toMatchObject({
        message: `127.0.0.1:${server.port} compressed its answer, though it was asked not to.`,
      })
      expect(server.seen[0]?.headers['accept-encoding']).toBe('identity')
    },
  )

  test('an answer that says it is not encoded is read', async () => {
    const server = await serve(
      (_, response) => void response.writeHead(200, { 'content-encoding': 'Identity' }).end('hi'),
    )
    expect(await run(local(server.port))).toEqual({ status: 200, body: 'hi' })
  })

  test.each(['before the answer', 'within the answer'])('a service that stalls %s is given up', async (where) => {
    const server = await serve(
      (_, response) => void (where === 'within the answer' && response.writeHead(200).write('x')),
    )
    expect(await run(local(server.port, { timeout: 50 }))).toMatchObject({
      message: 'Tool timed out after 50ms',
    })
    await expect.poll(server.connections).toBe(0)
  })

  test('a service that drips cannot keep a call alive', async () => {
    const server = await serve((_, response) => {
      const timer = setInterval(() => response.write('x'), 5)
      response.on('close', () => clearInterval(timer))
    })
    expect(await run(local(server.port, { timeout: 60 }))).toMatchObject({
      message: 'Tool timed out after 60ms',
    })
  })

  test('the time also covers names that do not resolve, and headers that are never made', async () => {
    const stuck = new Promise<never>(() => {})
    const slow = httpToolOn({ ...testNetwork(1, {}), resolve: () => stuck })({ ...base, timeout: 30 })
    expect(await run(slow)).toMatchObject({ message: 'Tool timed out after 30ms' })
    expect(await run(local(1, { timeout: 30, headers: () => stuck }))).toMatchObject({
      message: 'Tool timed out after 30ms',
    })
  })

  test('a cancelled call stops at once, and one that is cancelled already is not sent', async () => {
    const cancel = new AbortController()
    const server = await serve(() => cancel.abort())
    expect(await run(local(server.port), {}, { signal: cancel.signal })).toMatchObject({
      message: 'The request was cancelled.',
    })
    await expect.poll(server.connections).toBe(0)
    const network = testNetwork(server.port, { 'api.test': [[PUBLIC]] })
    expect(await run(httpToolOn(network)(base), {}, { signal: AbortSignal.abort() })).toMatchObject({
      message: 'The request was cancelled.',
    })
    expect(network).toMatchObject({ resolved: [], dialled: [] })
  })

  test.each([
    ['connection', 'http://api.test/'],
    ['encryption', 'https://api.test/'],
  ])('a %s that never comes about is given up, and its socket closed', async (_, url) => {
    const silent = createTcpServer()
    const network = testNetwork(await listen(silent), { 'api.test': [[PUBLIC]] })
    const sockets: Socket[] = []
    const dial: typeof network.dial = (...args) => {
      const socket = url.startsWith('https:') ? network.dial(...args) : new Socket()
      sockets.push(socket)
      return socket
    }
    expect(await run(httpToolOn({ ...network, dial })({ ...base, url, allowHttp: true, timeout: 50 }))).toMatchObject({
      message: 'Tool timed out after 50ms',
    })
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true])
    silent.close()
  })
})

describe('A network that fails', () => {
  test('is named without addresses', async () => {
    const closed = await serve(json(1))
    const port = await listen(createTcpServer().on('connection', (socket) => socket.destroy()))
    expect(await run(httpToolOn(testNetwork(1, {}))({ ...base }))).toMatchObject({
      message: 'api.test could not be found.',
    })
    expect(await run(httpToolOn(testNetwork(1, { 'api.test': [[]] }))({ ...base }))).toMatchObject({
      message: 'api.test could not be found.',
    })
    expect(await run(httpToolOn(testNetwork(1, { 'api.test': [[PUBLIC]] }))({ ...base }))).toEqual(
      expect.objectContaining({ message: 'api.test refused the connection.' }),
    )
    expect(await run(local(port))).toMatchObject({
      message: `127.0.0.1:${port} closed the connection before the response was complete.`,
    })
    expect(closed.seen).toEqual([])
  })

  test('at one address is no failure while the name has another', async () => {
    const server = await serve(json('second'))
    const network = { ...nodeNetwork, resolve: async () => ['127.0.0.99', '::1', '127.0.0.1'] }
    const tool = httpToolOn(network)({ ...base, url: `http://api.test:${server.port}/`, allowPrivate: true })
    expect(await run(tool)).toEqual({ status: 200, body: 'second' })
    expect(server.seen).toMatchObject([{ headers: { host: `api.test:${server.port}` } }])
  })

  test('an answer that breaks off is no answer', async () => {
    const server = await serve(
      (_, response) => void response.writeHead(200, { 'content-length': 10 }).write('half', () => response.destroy()),
    )
    expect(await run(local(server.port))).toMatchObject({
      message: `127.0.0.1:${server.port} closed the connection before the response was complete.`,
    })
  })

  test('a service that wants another protocol is not followed there', async () => {
    const port = await listen(
      createTcpServer((socket) =>
        socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'),
      ),
    )
    expect(await run(local(port))).toMatchObject({
      message: `127.0.0.1:${port} closed the connection without an answer.`,
    })
  })

  test('what is not HTTP is refused', async () => {
    const port = await listen(createTcpServer((socket) => socket.end('220 smtp.acme.test ESMTP\r\n')))
    expect(await run(local(port))).toMatchObject({
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ could not be reached \(HPE_/),
    })
  })

  test('no message has a secret in it', async () => {
    const secret = 's3cr3t'
    const headers = { authorization: `Bearer ${secret}` }
    const refused = local(1, { headers }, `/?key=${secret}`)
    const thrown = local(1, {
      headers: () => {
        throw new TypeError(secret)
      },
    })
    const broken = local(1, { headers: () => ({ authorization: `${secret}\n` }) })
    const server = await serve(json('no', 401))
    const denied = local(server.port, { headers }, `/?key=${secret}`)
    for (const tool of [refused, thrown, broken, denied]) {
      const told = await run(tool)
      expect(told).toMatchObject({ message: expect.any(String) })
      expect(JSON.stringify(told)).not.toContain(secret)
    }
    expect(await run(thrown)).toMatchObject({ message: 'The function for the headers failed (TypeError).' })
  })
})
