/** The command writes one line of JSON for each problem: with what it came from, and without secrets. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startGateway } from '../src/start-gateway.ts'

const APP = `
import { agent, ModelError } from 'holdpoint'
const cause = new Error('Incorrect API key sk-live-123 for https://api.vendor.test')
const model = { id: 'broken', async *stream() { throw new ModelError('Unauthorized', { retryable: false, status: 401, requestId: 'req_7', cause }) } }
export const agents = [agent({ name: 'desk', model })]
`

/** Inside the workspace, where the packages are found. */
function appFolder(app: string): string {
  const cache = join(import.meta.dirname, '../../../.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'operator-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'app.ts'), app)
  return folder
}

test('a model that fails is in the log of the operator with its cause, and not in what a client reads', async () => {
  const folder = appFolder(APP)
  const lines: string[] = []
  const err = vi.spyOn(process.stderr, 'write').mockImplementation((text) => (lines.push(String(text)), true))
  const out = vi.spyOn(process.stdout, 'write').mockImplementation(() => true)
  const key = `hp_${'K'.repeat(43)}`
  const { served, stop } = await startGateway({
    HOLDPOINT_STORE: join(folder, 'log.db'),
    HOLDPOINT_APP: join(folder, 'app.ts'),
    HOLDPOINT_KEY: key,
    PORT: '0',
  })
  try {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const at = `${served.url}/api/conversations/c1`
    const body = JSON.stringify({ agent: 'desk', content: 'Hi' })
    const response = await fetch(`${at}/messages?wait=10`, { method: 'POST', headers, body })
    const read = [await response.text(), await (await fetch(`${at}/events`, { headers })).text()].join()
    expect(read).toContain('The model could not answer')
    expect(read).not.toMatch(/sk-live|vendor\.test|Unauthorized|req_7/)
    const none = await fetch(`${served.url}/api/conversations/none`, {
      headers: { ...headers, 'x-request-id': 'mine-1' },
    })
    expect([none.status, none.headers.get('x-request-id')]).toEqual([404, 'mine-1'])
    expect((await fetch(at, { headers })).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  } finally {
    await stop()
    err.mockRestore()
    out.mockRestore()
  }
  const logged = lines.map((line) => JSON.parse(line) as { readonly event?: string; readonly at: string })
  expect(logged.filter(({ event }) => event !== undefined)).toMatchObject([
    {
      level: 'error',
      event: 'model-failed',
      code: 'model-failed',
      message:
        'The model broken failed (401): Unauthorized Caused by: Incorrect API key sk-live-123 for https://api.vendor.test',
      conversationId: 'c1',
      vendorStatus: 401,
      vendorRequestId: 'req_7',
    },
    {
      level: 'error',
      event: 'turn-failed',
      code: 'model_failed',
      message: 'The model could not answer. The operator was told why.',
      conversationId: 'c1',
      turnId: expect.any(String),
    },
    {
      level: 'info',
      event: 'request-refused',
      code: 'not-found',
      method: 'GET',
      path: '/api/conversations/none',
      conversationId: 'none',
      requestId: 'mine-1',
      status: 404,
    },
  ])
  for (const { at } of logged) expect(Date.parse(at)).toBeGreaterThan(0)
})

test('a problem is one line, with the tenant and the conversation that it belongs to', async () => {
  const lines: string[] = []
  const err = vi.spyOn(process.stderr, 'write').mockImplementation((text) => (lines.push(String(text)), true))
  const out = vi.spyOn(process.stdout, 'write').mockImplementation(() => true)
  onTestFinished(() => [err, out].forEach((spy) => spy.mockRestore()))
  const key = `hp_${'K'.repeat(43)}`
  const folder = appFolder(`${APP}
export const on = { ended: () => { throw new Error('No chat today.\\nThe key ${key} was refused.') } }`)
  const { served, stop } = await startGateway({
    HOLDPOINT_STORE: join(folder, 'log.db'),
    HOLDPOINT_APP: join(folder, 'app.ts'),
    HOLDPOINT_KEY: key,
    PORT: '0',
  })
  onTestFinished(stop)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ agent: 'desk', content: 'Hi' })
  await fetch(`${served.url}/api/conversations/c1/messages?wait=10`, { method: 'POST', headers, body })
  await vi.waitFor(() => expect(lines.join('')).toContain('"event":"problem"'))
  const [line, ...more] = lines.filter((each) => each.includes('"event":"problem"'))
  expect(more).toEqual([])
  expect(line).toMatch(/^[^\n]+\n$/)
  expect(JSON.parse(line!)).toMatchObject({
    level: 'error',
    event: 'problem',
    message: 'No chat today.\nThe key [redacted] was refused.',
    tenant: '',
    conversationId: 'c1',
  })
})
