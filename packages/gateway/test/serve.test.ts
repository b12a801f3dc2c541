/** Behaviour that only a real socket shows. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect } from 'node:net'
import { request, type ServerResponse } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { serve, type Served, type ServeOptions } from '@holdpoint/gateway'
import { kit, type Kit } from './kit.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

async function served(
  options: Partial<ServeOptions> = {},
): Promise<{ here: Kit; server: Served; headers: Record<string, string> }> {
  const here = await kit()
  const { runtime, store } = here
  const server = await serve({ runtime, store, ...options })
  open.push(server)
  const authorization = `Bearer ${here.key('acme', 'admin')}`
  return { here, server, headers: { authorization, 'content-type': 'application/json' } }
}

test('by default it listens on loopback only and reports its first key once', async () => {
  const keys: string[] = []
  const { here, server } = await served({ firstKey: (key) => keys.push(key) })
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(keys).toHaveLength(1)
  const response = await fetch(`${server.url}/api/keys`, { headers: { authorization: `Bearer ${keys[0]}` } })
  expect(response.status).toBe(200)
  expect(await response.text()).not.toContain(keys[0])
  const { runtime, store } = here
  const again = await serve({ runtime, store, firstKey: (key) => keys.push(key) })
  open.push(again)
  expect(keys).toHaveLength(1)
})

test('it does not listen on other interfaces without `hosts`', async () => {
  const { runtime, store, close } = await kit()
  await expect(serve({ runtime, store, host: '0.0.0.0' })).rejects.toThrow('hosts')
  await close()
})

test('a port in use gives an error that says what to do', async () => {
  const { here, server } = await served()
  const { runtime, store } = here
  const port = Number(new URL(server.url).port)
  await expect(serve({ runtime, store, port })).rejects.toMatchObject({
    code: 'config-invalid',
    message: `Cannot listen on 127.0.0.1:${port}: the port is in use. Stop the other program, or set another port with PORT.`,
  })
})

test('closing ends a stream with a retry hint and finishes the turn', async () => {
  const { server, headers } = await served()
  await fetch(`${server.url}/api/conversations`, { method: 'POST', headers, body: '{"id":"c1"}' })
  const url = `${server.url}/api/conversations/c1`
  const stream = await fetch(`${url}/events`, { headers: { ...headers, accept: 'text/event-stream' } })
  const all = stream.text()
  const sent = await fetch(`${url}/messages?wait=5`, { method: 'POST', headers, body: '{"content":"hello"}' })
  expect(await sent.json()).toMatchObject({ result: { text: 'It is done.' } })
  await server.close()
  const text = await all
  expect(text).toMatch(/id: 3\nevent: event\n/)
  expect(text).toMatch(/retry: \d+\n\n$/)
  await expect(fetch(`${server.url}/api/health`)).rejects.toThrow('fetch failed')
})

test('responses over a socket have a length, a type and the security headers', async () => {
  const { server, headers } = await served()
  const head = await fetch(`${server.url}/api/health`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  const response = await fetch(`${server.url}/api/conversations/näh`, { headers })
  expect(response.status).toBe(404)
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await response.json()).toMatchObject({ detail: 'There is no conversation "näh".' })
  const gone = await fetch(`${server.url}/api/keys/none`, {
    method: 'DELETE',
    headers: { authorization: headers['authorization'] ?? '' },
  })
  expect(gone.status).toBe(404)
})

test('a reader that stops reading is disconnected and leaves nothing behind', async () => {
  const { here, server } = await served({ limits: { streamQueueBytes: 100_000, rate: { perSecond: 1e6, burst: 1e6 } } })
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const { port } = new URL(server.url)
  const socket = connect(Number(port), '127.0.0.1')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => {})
  const key = here.key('acme', 'admin')
  const head = ['GET /api/conversations/c1/events HTTP/1.1', 'host: 127.0.0.1', `authorization: Bearer ${key}`]
  socket.write(`${[...head, 'accept: text/event-stream'].join('\r\n')}\r\n\r\n`)
  await new Promise((resolve) => socket.once('data', resolve))
  socket.pause()
  // More than the socket buffers hold.
  for (let nth = 0; nth < 60; nth++) await here.runtime.tenant('acme').send('c1', 'x'.repeat(300_000))
  socket.resume()
  await closed
  // Far less than the 18 MB that were sent.
  expect(socket.bytesRead).toBeLessThan(15_000_000)
}, 120_000)

test.each(['conversations/c1/events', 'changes'])(
  'a reader of %s who goes while it is being let in does not count as there',
  async (path) => {
    const { here, server, headers } = await served({ limits: { streamsPerKey: 1 } })
    await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
    // A slow store delays the check of the key and of the conversation.
    const asked = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const get = here.store.get.bind(here.store)
    here.store.get = async (...what) => {
      asked.resolve()
      await gone.promise
      return get(...what)
    }
    const answering = Promise.withResolvers<ServerResponse>()
    const begun = (message: unknown): void => answering.resolve((message as { response: ServerResponse }).response)
    subscribe('http.server.request.start', begun)
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    const head = [`GET /api/${path} HTTP/1.1`, 'host: 127.0.0.1', `authorization: ${headers['authorization']}`]
    socket.write(`${[...head, 'accept: text/event-stream'].join('\r\n')}\r\n\r\n`)
    await asked.promise
    unsubscribe('http.server.request.start', begun)
    const closed = once(await answering.promise, 'close')
    socket.destroy()
    await closed
    gone.resolve()
    const again = (): Promise<Response> =>
      fetch(`${server.url}/api/${path}`, { headers: { ...headers, accept: 'text/event-stream' } })
    await vi.waitFor(async () => {
      const { status, body } = await again()
      await body?.cancel()
      expect(status).toBe(200)
    })
  },
)

test('a chunked body without a length is refused when it is too long', async () => {
  const { server, here } = await served({ limits: { bodyBytes: 1000 } })
  const status = await new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${here.key('acme', 'admin')}`, 'content-type': 'application/json' }
    const sending = request(`${server.url}/api/conversations`, { method: 'POST', headers }, (response) => {
      resolve(response.statusCode)
      sending.destroy()
    })
    sending.on('error', reject)
    sending.write(`{"id":"${'x'.repeat(5000)}`)
  })
  expect(status).toBe(413)
})
