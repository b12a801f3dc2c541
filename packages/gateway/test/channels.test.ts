/** Channels in a gateway that is started from an app file: people and preferences over HTTP, the page of a link, triggers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Client } from '@holdpoint/client'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startGateway } from '../src/start-gateway.ts'

const KEY = 'k'.repeat(40)
const APP = `
import { agent, tool } from 'holdpoint'
import { z } from 'zod'
const pay = tool({
  name: 'pay', description: 'Pay', input: z.object({ euros: z.number() }),
  approval: { required: true, reason: 'It is money.', approvers: { anyOf: ['group:finance'] } }, run: () => 'paid',
})
const model = {
  id: 'scripted',
  async *stream({ prompt }) {
    const last = prompt.at(-1)
    if (last?.role !== 'user') yield { type: 'text', id: 't', delta: 'Done.' }
    else yield { type: 'call', id: 'c1', name: 'pay', input: '{"euros":80}' }
    yield { type: 'finish', reason: last?.role === 'user' ? 'calls' : 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
  },
}
globalThis.shownMessages = []
const phone = {
  name: 'phone',
  show: async ({ message, address }) => {
    if (address === 'down') throw new Error('The phone does not answer.')
    return globalThis.shownMessages.push(message)
  },
}
export const agents = [agent({ name: 'desk', model, tools: [pay] })]
export const channels = { url: 'http://localhost', channels: [phone], links: { secret: 'a secret of at least 32 characters!' } }
`

interface Shown {
  readonly link?: { readonly url: string; readonly code: string }
  readonly end?: { readonly how: string; readonly by?: string }
}

interface Started {
  readonly url: string
  readonly client: Client
  readonly shown: () => readonly Shown[]
  ask(
    method: string,
    path: string,
    body?: unknown,
    key?: string,
  ): Promise<{ status: number; body: Record<string, unknown> }>
}

async function started(): Promise<Started> {
  // Inside the package, where Node finds the libraries of the app file.
  const folder = mkdtempSync(join(import.meta.dirname, '.app-'))
  const data = mkdtempSync(join(tmpdir(), 'holdpoint-channels-'))
  const file = join(folder, 'app.mjs')
  writeFileSync(file, APP)
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const { served, stop } = await startGateway({
    HOLDPOINT_APP: file,
    HOLDPOINT_STORE: join(data, 'desk.db'),
    HOLDPOINT_KEY: KEY,
    PORT: '0',
  })
  vi.mocked(process.stdout.write).mockRestore()
  onTestFinished(async () => {
    await stop()
    for (const each of [folder, data]) rmSync(each, { recursive: true, force: true })
  })
  const { url } = served
  return {
    url,
    client: connect({ url, key: KEY }),
    shown: () => (globalThis as unknown as { shownMessages: readonly Shown[] }).shownMessages,
    ask: async (method, path, body, key = KEY) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const answer = await fetch(url + path, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
    },
  }
}

test('a person of a group is told, and decides on the page of the link over HTTP, with the groups of the directory', async () => {
  const { url, client, ask, shown } = await started()
  await ask('PUT', '/api/people/ann', { groups: ['finance'] })
  await ask('PUT', '/api/people/ann/channels', { addresses: { phone: '+1' } })
  await client.conversations.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(() => expect(shown()).toHaveLength(1))
  const { link } = shown()[0]!
  const page = url + new URL(link!.url).pathname
  const opened = await fetch(page)
  expect(opened.status).toBe(200)
  expect(opened.headers.get('cache-control')).toBe('no-store')
  expect(opened.headers.get('referrer-policy')).toBe('no-referrer')
  expect(opened.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  const html = await opened.text()
  expect(html).toContain('&quot;euros&quot;: 80')
  const nonce = /name="nonce" value="([^"]+)"/.exec(html)?.[1] ?? ''
  const body = new URLSearchParams({ nonce, code: link!.code, decision: 'approve' })
  // As a page of another site would post it.
  const foreign = await fetch(page, { method: 'POST', body, headers: { origin: 'https://evil.test' } })
  expect(foreign.status).toBe(403)
  const decided = await fetch(page, { method: 'POST', body, headers: { origin: url } })
  expect(decided.status).toBe(200)
  await vi.waitFor(() => expect(shown().at(-1)?.end).toMatchObject({ how: 'approved', by: 'ann' }))
})

test('a person changes their own preferences and nothing else; only an admin says where a person is', async () => {
  const { client, ask } = await started()
  const own = async (person: string): Promise<string> =>
    (await client.keys.create({ name: person, scopes: ['resolver'], mayActFor: [person] })).key ?? ''
  const [ann, eve] = [await own('ann'), await own('eve')]
  expect((await ask('PUT', '/api/people/ann/channels', { addresses: { phone: '+1' } }, ann)).status).toBe(403)
  expect((await ask('PUT', '/api/people/ann/channels', { addresses: { phone: '+1' } })).status).toBe(200)
  const preferences = '/api/people/ann/channels/preferences'
  expect((await ask('PUT', preferences, { off: ['phone'] }, eve)).status).toBe(403)
  expect((await ask('GET', '/api/people/ann/channels', undefined, eve)).status).toBe(403)
  const changed = await ask('PUT', preferences, { off: ['phone'], agents: ['desk'] }, ann)
  expect(changed).toMatchObject({ status: 200, body: { addresses: { phone: '+1' }, off: ['phone'], agents: ['desk'] } })
  expect((await ask('PUT', preferences, { addresses: { phone: '+2' } }, ann)).status).toBe(422)
})

test('a removed person decides nothing from their accounts, and an export has their addresses', async () => {
  const { url, client, ask, shown } = await started()
  await ask('PUT', '/api/people/ann', { groups: ['finance'] })
  await ask('PUT', '/api/people/ann/channels', { addresses: { phone: '+1' }, resolver: true })
  const headers = { authorization: `Bearer ${KEY}` }
  const lines = await (await fetch(`${url}/api/people/ann/export`, { headers })).text()
  expect(lines).toContain('{"type":"channels","data":{"person":"ann","addresses":{"phone":"+1"},"resolver":true}}')
  await client.conversations.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(() => expect(shown()).toHaveLength(1))
  expect((await ask('DELETE', '/api/people/ann')).status).toBe(204)
  expect((await ask('GET', '/api/people/ann/channels')).status).toBe(404)
  expect((await fetch(url + new URL(shown()[0]!.link!.url).pathname)).status).toBe(410)
})

test('a signed request wakes an agent over HTTP; paths that do not exist are refused as everywhere', async () => {
  const { url, client, ask } = await started()
  const { body } = await ask('POST', '/api/triggers', { agent: 'desk', name: 'order' })
  const { id, secret } = body as { id: string; secret: string }
  const text = '{"order":7}'
  const at = new Date()
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, text),
  }
  const post = async (path: string): Promise<number> =>
    (await fetch(url + path, { method: 'POST', headers, body: text })).status
  expect(await post(`/triggers/${id}`)).toBe(202)
  expect(await post('/triggers/tr_none')).toBe(401)
  expect(await post('/channels/none')).toBe(404)
  expect((await fetch(`${url}/links/none`)).status).toBe(404)
  const { items } = await client.conversations.events('agent:desk')
  expect(JSON.stringify(items)).toContain('"name":"order","data":{"order":7}')
})

test('health counts what a channel has to do, and what it tries again', async () => {
  const { client, ask } = await started()
  await ask('PUT', '/api/people/ann', { groups: ['finance'] })
  await ask('PUT', '/api/people/ann/channels', { addresses: { phone: 'down' } })
  expect((await ask('GET', '/api/system')).body).toMatchObject({ channels: [{ waiting: 0, retrying: 0 }] })
  await client.conversations.send('c', 'Pay', { by: 'bob' })
  await vi.waitFor(async () =>
    expect((await ask('GET', '/api/system')).body).toMatchObject({
      channels: [{ name: 'phone', waiting: 1, retrying: 1 }],
    }),
  )
})
