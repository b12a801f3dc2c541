/** The gateway inside an Express application. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import express from 'express'
import { expect, onTestFinished, test, vi } from 'vitest'
import { nodeHandler, type GatewayOptions } from '@holdpoint/gateway'
import { kit, type Kit } from './kit.ts'

interface Here extends Kit {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

async function embedded(
  use: (app: express.Express, handler: ReturnType<typeof nodeHandler>) => void,
  options: Partial<GatewayOptions> = {},
): Promise<Here> {
  const here = await kit(options)
  const app = express()
  use(app, nodeHandler(here.api))
  app.get('/own', (_, response) => void response.send('own'))
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await here.close()
  })
  const authorization = `Bearer ${here.key('acme', 'admin')}`
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { ...here, url, headers: { authorization, 'content-type': 'application/json' } }
}

const post = (headers: Readonly<Record<string, string>>, body: unknown): RequestInit => ({
  method: 'POST',
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

test('it answers under a path of its own, and the routes of the application stay', async () => {
  const { url, headers } = await embedded((app, handler) => void app.use('/agents', handler))
  const sent = await fetch(`${url}/agents/api/conversations/c1/messages?wait=5`, post(headers, { content: 'hello' }))
  expect(await sent.json()).toMatchObject({ result: { status: 'done', text: 'It is done.' } })
  expect(await (await fetch(`${url}/own`)).text()).toBe('own')
  expect((await fetch(`${url}/api/conversations`, { headers })).status).toBe(404)
  expect((await fetch(`${url}/agents/api/nothing`, { headers })).headers.get('content-type')).toBe(
    'application/problem+json',
  )
})

test.for([
  ['parsed as JSON', express.json()],
  ['read as text', express.text({ type: '*/*' })],
  ['read as bytes', express.raw({ type: '*/*' })],
] as const)('a body that was %s before is validated like any other', async ([, parser]) => {
  const { url, headers } = await embedded((app, handler) => {
    app.use(parser)
    app.use(handler)
  })
  const path = `${url}/api/conversations/c1/messages?wait=5`
  expect(await (await fetch(path, post(headers, { content: 'héllo' }))).json()).toMatchObject({
    result: { status: 'done' },
  })
  expect((await fetch(`${url}/api/conversations/c1/cancel`, { method: 'POST', headers })).status).toBe(409)
  const deep = `{"content":${'['.repeat(70)}${']'.repeat(70)}}`
  expect(await (await fetch(path, post(headers, deep))).json()).toMatchObject({ code: 'malformed-json' })
  expect(await (await fetch(path, post(headers, '{"__proto__":{},"content":"x"}'))).json()).toMatchObject({
    code: 'malformed-json',
  })
})

test('a form that another parser accepted is not taken for JSON', async () => {
  const { url, headers } = await embedded((app, handler) => {
    app.use(express.urlencoded())
    app.use(handler)
  })
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
  const sent = await fetch(`${url}/api/conversations/c1/messages`, post(form, 'content=hello'))
  expect(await sent.json()).toMatchObject({ code: 'content-type' })
})

test('a stream sends each event when it happens, and a client that disconnects frees its place', async () => {
  const { url, headers } = await embedded((app, handler) => void app.use(handler), { limits: { streamsPerKey: 1 } })
  await fetch(`${url}/api/conversations`, post(headers, { id: 'c1' }))
  const follow = (signal?: AbortSignal): Promise<Response> =>
    fetch(`${url}/api/conversations/c1/events`, {
      headers: { ...headers, accept: 'text/event-stream' },
      ...(signal && { signal }),
    })
  const leave = new AbortController()
  const response = await follow(leave.signal)
  expect(response.headers.get('cache-control')).toContain('no-transform')
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const until = async (word: string): Promise<void> => {
    while (!text.includes(word)) text += (await reader.read()).value ?? ''
  }
  await until('conversation.opened')
  await fetch(`${url}/api/conversations/c1/messages`, post(headers, { content: 'hello' }))
  await until('model.replied')
  expect((await follow()).status).toBe(429)
  leave.abort()
  await vi.waitFor(async () => {
    const again = await follow()
    expect(again.status).toBe(200)
    await again.body?.cancel()
  })
})

test('a server that calls `fetch` with a second argument of its own gets responses, and a slow reader is cut off', async () => {
  const here = await kit({ limits: { streamQueueBytes: 20_000 } })
  onTestFinished(() => here.close())
  const authorization = `Bearer ${here.key('acme', 'admin')}`
  const ask = (path: string, init: RequestInit): Promise<Response> =>
    here.api.fetch(new Request(`http://localhost${path}`, init), { incoming: {}, address: 5 } as never)
  const headers = { authorization, 'content-type': 'application/json' }
  expect((await ask('/api/conversations', post(headers, { id: 'c1' }))).status).toBe(201)
  const { body } = await ask('/api/conversations/c1/events', {
    headers: { authorization, accept: 'text/event-stream' },
  })
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const text = new TextDecoder()
  for (let seen = ''; !seen.includes('conversation.opened');) seen += text.decode((await reader.read()).value)
  for (let nth = 0; nth < 20; nth++)
    await ask('/api/conversations/c1/messages?wait=5', post(headers, { content: 'x'.repeat(3000) }))
  const rest = async (): Promise<void> => {
    while (!(await reader.read()).done);
  }
  await expect(rest()).rejects.toThrow('too slow')
})

test('a request for another host in an absolute URL is refused', async () => {
  const { url } = await embedded((app, handler) => void app.use(handler))
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('GET http://evil.test/api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  let answer = ''
  for await (const part of socket) answer += String(part)
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
})
