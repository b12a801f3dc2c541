/** Hostile requests over a real port. */
import { connect } from 'node:net'
import { SignJWT } from 'jose'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { LogLine } from '@holdpoint/gateway'
import { gateway, serve } from '@holdpoint/gateway'
import { rememberSecrets } from '../src/stored-agents.ts'
import { kit, type Kit } from './kit.ts'

async function served(lines: LogLine[] = []): Promise<{ readonly port: number; readonly here: Kit }> {
  const here = await kit()
  const server = await serve({ runtime: here.runtime, store: here.store, log: (line) => lines.push(line) })
  onTestFinished(() => server.close())
  return { port: Number(new URL(server.url).port), here }
}

/** Sends raw bytes on a new connection. `leave`: disconnects without waiting for a response. */
function send(port: number, text: string, leave = false): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let heard = ''
    socket.on('data', (data) => (heard += data.toString()))
    socket.on('close', () => resolve(heard))
    socket.on('error', () => resolve(heard))
    socket.write(text, () => leave && socket.destroy())
  })
}

const head = (line: string, key: string, more = ''): string =>
  `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n${more}\r\n`

test('a body that ends early has no effect and is no problem for the operator', async () => {
  const lines: LogLine[] = []
  const { port, here } = await served(lines)
  const key = here.key('acme', 'admin')
  const begun = vi.spyOn(here.store, 'append')
  const json = 'Content-Type: application/json\r\n'
  await send(port, `${head('POST /api/conversations', key, `${json}Content-Length: 100\r\n`)}{"id":`, true)
  await send(
    port,
    `${head('POST /api/conversations', key, `${json}Transfer-Encoding: chunked\r\n`)}5\r\n{"id"\r\n`,
    true,
  )
  await send(port, `${head('POST /api/conversations', key, `Transfer-Encoding: chunked\r\n`)}5\r\n{"id"\r\n`, true)
  // When the server responds to this, it has read everything before it.
  expect(await send(port, head('GET /api/health', key))).toContain('200 OK')
  expect(lines.filter(({ level }) => level !== 'info')).toEqual([])
  expect(begun).not.toHaveBeenCalled()
})

test('a request with an absolute URL is refused: it names a second host', async () => {
  const { port, here } = await served()
  const key = here.key('acme', 'admin')
  for (const target of ['http://evil.test/api/conversations', `http://127.0.0.1:${port}/api/conversations`, '*'])
    expect(await send(port, head(`GET ${target}`, key))).toMatch(/^HTTP\/1.1 400/)
  expect(await send(port, head('GET /api/conversations', key))).toMatch(/^HTTP\/1.1 200/)
})

test.each(['%', '%zz', '%c0%af', '%ed%a0%80', '%ff', 'a%2'])(
  'a path with the invalid escape %s is refused',
  async (id) => {
    const { port, here } = await served()
    const response = await send(port, head(`GET /api/conversations/${id}`, here.key('acme', 'admin')))
    expect(response).toMatch(/^HTTP\/1.1 422/)
    expect(response).toContain('Write it as `%25`')
  },
)

test('half a surrogate pair is refused in any id', async () => {
  const { ask, close } = await kit()
  onTestFinished(close)
  const half = '\ud800'
  for (const [path, body] of [
    ['/api/conversations', { id: half }],
    ['/api/conversations', { by: half }],
    ['/api/agents', { name: half }],
    ['/api/keys', { name: half, scopes: ['reader'] }],
    ['/api/calls/claim', { tools: [half] }],
  ] as const)
    expect(await ask('POST', path, { body })).toMatchObject({ status: 422, body: { code: 'bad-request' } })
})

test.each([
  ['a subject with a line end', { sub: 'ada\nroot' }],
  ['a subject of any length', { sub: 'a'.repeat(201) }],
  ['a tenant with a NUL', { tenant: 'acme\0' }],
  ['a tenant of any length', { tenant: 'a'.repeat(201) }],
  ['a tenant that is a list', { tenant: ['acme'] }],
])('a token with %s is none', async (_what, claim) => {
  const secret = 'a secret that is long enough for HS256'
  const { ask, close } = await kit({ auth: { tokens: { secret } } })
  onTestFinished(close)
  const sign = (more: object): Promise<string> =>
    new SignJWT({ tenant: 'acme', sub: 'ada', scope: 'agent', ...more })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1m')
      .sign(new TextEncoder().encode(secret))
  const status = async (more: object): Promise<number> =>
    (
      await ask('GET', '/api/conversations', {
        as: 'anonymous',
        headers: { authorization: `Bearer ${await sign(more)}` },
      })
    ).status
  expect(await status({})).toBe(200)
  expect(await status(claim)).toBe(401)
})

test('a secret that is first read during a call is redacted from then on', async () => {
  const known = new Set<string>()
  const secrets = rememberSecrets((tenant, name) => `${tenant}-${name}-canary`, known)
  const { ask, close } = await kit({ secrets: known })
  onTestFinished(close)
  await secrets('acme', 'ORDERS_KEY')
  await ask('POST', '/api/conversations/c1/messages?wait=5', { body: { content: 'it is acme-ORDERS_KEY-canary' } })
  const { body } = await ask('GET', '/api/conversations/c1/events')
  expect(JSON.stringify(body)).toContain('it is [redacted]')
  expect(JSON.stringify(body)).not.toContain('canary')
})

test('the scope agent can neither approve nor answer for a person or a worker', async () => {
  const { ask, close, ran } = await kit()
  onTestFinished(close)
  const say = async (id: string, content: string): Promise<string> => {
    const { body } = await ask('POST', `/api/conversations/${id}/messages?wait=5`, { as: 'agent', body: { content } })
    return `/api/holds/${id}/${body.result.holds[0].callId}/resolve`
  }
  const refund = await say('c1', 'refund 5')
  for (const [path, body] of [
    [refund, { kind: 'approve' }],
    [refund, { kind: 'reject' }],
    [refund, { kind: 'answer', value: 1 }],
    [await say('c2', 'ask Budget'), { kind: 'answer', value: 'a million' }],
    [await say('c3', 'ship Ada'), { kind: 'answer', value: { parcel: 'p' } }],
  ] as const)
    expect(await ask('POST', path, { as: 'agent', body })).toMatchObject({
      status: 403,
      body: { code: 'not-allowed', verdict: 'not-allowed' },
    })
  expect(ran).toEqual([])
  expect((await ask('POST', refund, { as: 'resolver', body: { kind: 'approve' } })).status).toBe(200)
})

test('the same idempotency key of another caller is a different key', async () => {
  const { ask, close } = await kit()
  onTestFinished(close)
  const say = (as: 'admin' | 'agent', content: string): ReturnType<Kit['ask']> =>
    ask('POST', '/api/conversations/c1/messages?wait=5', { as, key: 'k', body: { content, whileBusy: 'queue' } })
  expect((await say('admin', 'hello')).body.repeated).toBeUndefined()
  expect((await say('admin', 'hello')).body.repeated).toBe(true)
  const other = await say('agent', 'goodbye')
  expect(other).toMatchObject({ status: 200 })
  expect(other.body.repeated).toBeUndefined()
  expect((await say('agent', 'hello')).body.code).toBe('key-reused')
})

test('heartbeats do not wait for the store, and a hanging store gets one check of each stream at a time', async () => {
  const { store, runtime, key, api: first, close } = await kit()
  await first.close()
  onTestFinished(close)
  let asked = 0
  let hangs = false
  const get: typeof store.get = (...which) => {
    if (!hangs) return store.get(...which)
    asked++
    return new Promise(() => {})
  }
  let now = Date.now()
  const limits = { heartbeatMs: 20 }
  const api = gateway({ runtime, store: { ...store, get }, limits, now: () => now })
  await runtime.tenant('acme').create({ id: 'c1' })
  const open = (): Promise<Response> => {
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${key('acme', 'reader')}` }
    return api.fetch(new Request('http://localhost/api/conversations/c1/events', { headers }))
  }
  const readers = [await open(), await open()].map(({ body }) => body!.pipeThrough(new TextDecoderStream()).getReader())
  hangs = true
  now += 10_000
  for (const reader of readers) {
    let beats = 0
    while (beats < 4) beats += ((await reader.read()).value ?? '').split('still here').length - 1
    await reader.cancel()
  }
  expect(asked).toBe(readers.length)
})

test('a thousand readiness checks cost the store one query', async () => {
  const { store, runtime, close } = await kit()
  onTestFinished(close)
  let [now, asked, away] = [Date.now(), 0, false]
  const heads: typeof store.heads = (of) => (asked++, away ? Promise.reject(new Error('away')) : store.heads(of))
  const api = gateway({ runtime, store: { ...store, heads }, now: () => now })
  const ready = async (): Promise<number> => (await api.fetch(new Request('http://localhost/api/ready'))).status
  expect(new Set(await Promise.all(Array.from({ length: 1000 }, ready)))).toEqual(new Set([200]))
  expect(asked).toBe(1)
  away = true
  now += 1000
  expect(await ready()).toBe(503)
  now += 1000
  away = false
  expect(await ready()).toBe(200)
})

test('a reader that disconnects before its stream starts leaves nothing behind', async () => {
  const { port, here } = await served()
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const key = here.key('acme', 'admin')
  const accept = 'Accept: text/event-stream\r\n'
  await Promise.all(
    Array.from({ length: 50 }, () => send(port, head('GET /api/conversations/c1/events?tools=a', key, accept), true)),
  )
  const clients = async (): Promise<unknown> => {
    const { items } = await here.store.documents({ tenant: 'acme', kind: 'client', limit: 10 })
    return items.map(({ data }) => (data as { here: unknown }).here)
  }
  await vi.waitFor(async () => expect((await clients()) ?? []).toEqual([[]]))
})
