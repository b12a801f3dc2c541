/** Signed links: who presses what on which page, and that nothing else decides. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { proves } from '@holdpoint/testing'
import { chromium } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import type { Channels, ChannelsOptions, HoldMessage } from '@holdpoint/channels'
import { findBrowser } from '../../../test/find-browser.ts'
import { noting } from '../../../test/kit/runtime-kit.ts'
import { openDesk, pay, type Desk } from './kit.ts'

const SECRET = 'a secret of at least thirty-two characters'

interface Linked extends Desk {
  readonly opened: Channels
  readonly link: NonNullable<HoldMessage['link']>
  open(url?: string, method?: string): Promise<{ status: number; html: string; nonce: string }>
  press(fields: Readonly<Record<string, string>>, url?: string): Promise<number>
  decided(): Promise<boolean>
}

async function linked(
  setup: Parameters<typeof openDesk>[0] = {},
  more: Partial<ChannelsOptions> = {},
): Promise<Linked> {
  const at = await openDesk(setup)
  const opened = await at.channels({ links: { secret: SECRET }, ...more })
  await at.desk.runtime.send('c', 'Pay', { by: 'bob' })
  await at.until(() => at.phones.sent.length >= 1)
  const { link } = at.phones.to('+ada')[0]!
  const ask = async (url: string, init: RequestInit) => (await opened.answer(new Request(url, init)))!
  return {
    ...at,
    opened,
    link: link!,
    open: async (url = link!.url, method = 'GET') => {
      const answer = await ask(url, { method })
      const html = await answer.text()
      return { status: answer.status, html, nonce: /name="nonce" value="([^"]+)"/.exec(html)?.[1] ?? '' }
    },
    press: async (fields, url = link!.url) =>
      (await ask(url, { method: 'POST', body: new URLSearchParams(fields) })).status,
    decided: async () => (await at.desk.runtime.pending()).items.length === 0,
  }
}

test('the person of a link decides once: the page shows the whole call, and the log records the person', async () => {
  const long = 'y'.repeat(4000)
  const { open, press, link, world } = await linked({
    says: [{ calls: [{ name: 'pay', input: { to: '<b>Eve</b>', long } }] }, 'Paid.'],
    tools: [noting([], 'pay', { approval: 'required' })],
  })
  const { html, nonce, status } = await open()
  expect(status).toBe(200)
  expect(html).toContain(long)
  expect(html).toContain('&lt;b&gt;Eve&lt;/b&gt;')
  expect(await press({ nonce, code: link.code.toLowerCase(), decision: 'approve' })).toBe(200)
  const approved = (await world.log()).find(({ type }) => type === 'call.approved')
  expect(approved).toMatchObject({ by: 'ada', resolution: { kind: 'approve' } })
  expect(await press({ nonce, code: link.code, decision: 'reject' })).toBe(410)
  expect((await open()).html).toContain('approved by ada')
})

test('a preview, a scanner and a page that is pressed without its nonce and code decide nothing', async () => {
  const { open, press, link, decided } = await linked()
  for (const method of ['GET', 'HEAD', 'GET']) expect((await open(undefined, method)).status).toBe(200)
  const { nonce } = await open()
  const code = link.code
  expect(await press({})).toBe(403)
  expect(await press({ code, decision: 'approve' })).toBe(403)
  expect(await press({ nonce, code })).toBe(403)
  expect(await press({ nonce: `${nonce}x`, code, decision: 'approve' })).toBe(403)
  expect(await press({ nonce, decision: 'approve' })).toBe(403)
  expect(await press({ nonce, code: 'WRONG2', decision: 'approve' })).toBe(403)
  expect(await decided()).toBe(false)
  expect(await press({ nonce, code, decision: 'approve' })).toBe(200)
})

test('five wrong codes end a link', async () => {
  const { open, press, link, decided } = await linked()
  const { nonce } = await open()
  for (let n = 0; n < 5; n++) expect(await press({ nonce, code: `A${n}`, decision: 'approve' })).toBe(403)
  expect(await press({ nonce, code: link.code, decision: 'approve' })).toBe(410)
  expect((await open()).html).toContain('used already')
  expect(await decided()).toBe(false)
})

test('a forged, foreign or expired link decides nothing, and a nonce is good for its own link only', async () => {
  const { open, press, link, decided, world, phones, desk, until } = await linked()
  const { nonce } = await open()
  const [body = '', signature = ''] = link.url.split('/').at(-1)!.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
  const forged = Buffer.from(JSON.stringify({ ...claims, person: 'eve' })).toString('base64url')
  const other = await linked({}, { links: { secret: 'another secret of at least 32 characters' } })
  const fields = { nonce, code: link.code, decision: 'approve' }
  for (const url of [`https://holds.acme.test/links/${forged}.${signature}`, other.link.url, `${link.url}x`]) {
    expect((await open(url)).status).toBe(404)
    expect(await press(fields, url)).toBe(403)
  }
  await desk.runtime.send('d', 'Pay')
  await until(() => phones.sent.length === 2)
  const second = phones.to('+ada')[1]!.link!
  expect(await press({ nonce, code: second.code, decision: 'approve' }, second.url)).toBe(403)
  await world.clock.advance(86_400_000)
  expect((await open()).status).toBe(404)
  expect(await press(fields)).toBe(403)
  expect(await decided()).toBe(false)
})

test('a link ends when its hold is decided elsewhere, and a double press decides once', async () => {
  const { open, press, link, desk } = await linked({ tools: [pay({ approvers: 2 })] })
  const { nonce } = await open()
  const fields = { nonce, code: link.code, decision: 'approve' }
  expect((await Promise.all([press(fields), press(fields), press(fields)])).toSorted()).toEqual([200, 410, 410])
  // Ada has approved, and two are needed: her link must not reject now.
  expect(await press({ ...fields, decision: 'reject' })).toBe(410)
  const { items } = await desk.runtime.pending()
  expect(items[0]).toMatchObject({ missing: 1 })
})

test('above the risk that the application set, a link shows and does not decide', async () => {
  let risky = false
  const { open, press, link, decided } = await linked({}, { links: { secret: SECRET, needsSignIn: () => risky } })
  const { nonce } = await open()
  risky = true
  const page = await open()
  expect(page.html).toContain('Sign in to decide')
  expect(page.html).not.toContain('<form')
  expect(await press({ nonce, code: link.code, decision: 'approve' })).toBe(410)
  expect(await decided()).toBe(false)
})

test('a person who lost the right decides nothing with an older link', async () => {
  const groups: Record<string, readonly string[]> = { ada: ['finance'] }
  const { open, press, link, decided } = await linked({
    tools: [pay({ approvers: { anyOf: ['group:finance'] } })],
    people: [{ person: 'ada', addresses: { phone: '+ada' } }],
    groups,
  })
  const { nonce } = await open()
  delete groups['ada']
  expect((await open()).status).toBe(410)
  expect(await press({ nonce, code: link.code, decision: 'approve' })).toBe(410)
  expect(await decided()).toBe(false)
})

test(
  proves(
    'link.only-its-person',
    'a mail scanner in a real browser follows the link, ticks every box and presses every button: nothing is decided',
  ),
  async () => {
    const { opened, link, decided } = await linked()
    const requests: string[] = []
    const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const method = request.method ?? 'GET'
      requests.push(method)
      const body = method === 'POST' ? { body: await text(request) } : {}
      const headers = { 'content-type': request.headers['content-type'] ?? '' }
      const answer = await opened.answer(new Request(`https://a.test${request.url}`, { method, headers, ...body }))
      response.writeHead(answer?.status ?? 404, Object.fromEntries(answer?.headers ?? [])).end(await answer?.text())
    }
    const server = createServer((request, response) => void serve(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const executablePath = findBrowser()
    const browser = await chromium.launch({
      ...(executablePath !== undefined && { executablePath }),
      args: ['--no-sandbox'],
    })
    onTestFinished(async () => {
      await browser.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
    const page = await browser.newPage()
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(link.url).pathname}`
    await page.goto(address)
    // As a scanner that knows no code, but fills every field that the page asks for.
    for (const field of await page.locator('input:not([type=radio]):not([type=hidden])').all()) await field.fill('test')
    for (const box of await page.locator('input[type=radio]').all()) await box.check()
    await Promise.all([page.waitForLoadState(), page.locator('button').click()])
    await expect.poll(() => requests).toContain('POST')
    await expect.poll(() => page.textContent('h1')).toBe('Nothing was decided')
    expect(await decided()).toBe(false)
  },
)
