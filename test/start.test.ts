/** `npm start` serves an agent to try: somebody who has only the printed key can hold a call and approve it. */
import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../scripts/lib/workspace.ts'

test('what npm start serves holds a call until it is approved, with the key that it printed', async () => {
  const { url, key } = await started()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const post = async (path: string, body: object): Promise<Answer> =>
    (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<Answer>

  const sent = await post('/api/conversations/c1/messages?wait=10', { content: 'Please write to Ada', agent: 'desk' })
  expect(sent.result).toMatchObject({ status: 'held', holds: [{ name: 'send_email', kind: 'approval' }] })
  const { callId } = sent.result!.holds[0]!
  expect(await post(`/api/holds/c1/${callId}/resolve`, { kind: 'approve' })).toMatchObject({ verdict: 'accepted' })
  const done = await post('/api/conversations/c1/continue?wait=10', {})
  expect(JSON.stringify(done)).toContain('sent to ada@example.org')

  await post('/api/agents', { name: 'helper', model: 'pretender', instructions: 'Help.' })
  const other = await post('/api/conversations/c2/messages?wait=10', { content: 'Hello', agent: 'helper' })
  expect(other.result).toMatchObject({ status: 'done', text: expect.stringContaining('I pretend to be a model') })
})

interface Answer {
  readonly verdict?: string
  readonly result?: { readonly status: string; readonly holds: readonly { readonly callId: string }[] }
}

async function started(): Promise<{ readonly url: string; readonly key: string }> {
  const store = join(mkdtempSync(join(tmpdir(), 'holdpoint-start-')), 'desk.db')
  const env = { ...process.env, PORT: '0', HOLDPOINT_STORE: store }
  const child = spawn(process.execPath, ['--conditions=@holdpoint/source', join(root, 'scripts/serve.ts')], { env })
  onTestFinished(() => void child.kill())
  let said = ''
  child.stderr.on('data', (text: Buffer) => (said += text.toString()))
  for await (const text of child.stdout as AsyncIterable<Buffer>) {
    said += text.toString()
    const [, key] = /(hp_\S+)/.exec(said) ?? []
    const [, url] = /listens on (\S+)\. Try/.exec(said) ?? []
    if (key !== undefined && url !== undefined) return { url, key }
  }
  throw new Error(`It ended before it listened:\n${said}`)
}
