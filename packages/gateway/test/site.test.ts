/** Static pages beside the API with a strict content security policy, and the sign-in code of the console. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HoldpointError } from '@holdpoint/core'
import { gateway, serve, siteFromFolder } from '@holdpoint/gateway'
import { kit, type Kit, type KitOptions } from './kit.ts'

function folder(): string {
  const place = mkdtempSync(join(tmpdir(), 'holdpoint-site-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  mkdirSync(join(place, 'site/assets'), { recursive: true })
  writeFileSync(join(place, 'secret.txt'), 'secret')
  writeFileSync(join(place, 'site/index.html'), '<!doctype html><title>app</title>')
  writeFileSync(join(place, 'site/assets/app-B1gH4sh_.js'), 'export {}')
  return join(place, 'site')
}

async function start(options: KitOptions = {}): Promise<Kit> {
  const here = await kit({ site: siteFromFolder(folder()), ...options })
  onTestFinished(() => here.close())
  return here
}

const page = (here: Kit, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  here.api.fetch(new Request(`http://localhost${path}`, { headers: { host: 'localhost', ...headers } }))

describe('a site', () => {
  test('serves the app at every path without a file, except under /api', async () => {
    const here = await start()
    for (const path of ['/', '/holds', '/conversations/a%2Fb/timeline', '/x.y'])
      expect(await (await page(here, path, { accept: 'text/html' })).text(), path).toContain('<title>app')
    expect((await page(here, '/missing.js')).status).toBe(404)
    expect((await page(here, '/api/nothing', { accept: 'text/html' })).status).toBe(404)
    expect((await here.ask('POST', '/', { body: {} })).status).toBe(404)
  })

  test('allows only its own origin, and caches only files with a hash in their name', async () => {
    const here = await start()
    const { headers } = await page(here, '/')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-cache')
    const script = await page(here, '/assets/app-B1gH4sh_.js', { 'accept-encoding': 'gzip' })
    expect(script.headers.get('cache-control')).toContain('immutable')
    expect(script.headers.get('content-encoding')).toBe('gzip')
  })

  test.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%252e%252e/secret.txt',
    '/..%5csecret.txt',
  ])('%s leads nowhere', async (path) => {
    expect(await (await page(await start(), path)).text()).not.toContain('secret\n')
    expect(await (await page(await start(), path)).text()).not.toMatch(/^secret$/)
  })

  test('can be linked from any site, but not embedded or fetched', async () => {
    const here = await start()
    const cross = { 'sec-fetch-site': 'cross-site' }
    const status = async (more: Record<string, string>, path = '/holds'): Promise<number> =>
      (await page(here, path, { ...cross, ...more })).status
    expect(await status({ 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' })).toBe(200)
    expect(await status({ 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' })).toBe(403)
    expect(await status({ 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' })).toBe(403)
    expect(await status({ 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, '/api/docs')).toBe(403)
    expect((await page(here, '/', { host: 'evil.example' })).status).toBe(421)
  })

  test('needs an index.html', () => {
    expect(() => siteFromFolder(join(folder(), 'assets'))).toThrow('There is no index.html')
  })
})

describe('a key for the console', () => {
  const session = (here: Kit, body: unknown, headers: Record<string, string> = {}): ReturnType<Kit['ask']> =>
    here.ask('POST', '/api/console/session', { as: 'anonymous', body, headers })
  const keysOf = (here: Kit, key: string): ReturnType<Kit['ask']> =>
    here.ask('GET', '/api/keys', { as: 'anonymous', headers: { authorization: `Bearer ${key}` } })

  test('is given once for the code, expires after a week and can be revoked', async () => {
    let now = Date.now()
    const here = await start({ openConsole: true, now: () => now })
    const code = here.api.consoleCode ?? ''
    expect(code.length).toBeGreaterThan(40)
    const { status, body } = await session(here, { code })
    expect([status, body]).toEqual([200, { key: expect.stringMatching(/^hp_/) }])
    expect(await session(here, { code })).toMatchObject({ status: 401, body: { code: 'unauthorised' } })
    expect(await keysOf(here, body.key)).toMatchObject({
      status: 200,
      body: { items: [{ name: 'console', scopes: ['admin'] }] },
    })
    now += 7 * 86_400_000
    expect((await keysOf(here, body.key)).status).toBe(401)
  })

  test('is given to one of many concurrent requests with the code', async () => {
    const here = await start({ openConsole: true })
    const response = await Promise.all(Array.from({ length: 20 }, () => session(here, { code: here.api.consoleCode })))
    expect(response.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('is never given without the code, whatever the headers claim', async () => {
    const here = await start({ openConsole: true })
    const page = { origin: 'http://localhost', 'sec-fetch-site': 'same-origin', host: 'localhost' }
    for (const body of [{}, undefined, { code: '' }, { code: 'x' }, { code: [here.api.consoleCode] }]) {
      const response = await session(here, body, page)
      expect([401, 422], JSON.stringify(body)).toContain(response.status)
      expect(JSON.stringify(response.body)).not.toContain('hp_')
    }
    const elsewhere = { ...page, origin: 'http://localhost:3000' }
    expect((await session(here, { code: here.api.consoleCode }, elsewhere)).status).toBe(403)
    expect((await session(here, { code: here.api.consoleCode }, page)).status, 'the code is still good').toBe(200)
  })

  test('is needed: `openConsole` lets no request in without one', async () => {
    const here = await start({ openConsole: true })
    const page = { origin: 'http://localhost', 'sec-fetch-site': 'same-origin', host: 'localhost' }
    for (const path of ['/api/me', '/api/conversations', '/api/holds', '/api/keys'])
      expect((await here.ask('GET', path, { as: 'anonymous', headers: page })).status, path).toBe(401)
    expect((await here.ask('POST', '/api/keys', { as: 'anonymous', headers: page, body: {} })).status).toBe(401)
  })

  test('is not given when the store fails, and the code stays valid', async () => {
    const here = await kit()
    onTestFinished(here.close)
    let fails = true
    const put: typeof here.store.put = (...args) =>
      fails ? Promise.reject(new Error('The disk is full.')) : here.store.put(...args)
    const store = new Proxy(here.store, { get: (of, name) => (name === 'put' ? put : Reflect.get(of, name, of)) })
    const api = gateway({ runtime: here.runtime, store, openConsole: true })
    const ask = async (): Promise<number> => {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ code: api.consoleCode })
      return (await api.fetch(new Request('http://localhost/api/console/session', { method: 'POST', headers, body })))
        .status
    }
    expect(await ask()).toBe(500)
    fails = false
    expect(await ask()).toBe(200)
  })

  test('is never given without `openConsole`', async () => {
    const here = await start()
    expect(here.api.consoleCode).toBeUndefined()
    expect((await session(here, { code: 'x' })).status).toBe(404)
  })

  test('limits the body of unauthenticated requests, and charges no tenant for it', async () => {
    const here = await start({ limits: { tenantBytes: { perSecond: 1, burst: 2000 } } })
    expect((await session(here, { code: 'x'.repeat(2000) })).status).toBe(413)
    for (let nth = 0; nth < 30; nth++) expect((await session(here, { code: 'x'.repeat(190) })).status).toBe(404)
    const { key } = await here.api.keys.create('', { name: 'k', scopes: ['agent'] })
    const headers = { authorization: `Bearer ${key}` }
    const sent = here.ask('POST', '/api/conversations', { as: 'anonymous', body: { id: 'c1' }, headers })
    expect((await sent).status).toBe(201)
  })

  test('cannot be enabled when other machines can connect', async () => {
    const here = await kit()
    const settings = { runtime: here.runtime, store: here.store, openConsole: true }
    const tries = [{ host: '0.0.0.0', hosts: ['localhost'] }, { hosts: ['holdpoint.example'] }, { hosts: ['*'] }]
    for (const more of tries) await expect(serve({ ...settings, ...more })).rejects.toThrow(HoldpointError)
    const served = await serve(settings)
    expect(served.consoleUrl).toBe(`${served.url}/#code=${served.gateway.consoleCode}`)
    await served.close()
  })
})

test('agents in code are listed with their model and tools', async () => {
  const here = await start()
  const { body } = await here.ask('GET', '/api/agents/desk')
  const axes = body.tools.map(({ name, executor, approval }: Record<string, string>) => [name, executor, approval])
  expect(axes).toEqual([
    ['ship', 'external', 'auto'],
    ['refund', 'server', 'gated'],
    ['ask', 'human', 'auto'],
  ])
  expect(body).toMatchObject({ source: 'code', model: 'obedient' })
})

test('a worker that asks for calls is listed in its tenant', async () => {
  const here = await start()
  await here.ask('POST', '/api/calls/claim', { as: 'worker', body: { tools: ['ship', 'pack', 'ship'] } })
  const { body } = await here.ask('GET', '/api/workers')
  expect(body.items).toMatchObject([{ by: 'key:worker', tools: ['pack', 'ship'], seenAt: expect.any(Number) }])
  expect((await here.ask('GET', '/api/workers', { tenant: 'umbrella' })).body.items).toEqual([])
})
