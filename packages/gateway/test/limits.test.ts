import { Script } from 'node:vm'
import { HoldpointError, type Store } from 'holdpoint'
import { afterEach, expect, test } from 'vitest'
import type { LogLine } from '@holdpoint/gateway'
import { followStream, isEvent } from './follow-stream.ts'
import { kit, type Kit } from './kit.ts'

const open: Kit[] = []
async function start(...args: Parameters<typeof kit>): Promise<Kit> {
  const here = await kit(...args)
  open.push(here)
  return here
}
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

test('a body that is too large is refused by its declared length, or while it is read', async () => {
  const here = await start({ limits: { bodyBytes: 1000 } })
  const big = { content: 'x'.repeat(2000) }
  expect(await here.ask('POST', '/api/conversations/c1/messages', { body: big })).toMatchObject({
    status: 413,
    body: { code: 'too-large' },
  })
  let given = 0
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      given++
      controller.enqueue(new Uint8Array(100).fill(0x20))
    },
  })
  const request = new Request('http://localhost/api/conversations/c1/messages', {
    method: 'POST',
    headers: { authorization: `Bearer ${here.key('acme', 'agent')}`, 'content-type': 'application/json' },
    body: endless,
    duplex: 'half',
  })
  expect((await here.api.fetch(request)).status).toBe(413)
  expect(given).toBeLessThan(20)
})

test('the body of an unauthenticated request is not read', async () => {
  const here = await start()
  let read = false
  const body = new ReadableStream<Uint8Array>({ pull: () => void (read = true) }, { highWaterMark: 0 })
  const headers = { 'content-type': 'application/json' }
  const url = 'http://localhost/api/conversations'
  const response = await here.api.fetch(new Request(url, { method: 'POST', headers, body, duplex: 'half' }))
  expect([response.status, read]).toEqual([401, false])
})

test('each credential has its own rate limit, with Retry-After', async () => {
  let now = 1_000_000
  const here = await start({ limits: { rate: { perSecond: 1, burst: 3 } }, now: () => now })
  const ask = (as: 'reader' | 'agent'): ReturnType<Kit['ask']> => here.ask('GET', '/api/conversations', { as })
  const statuses = [await ask('reader'), await ask('reader'), await ask('reader'), await ask('reader')]
  expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 429])
  expect(statuses[3]?.headers.get('retry-after')).toBe('1')
  expect((await ask('agent')).status).toBe(200)
  now += 1000
  expect((await ask('reader')).status).toBe(200)
  expect((await ask('reader')).status).toBe(429)
})

test('an unknown path, a wrong method and malformed JSON get a problem document', async () => {
  const here = await start()
  expect(await here.ask('GET', '/elsewhere')).toMatchObject({ status: 404, body: { code: 'not-found' } })
  const response = await here.ask('DELETE', '/api/conversations')
  expect(response).toMatchObject({ status: 405, body: { code: 'method-not-allowed' } })
  expect(response.headers.get('allow')).toBe('POST, GET')
  for (const body of ['{', '{"content":"x"} x', '{"a":1e999}', '[1,]'])
    expect(await here.ask('POST', '/api/conversations', { body })).toMatchObject({
      status: 400,
      body: { code: 'malformed-json' },
    })
  expect(await here.ask('POST', '/api/conversations', { key: 'ä', body: {} })).toMatchObject({ status: 422 })
})

test('every response has headers against framing, caching and sniffing', async () => {
  const here = await start()
  for (const path of ['/api/health', '/api/nowhere', '/api/conversations', '/api/docs']) {
    const { headers } = await here.ask('GET', path, { as: 'anonymous' })
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  }
})

test('the docs page loads nothing from other origins', async () => {
  const here = await start()
  const { body, headers } = await here.ask('GET', '/api/docs', { as: 'anonymous' })
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(body).not.toMatch(/https?:\/\//)
  expect(headers.get('content-security-policy')).not.toContain('unsafe')
  const script = await here.ask('GET', '/api/docs.js', { as: 'anonymous' })
  expect(() => new Script(script.body)).not.toThrow()
  expect(script.body).not.toMatch(/innerHTML|https?:/)
})

test('secrets are redacted from responses, streams and log lines, in every encoding', async () => {
  const secret = 'canary/+"ä-value'
  const lines: LogLine[] = []
  const here = await start({ secrets: [secret], log: (line) => lines.push(line) })
  const forms = [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)]
  await here.ask('POST', '/api/conversations/c1/messages?wait=5', { body: { content: forms.join(' ') } })
  const stream = await followStream(here, 'c1')
  const streamed = JSON.stringify(await stream.until(isEvent('model.replied')))
  const paged = JSON.stringify((await here.ask('GET', '/api/conversations/c1/events')).body)
  const broken: Store['list'] = () => Promise.reject(new Error(`cannot reach postgres://me:${secret}@db`))
  Object.assign(here.store, { list: broken })
  const response = await here.ask('GET', '/api/conversations')
  expect(response).toMatchObject({ status: 500, body: { code: 'internal' } })
  expect(lines).toHaveLength(1)
  for (const text of [streamed, paged, JSON.stringify(response.body), JSON.stringify(lines)])
    for (const form of [...forms, 'canary']) expect(text).not.toContain(form)
  expect(paged).toContain('[redacted]')
})

test('a store failure gets 503 without its error message', async () => {
  const here = await start()
  const broken: Store['list'] = () => Promise.reject(new HoldpointError('store-unavailable', 'db-17 is down'))
  Object.assign(here.store, { list: broken })
  const response = await here.ask('GET', '/api/conversations')
  expect(response).toMatchObject({ status: 503, body: { code: 'store-unavailable' } })
  expect(JSON.stringify(response.body)).not.toContain('db-17')
})

test('lists have pages with cursors', async () => {
  const here = await start()
  for (let nth = 0; nth < 5; nth++) await here.ask('POST', '/api/conversations', { body: { id: `c${nth}` } })
  const seen: string[] = []
  let after = ''
  do {
    const { body } = await here.ask(
      'GET',
      `/api/conversations?limit=2${after && `&after=${encodeURIComponent(after)}`}`,
    )
    seen.push(...body.items.map(({ id }: { id: string }) => id))
    after = body.next ?? ''
  } while (after !== '')
  expect(seen).toEqual(['c4', 'c3', 'c2', 'c1', 'c0'])
})
