/** `holdpoint preferences` against a gateway with channels. */
import { PassThrough, Writable } from 'node:stream'
import { Channels } from '@holdpoint/channels'
import { serve } from '@holdpoint/gateway'
import { holdpoint, memoryStore } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../src/run-cli.ts'
import { agents } from './app.ts'

const key = 'k'.repeat(40)

async function open() {
  const store = memoryStore()
  const runtime = await holdpoint({ store, agents, news: true })
  const channels = Channels.open({
    runtime,
    store,
    channels: [{ name: 'slack', show: async () => null }],
    url: 'https://holds.acme.test',
  })
  const { url, close } = await serve({
    runtime,
    store,
    agents,
    channels,
    auth: { keys: [{ key, scopes: ['resolver'], mayActFor: true }] },
  })
  onTestFinished(async () => {
    await channels.close()
    await close()
  })
  await channels.people.put('', { person: 'ada', addresses: { slack: 'U\u202E1' }, agents: ['desk'] })
  return async (...args: readonly string[]) => {
    let out = ''
    const stdout = new Writable({ write: (text: Buffer, _encoding, done) => ((out += text.toString()), done()) })
    const env = { HOLDPOINT_URL: url, HOLDPOINT_KEY: key }
    const { signal } = new AbortController()
    const code = await runCli(['preferences', ...args], {
      env,
      stdin: new PassThrough(),
      stdout,
      stderr: stdout,
      signal,
    })
    return { code, out }
  }
}

test('preferences are shown and changed one by one, and what was not named stays', async () => {
  const run = await open()
  const shown = 'ada\nslack: U\\u202e1\nquiet: none\ndigest: none\nonly: desk\n'
  expect(await run('--by', 'ada')).toEqual({ code: 0, out: shown })
  const zone = ['--zone', 'Europe/Berlin', '--by', 'ada']
  expect(await run('set', '--quiet', '22:00-07:00', ...zone)).toMatchObject({ code: 0 })
  expect(await run('set', '--digest', '09:00,16:30', '--off', 'slack', ...zone)).toEqual({
    code: 0,
    out: 'ada\nslack: U\\u202e1 (off)\nquiet: 22:00-07:00 Europe/Berlin\ndigest: 09:00,16:30 Europe/Berlin\nonly: desk\n',
  })
  expect(await run('set', '--quiet', 'none', '--digest', 'none', '--on', 'slack', '--by', 'ada')).toEqual({
    code: 0,
    out: shown,
  })
  expect(JSON.parse((await run('--by', 'ada', '--json')).out)).toMatchObject({ person: 'ada', agents: ['desk'] })
})

test('wrong preferences have exit code 2 and change nothing; a person without channels has 3', async () => {
  const run = await open()
  const before = await run('--by', 'ada')
  const wrong = [
    ['eat'],
    ['set'],
    ['set', '--quiet', 'night'],
    ['set', '--digest', '9'],
    ['set', '--off', 'fax', '--by', 'ada'],
    ['set', '--on', 'constructor', '--by', 'ada'],
  ]
  for (const args of wrong) expect((await run(...args)).code, args.join(' ')).toBe(2)
  const noZone = await run('set', '--quiet', '22:00-07:00', '--zone', 'Mars/Base', '--by', 'ada')
  expect(noZone.code, noZone.out).toBe(3)
  expect(await run('--by', 'ada')).toEqual(before)
  expect((await run('--by', 'eve')).code).toBe(3)
})
