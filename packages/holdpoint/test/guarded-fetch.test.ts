import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { guardedFetchOn } from '../src/http-tool/guarded-fetch-on.ts'
import { json, PUBLIC, redirect, serve, testNetwork } from './http-tool-kit.ts'

const maxBytes = 10_000

test('asks a public host over https, with what it is given, and streams the answer', async () => {
  const server = await serve(
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-own': 'yes' })
      response.write('one ')
      setTimeout(() => response.end('two'), 20)
    },
    { secure: true },
  )
  const ask = guardedFetchOn(testNetwork(server.port, { 'api.test': [[PUBLIC]] }), { maxBytes })
  const answer = await ask('https://api.test/path?q=1', { method: 'POST', headers: { 'X-Mine': 'a' }, body: 'hi' })
  expect([answer.status, answer.headers.get('x-own'), await answer.text()]).toEqual([200, 'yes', 'one two'])
  expect(server.seen).toMatchObject([
    { method: 'POST', url: '/path?q=1', body: 'hi', headers: { 'x-mine': 'a', 'accept-encoding': 'identity' } },
  ])
})

test('a name that leads inside is not asked, and neither is one that is asked without encryption', async () => {
  const server = await serve(json({}))
  const network = testNetwork(server.port, { 'inside.test': [['10.0.0.7']], 'public.test': [[PUBLIC]] })
  const ask = guardedFetchOn(network, { maxBytes })
  await expect(ask('https://inside.test/')).rejects.toThrow('The address of inside.test is not public.')
  await expect(ask('http://public.test/')).rejects.toThrow('public.test must be requested over https.')
  expect(server.seen).toEqual([])
})

test('a host that the operator allows may be inside, and another port of it may not', async () => {
  const server = await serve(json({ ok: true }))
  const network = testNetwork(server.port, { 'tools.internal': [['10.0.0.7']] })
  const ask = guardedFetchOn(network, { maxBytes, privateHosts: ['tools.internal:8080'] })
  expect(await (await ask('http://tools.internal:8080/')).json()).toEqual({ ok: true })
  await expect(ask('https://tools.internal:9090/')).rejects.toThrow('is not public')
})

test('a redirect is handed back, and not followed', async () => {
  const server = await serve(redirect('http://169.254.169.254/'))
  const ask = guardedFetchOn(testNetwork(server.port, {}), { maxBytes, privateHosts: true })
  expect((await ask(`http://127.0.0.1:${server.port}/`)).status).toBe(302)
  expect(server.seen).toHaveLength(1)
})

test('no more is read than may be, and nothing is unpacked', async () => {
  const server = await serve((request, response) => {
    if (request.url === '/long') return void response.end('x'.repeat(maxBytes + 1))
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(100)))
  })
  const ask = guardedFetchOn(testNetwork(server.port, {}), { maxBytes, privateHosts: true })
  const long = await ask(`http://127.0.0.1:${server.port}/long`)
  await expect(long.text()).rejects.toThrow(`answered with more than ${maxBytes} bytes`)
  await expect(ask(`http://127.0.0.1:${server.port}/packed`)).rejects.toThrow('compressed its answer')
})

test('a caller that aborts gets its own reason', async () => {
  const server = await serve(() => {})
  const ask = guardedFetchOn(testNetwork(server.port, {}), { maxBytes, privateHosts: true })
  const calling = new AbortController()
  const asked = ask(`http://127.0.0.1:${server.port}/`, { signal: calling.signal })
  calling.abort(new Error('enough'))
  await expect(asked).rejects.toThrow('enough')
})
