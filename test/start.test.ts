/**
 * `npm start` serves the demo agents. With the printed key, a user can hold a call, kill the process, restart it and
 * approve. The printed address signs the console in once.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tour } from '../apps/console/src/tour.ts'
import { root } from '../scripts/lib/workspace.ts'

interface Answer {
  readonly verdict?: string
  readonly key?: string
  readonly code?: string
  readonly result?: {
    readonly status: string
    readonly text: string
    readonly holds: readonly { readonly callId: string; readonly name: string }[]
  }
}

test('a call of `npm start` stays held through a kill until it is approved with the printed key', async () => {
  const store = place()
  const first = await started(store)
  const { key } = first
  const sent = await post(first.url, '/api/conversations/c1/messages?wait=10', key, {
    content: 'Please write to Ada',
    agent: 'desk',
  })
  expect(sent.result).toMatchObject({ status: 'held', holds: [{ name: 'email.send', kind: 'approval' }] })
  const callId = sent.result?.holds[0]?.callId ?? ''
  const ended = new Promise((resolve) => first.child.once('exit', resolve))
  first.child.kill('SIGKILL')
  await ended

  const { url } = await started(store)
  expect(await post(url, `/api/holds/c1/${callId}/resolve`, key, { kind: 'approve' })).toMatchObject({
    verdict: 'accepted',
  })
  const done = await post(url, '/api/conversations/c1/continue?wait=20', key, {})
  expect(JSON.stringify(done)).toContain('ada@example.org')

  await post(url, '/api/agents', key, { name: 'helper', model: 'scripted', instructions: 'Help.' })
  const other = await post(url, '/api/conversations/c2/messages?wait=10', key, { content: 'Hello', agent: 'helper' })
  expect(other.result).toMatchObject({ status: 'done', text: expect.stringContaining('I am a scripted model') })
})

test('every stop of the tour leads to a call or an answer of the agent', async () => {
  const { url, key } = await started(place())
  const ends = await Promise.all(
    // The console's tests cover the messages in a space.
    tour
      .filter(({ inSpace }) => !inSpace)
      .map(async ({ say }, nth) => {
        const { result } = await post(url, `/api/conversations/t${nth}/messages?wait=20`, key, {
          content: say,
          agent: 'desk',
        })
        return result?.status === 'held' ? result.holds[0]?.name : result?.text
      }),
  )
  expect(ends).toEqual([
    'email.send',
    'budget.ask',
    'browser.time_zone',
    expect.stringContaining('report'),
    'parcel.ship',
    expect.stringContaining('There it is'),
    expect.stringContaining('High water'),
  ])
})

test('a wrong setting prints one line and no stack trace', async () => {
  const told = await started(place(), { PORT: 'many' }).catch((error: Error) => error.message)
  expect(told).toMatch(/^It ended before it listened:\n(?:To see .*\n)?holdpoint: .*PORT.*\n$/)
})

test('the console gets a key for the code in the printed address, once, and no one gets one without the code', async () => {
  const store = place()
  const { url, code, child } = await started(store)
  const session = (body: object, more = {}): Promise<Answer> => post(url, '/api/console/session', undefined, body, more)
  // The headers of a page of the console. Every program on this machine can send them too.
  const own = { origin: url, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }
  for (const body of [{}, { code: '' }, { code: 'guessed' }, { code: code.slice(0, -1) }])
    expect(await session(body, own)).not.toHaveProperty('key')
  for (const path of ['/api/holds', '/api/keys', '/api/agents', '/api/conversations'])
    expect((await fetch(url + path, { headers: own })).status).toBe(401)

  const { key } = await session({ code })
  expect(key).toMatch(/^hp_/)
  const holds = (at: string): Promise<Response> =>
    fetch(`${at}/api/holds`, { headers: { authorization: `Bearer ${key}` } })
  expect((await holds(url)).status).toBe(200)
  expect(await session({ code }, own), 'the code was used').toMatchObject({ code: 'unauthorised' })

  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
  const next = await started(store)
  expect((await holds(next.url)).status, 'the session goes on after a restart').toBe(200)
  expect(next.code).not.toBe(code)
})

test('no code is printed if other machines can connect', async () => {
  const { url, code, key } = await started(place(), { HOLDPOINT_HOSTS: 'localhost,127.0.0.1,desk.example' })
  expect(code).toBe('')
  expect(await post(url, '/api/console/session', undefined, { code: 'any' })).toMatchObject({ code: 'not-found' })
  expect((await fetch(`${url}/api/holds`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200)
})

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-start-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'desk.db')
}

async function post(
  url: string,
  path: string,
  key: string | undefined,
  body: object,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const headers = {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    'content-type': 'application/json',
    ...more,
  }
  return (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<Answer>
}

/** The key is printed once per store. */
async function started(
  store: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly url: string; readonly code: string; readonly key: string; readonly child: ChildProcess }> {
  const vendors = /_API_KEY$|^OPENAI_BASE_URL$/
  const own = Object.entries(process.env).filter(([name]) => !vendors.test(name))
  const env = { ...Object.fromEntries(own), PORT: '0', HOLDPOINT_STORE: store, ...settings }
  const child = spawn(process.execPath, ['--conditions=@holdpoint/source', join(root, 'scripts/serve.ts')], { env })
  onTestFinished(() => void child.kill())
  let said = ''
  child.stderr.on('data', (text: Buffer) => (said += text.toString()))
  for await (const text of child.stdout as AsyncIterable<Buffer>) {
    said += text.toString()
    const [, key = ''] = /(hp_\S+)/.exec(said) ?? []
    const [, url, code = ''] = /listens on (\S+)\. Try it: \S+?(?:#code=(\S+))?\n/.exec(said) ?? []
    if (url !== undefined) return { url, code, key, child }
  }
  throw new Error(`It ended before it listened:\n${said}`)
}
