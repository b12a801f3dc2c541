/** The command line against a gateway on a port, and against a SQLite file. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { connect } from '@holdpoint/client'
import { startGateway } from '@holdpoint/gateway'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { runCli } from '../src/run-cli.ts'

const APP = join(import.meta.dirname, 'app.ts')
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-cli-'))
const store = join(folder, 'desk.db')
const key = 'k'.repeat(40)
let url = ''
let stop = async (): Promise<void> => {}

beforeAll(async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const running = await startGateway({ HOLDPOINT_APP: APP, HOLDPOINT_STORE: store, HOLDPOINT_KEY: key, PORT: '0' })
  vi.mocked(process.stdout.write).mockRestore()
  url = running.served.url
  stop = running.stop
})
afterAll(async () => {
  await stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command. `typed`: the answers of a person at a terminal. */
async function run(
  args: readonly string[],
  more: {
    env?: Record<string, string>
    typed?: readonly string[]
    signal?: AbortSignal
    tty?: boolean
    /** Called with everything that was printed so far. */
    seen?: (out: string) => void
  } = {},
): Promise<Ran> {
  let [out, err] = ['', '']
  const stdin = Object.assign(new PassThrough(), { isTTY: more.typed !== undefined })
  const typed = [...(more.typed ?? [])]
  const stderr = new Writable({
    write: (text: Buffer, _encoding, done) => {
      err += text.toString()
      // The form asks a question: the person types.
      if (text.toString().endsWith(': ') && typed.length > 0) stdin.write(`${typed.shift()}\n`)
      done()
    },
  })
  const stdout = Object.assign(
    new Writable({ write: (text: Buffer, _encoding, done) => ((out += text.toString()), more.seen?.(out), done()) }),
    { isTTY: more.tty ?? false },
  )
  const env = more.env ?? { HOLDPOINT_URL: url, HOLDPOINT_KEY: key }
  const code = await runCli(args, { env, stdin, stdout, stderr, signal: more.signal ?? new AbortController().signal })
  return { code, out, err }
}

const inFile = { env: { HOLDPOINT_STORE: store } }

async function held(conversation: string, text: string): Promise<string> {
  expect(await run(['send', conversation, text, '--wait', '10', '--by', 'bob'])).toMatchObject({ code: 0 })
  const { out } = await run(['holds', '--json'])
  const { items } = JSON.parse(out) as { items: { conversationId: string; callId: string }[] }
  return items.find(({ conversationId }) => conversationId === conversation)!.callId
}

test('a hold is listed, shown whole, approved once, and a second answer is refused with exit code 3', async () => {
  const call = await held('c1', 'Pay Eve')
  expect((await run(['holds'])).out).toMatch(/CONVERSATION .*\nc1 +\S+ +desk +pay +approval/)
  const shown = await run(['holds', 'show', 'c1', call])
  expect(shown.out).toContain('"to": "Eve\\u202e"')
  expect(shown.out).toContain('asked by: bob')
  const approved = await run(['holds', 'approve', 'c1', call, '--by', 'grace'])
  expect(approved).toMatchObject({ code: 0, out: 'accepted\n' })
  const late = await run(['holds', 'reject', 'c1', call, '--by', 'ada'])
  expect(late.code).toBe(3)
  expect(late.out).toContain('grace')
  expect((await run(['holds', 'show', 'c1', call])).code).toBe(3)
  await vi.waitFor(async () => expect((await run(['conversations', 'show', 'c1'])).out).toContain('assistant: Done.'))
})

test('against a file, with the gateway running on it: the same commands, and the gateway goes on', async () => {
  const call = await held('c2', 'Pay Eve')
  expect((await run(['holds'], inFile)).out).toContain('c2')
  expect(await run(['holds', 'reject', 'c2', call, '--reason', 'No.', '--by', 'grace'], inFile)).toMatchObject({
    code: 0,
  })
  await vi.waitFor(async () => {
    const { out } = await run(['conversations', '--json'])
    const { items } = JSON.parse(out) as { items: { id: string; status: string }[] }
    expect(items.find(({ id }) => id === 'c2')?.status).toBe('idle')
  })
})

test('an answer is checked against the tool: refused without the app, taken with it, and asked for field by field', async () => {
  const call = await held('c3', 'Ask the size')
  const value = ['--value', '{"size":42}']
  expect((await run(['holds', 'answer', 'c3', call, ...value], inFile)).code).toBe(3)
  expect((await run(['holds', 'answer', 'c3', call, '--value', '{"size":"big"}'])).code).toBe(3)
  expect((await run(['holds', 'answer', 'c3', call])).code).toBe(2)
  const typed = await run(['holds', 'answer', 'c3', call, '--by', 'bob'], { typed: ['42', 'yes'] })
  expect(typed).toMatchObject({ code: 0, out: 'accepted\n' })
  const again = await held('c4', 'Ask the size')
  expect(await run(['holds', 'answer', 'c4', again, ...value, '--app', APP], inFile)).toMatchObject({ code: 0 })
})

test('search finds a message by its text', async () => {
  const client = connect({ url, key })
  await client.conversations.send('sought', 'A needle in the hay', { wait: 10 })
  const found = await run(['search', 'NEEDLE', '--url', url, '--key', key])
  expect(found).toMatchObject({ code: 0, out: expect.stringContaining('message  A needle in the hay') })
  expect((await run(['search', 'two', 'words', '--url', url, '--key', key])).code).toBe(2)
})

test('a conversation becomes a test that passes as written, and fails when an argument or the order changes', async () => {
  const client = connect({ url, key })
  await client.conversations.send('told', 'Pay Eve', { wait: 10 })
  const [hold] = (await client.holds.list({ conversationId: 'told' })).items
  await client.holds.approve('told', hold!.callId)
  await vi.waitFor(async () => expect((await client.conversations.view('told'))?.status).toBe('idle'))
  const file = join(import.meta.dirname, `.told-${process.pid}.test.ts`)
  onTestFinished(() => rmSync(file, { force: true }))
  const wrote = await run(['test', 'export', 'told', file, '--url', url, '--key', key])
  expect(wrote).toMatchObject({ code: 0, out: expect.stringContaining('Run it: node --test') })
  const passes = (): Promise<number> =>
    new Promise((resolve) => {
      const args = ['--conditions=@holdpoint/source', file]
      spawn(process.execPath, args, {
        env: { ...process.env, NODE_OPTIONS: '', NODE_TEST_CONTEXT: '' },
        stdio: 'ignore',
      }).on('exit', (code) => resolve(code ?? 1))
    })
  expect(await passes()).toBe(0)
  const text = readFileSync(file, 'utf8')
  const at = text.lastIndexOf('"to": "Eve')
  expect(at).toBeGreaterThan(0)
  writeFileSync(file, `${text.slice(0, at)}"to": "Bob${text.slice(at + 10)}`)
  expect(await passes()).toBe(1)
  expect((await run(['test', 'export', 'told', file, '--url', url, '--key', key])).code).not.toBe(0)
  expect((await run(['test', 'import', 'told', '--url', url, '--key', key])).code).toBe(2)
})

test('tail prints the events of a conversation, and those of all as they happen', async () => {
  await held('c5', 'Pay Eve')
  const [one, all] = [new AbortController(), new AbortController()]
  const tail = await run(['tail', 'c5', '--json'], {
    signal: one.signal,
    seen: (out) => out.includes('call.held') && one.abort(),
  })
  const lines = tail.out.trim().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
    'turn.started',
    'model.replied',
    'call.held',
  ])
  const everything = run(['tail'], { signal: all.signal, seen: (out) => /c6-.*call.held/.test(out) && all.abort() })
  // The first looks of `tail` may come later than a message: then it says nothing of what was there before.
  for (let n = 0; !all.signal.aborted; n++) await run(['send', `c6-${n}`, 'Pay Eve', '--wait', '5'])
  expect((await everything).out).not.toContain('c5')
})

test('keys and agents are listed, created and revoked', async () => {
  expect((await run(['agents'])).out).toContain('desk')
  const made = await run(['keys', 'create', 'ci', '--scope', 'resolver', '--acts-for', 'ada'])
  expect(made.out).toMatch(/^hp_/)
  expect((await run(['holds', '--key', made.out.trim(), '--by', 'eve'])).out).toBeDefined()
  const { items } = JSON.parse((await run(['keys', '--json'])).out) as { items: { id: string; name: string }[] }
  expect(await run(['keys', 'revoke', items.find(({ name }) => name === 'ci')!.id])).toMatchObject({ code: 0 })
  expect((await run(['keys', 'create', 'x'])).code).toBe(2)
  expect(await run(['keys', 'revoke', '-an-id_with-dashes'])).toMatchObject({ code: 3 })
})

test('rules are listed and revoked, at a gateway and in a file', async () => {
  expect((await run(['rules'])).out).toBe('No rules.\n')
  const client = connect({ url, key })
  const { id } = await client.rules.save({ effect: 'deny', tool: 'none', fingerprint: '0'.repeat(64), when: [] })
  expect((await run(['rules'], inFile)).out).toContain(`${id}  deny`)
  expect(await run(['rules', 'revoke', id, '--reason', 'Done.'], inFile)).toMatchObject({ code: 0 })
  expect((await run(['rules'])).out).toContain('revoked by')
  expect((await run(['rules', 'revoke', 'none'])).code).toBe(3)
})

test('wrong arguments have exit code 2 and one line that says what to do; a broken gateway has 1', async () => {
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['hold'], /no command "hold"/],
    [['holds', 'eat'], /There is no "holds eat"/],
    [['holds', 'show', 'c1'], /CONVERSATION and CALL/],
    [['holds', '--colour'], /--colour/],
    [['holds', '--limit', 'many'], /whole number/],
    [['conversations', '--status', 'sleepy'], /running, held, idle/],
  ]
  for (const [args, message] of wrong) {
    const { code, err } = await run(args)
    expect(code, args.join(' ')).toBe(2)
    expect(err).toMatch(message)
    expect(err.trim().split('\n')).toHaveLength(1)
  }
  expect(await run(['holds'], { env: {} })).toMatchObject({ code: 2 })
  expect(await run(['holds', '--store', join(folder, 'none.db')])).toMatchObject({ code: 2 })
  expect((await run(['holds', '--key', `hp_${'A'.repeat(43)}`])).code).toBe(3)
  const json = await run(['holds', '--url', url, '--store', store, '--json'])
  expect(JSON.parse(json.err)).toMatchObject({ error: expect.stringContaining('not both') })
})

test('colours only on a terminal that takes them', async () => {
  await held('c7', 'Pay Eve')
  const [{ callId }] = (JSON.parse((await run(['holds', '--json'])).out) as { items: [{ callId: string }] }).items
  const env = { HOLDPOINT_URL: url, HOLDPOINT_KEY: key }
  const shown = async (tty: boolean, more: Record<string, string> = {}) =>
    (await run(['conversations', 'show', 'c7'], { tty, env: { ...env, ...more } })).out.includes('\u001B[')
  expect([await shown(true), await shown(false), await shown(true, { NO_COLOR: '1' })]).toEqual([true, false, false])
  expect(callId).toBeDefined()
})

test('doctor says what is wrong and how to fix it', async () => {
  const healthy = await run(['doctor', '--json'])
  expect(JSON.parse(healthy.out)).toMatchObject({ healthy: true })
  const open = join(folder, 'open.db')
  expect((await run(['backup', store, open])).code).toBe(0)
  chmodSync(open, 0o644)
  onTestFinished(() => chmodSync(open, 0o600))
  const found = await run(['doctor', '--store', open])
  expect(found.code).toBe(1)
  expect(found.out).toContain(`chmod 600 ${open}`)
  const away = await run(['doctor', '--url', 'http://127.0.0.1:9'])
  expect(away).toMatchObject({ code: 1 })
  expect(away.out).toContain('holdpoint start')
  const wrongKey = await run(['doctor', '--url', url, '--key', `hp_${'A'.repeat(43)}`])
  expect(wrongKey.out).toContain('holdpoint keys create')
})

test('backup and restore make a store whose holds are asked about again', async () => {
  const [copy, restored] = [join(folder, 'copy.db'), join(folder, 'restored.db')]
  const backedUp = await run(['backup', store, copy])
  expect(backedUp).toMatchObject({ code: 0 })
  expect(backedUp.out).toContain(`The signing key ${store}.signing-key.pem is not in the backup.`)
  expect((await run(['restore', copy, restored, '--json'])).out).toContain('conversations')
  expect((await run(['holds', '--store', restored])).out).toContain('c5')
})

test('help lists every command, and the version is that of the package', async () => {
  const { out, code } = await run(['help'])
  expect(code).toBe(0)
  for (const name of ['dev', 'start', 'tail', 'holds', 'send', 'conversations', 'agents', 'keys', 'doctor', 'backup'])
    expect(out).toContain(`  ${name} `)
  expect((await run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect((await run(['holds', '--help'])).out).not.toContain('doctor')
})

test('dev serves an app file, and again when the file changes', async () => {
  const app = join(folder, 'dev-app.ts')
  const write = (name: string): void =>
    writeFileSync(app, `export { agents } from ${JSON.stringify(APP)}; export const models = { ${name}: { id: 'm' } }`)
  write('first')
  const main = join(import.meta.dirname, '../src/main.ts')
  const child = spawn(
    process.execPath,
    ['--conditions=@holdpoint/source', main, 'dev', app, '--port', '0', '--store', join(folder, 'dev.db')],
    { env: { ...process.env, HOLDPOINT_URL: url }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const ended = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (out += text.toString()))
  const starts = (): number => out.split('Holdpoint listens on').length - 1
  await vi.waitFor(() => expect(starts(), out).toBe(1))
  write('second')
  await vi.waitFor(() => expect(starts(), out).toBe(2))
})

test('a conversation is exported with hashes, and checked offline with the public key; a changed one is not as it was written', async () => {
  const call = await held('proof', 'Pay Eve')
  expect((await run(['holds', 'approve', 'proof', call])).code).toBe(0)
  const file = join(folder, 'proof.jsonl')
  const keys = join(folder, 'public.pem')
  writeFileSync(keys, (await run(['signing-keys'])).out)
  const { out } = await run(['export', 'proof', '--hashes'])
  writeFileSync(file, out)
  const offline = { env: {} }
  const good = await run(['verify', file, '--key', keys], offline)
  expect(good).toMatchObject({ code: 0, err: '' })
  expect(good.out).toMatch(
    /^proof: \d+ events, none of them changed, added, removed or moved; signed up to event \d+ on/,
  )
  expect(good.out).toContain('- That the operator did not write and sign another history of the same log.')
  expect((await run(['verify', file, '--json'], offline)).out).toContain('No public key was given')

  writeFileSync(file, out.replace('Eve', 'Ada'))
  const changed = await run(['verify', file, '--key', keys], offline)
  expect(changed.code).toBe(1)
  expect(changed.out).toMatch(/^This is not the log that was written:\nline \d+: The events \d+ to \d+ are not those/)
  expect(await run(['verify', join(folder, 'none.jsonl')], offline)).toMatchObject({ code: 2 })
  expect(await run(['verify', file, '--key', file], offline)).toMatchObject({
    code: 2,
    err: expect.stringContaining('not a public key in PEM form'),
  })
  expect((await run(['export', 'proof'])).out).toMatch(/^{"type":"export","format":"holdpoint.conversations"/)
})

test('files go with a message, and one that is not there sends nothing', async () => {
  const client = connect({ url, key })
  const [photo, none] = [join(folder, 'photo.png'), join(folder, 'none.png')]
  writeFileSync(photo, Uint8Array.of(137, 80, 78, 71))
  const missing = await run(['send', 'pictures', 'Look', '--file', photo, '--file', none])
  expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('There is no file')])
  expect(await client.conversations.view('pictures')).toBeUndefined()
  expect(await run(['send', 'pictures', 'Look', '--file', photo, '--wait', '10'])).toMatchObject({ code: 0 })
  const text = JSON.stringify(await client.conversations.view('pictures'))
  expect(text).toContain('"filename":"photo.png"')
  expect(text).toContain('"mediaType":"image/png"')
})
