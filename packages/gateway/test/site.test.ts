/** Pages beside the API: files of one folder, under a policy that lets nothing in or out, and a key for the console alone. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HoldpointError } from '@holdpoint/core'
import { serve, siteOf } from '@holdpoint/gateway'
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
  const here = await kit({ site: siteOf(folder()), ...options })
  onTestFinished(() => here.close())
  return here
}

const page = (here: Kit, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  here.door.fetch(new Request(`http://localhost${path}`, { headers: { host: 'localhost', ...headers } }))

describe('a site', () => {
  test('is the app at every address without a file, and leaves the API alone', async () => {
    const here = await start()
    for (const path of ['/', '/holds', '/conversations/a%2Fb/timeline', '/x.y'])
      expect(await (await page(here, path, { accept: 'text/html' })).text(), path).toContain('<title>app')
    expect((await page(here, '/missing.js')).status).toBe(404)
    expect((await page(here, '/api/nothing', { accept: 'text/html' })).status).toBe(404)
    expect((await here.ask('POST', '/', { body: {} })).status).toBe(404)
  })

  test('lets nothing in from elsewhere, and keeps only what has its content in its name', async () => {
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

  test('may be linked to from anywhere, and neither embedded nor fetched', async () => {
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

  test('needs a page to begin with', () => {
    expect(() => siteOf(join(folder(), 'assets'))).toThrow('There is no index.html')
  })
})

describe('a key for the console', () => {
  const own = { origin: 'http://localhost', 'sec-fetch-site': 'same-origin', host: 'localhost' }
  const session = (here: Kit, headers: Record<string, string>): ReturnType<Kit['ask']> =>
    here.ask('POST', '/api/console/session', { as: 'nobody', body: {}, headers })

  test('is handed to its own page, and is the same until it runs out', async () => {
    let now = Date.now()
    const here = await start({ openConsole: true, now: () => now })
    const first = await session(here, own)
    expect(first).toMatchObject({ status: 200, body: { key: expect.stringMatching(/^hp_/) } })
    expect((await session(here, own)).body.key).toBe(first.body.key)
    now += 11.5 * 3_600_000
    expect((await session(here, own)).body.key).not.toBe(first.body.key)
    const headers = { authorization: `Bearer ${first.body.key}` }
    expect((await here.ask('GET', '/api/keys', { as: 'nobody', headers })).status).toBe(200)
    now += 3_600_000
    expect((await here.ask('GET', '/api/keys', { as: 'nobody', headers })).status).toBe(401)
  })

  test('is handed to nobody else', async () => {
    const here = await start({
      openConsole: true,
      origins: ['https://desk.example'],
      hosts: ['localhost', 'desk.example'],
    })
    const others: readonly Record<string, string>[] = [
      { host: 'localhost' },
      { host: 'localhost', origin: 'http://localhost' },
      { ...own, 'sec-fetch-site': 'cross-site' },
      { ...own, origin: 'https://desk.example' },
      { ...own, 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' },
      { origin: 'http://desk.example', host: 'desk.example', 'sec-fetch-site': 'same-origin' },
      { ...own, 'x-forwarded-for': '10.0.0.1' },
      { ...own, forwarded: 'for=10.0.0.1' },
    ]
    for (const headers of others) {
      const told = await session(here, headers)
      expect(told.status, JSON.stringify(headers)).toBe(403)
      expect(JSON.stringify(told.body)).not.toContain('hp_')
    }
  })

  test('is handed to nobody at all unless whoever started it said so', async () => {
    expect((await session(await start(), own)).status).toBe(404)
  })

  test('cannot be offered where others may come', async () => {
    const here = await kit()
    const settings = { runtime: here.runtime, store: here.store, openConsole: true }
    const tries = [{ host: '0.0.0.0', hosts: ['localhost'] }, { hosts: ['holdpoint.example'] }, { hosts: ['*'] }]
    for (const more of tries) await expect(serve({ ...settings, ...more })).rejects.toThrow(HoldpointError)
    await here.close()
  })
})

test('the agents of the program say what they are made of, tools with both axes', async () => {
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

test('a worker that asks for work is heard of, in its own tenant', async () => {
  const here = await start()
  await here.ask('POST', '/api/calls/claim', { as: 'worker', body: { tools: ['ship', 'pack', 'ship'] } })
  const { body } = await here.ask('GET', '/api/workers')
  expect(body.items).toMatchObject([{ by: 'key:worker', tools: ['pack', 'ship'], seenAt: expect.any(Number) }])
  expect((await here.ask('GET', '/api/workers', { tenant: 'umbrella' })).body.items).toEqual([])
})
