/** The inbox on a terminal: a stand-in for one in this process, and tmux. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { connect, type Client } from '@holdpoint/client'
import { startGateway } from '@holdpoint/gateway'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { runCli } from '../src/run-cli.ts'

const APP = join(import.meta.dirname, 'app.ts')
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-inbox-'))
const store = join(folder, 'desk.db')
const key = 'k'.repeat(40)
let url = ''
let client: Client
let stop = async (): Promise<void> => {}

beforeAll(async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const running = await startGateway({ HOLDPOINT_APP: APP, HOLDPOINT_STORE: store, HOLDPOINT_KEY: key, PORT: '0' })
  vi.mocked(process.stdout.write).mockRestore()
  url = running.served.url
  client = connect({ url, key })
  stop = running.stop
})
afterAll(async () => {
  await stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs the inbox on a stand-in for a terminal. */
function atTerminal(args: readonly string[], env: Readonly<Record<string, string>>) {
  const raw: boolean[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => void raw.push(isRaw),
    ref: () => {},
    unref: () => {},
  })
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 40 })
  let out = ''
  stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  const stopped = new AbortController()
  const { signal } = stopped
  const ended = runCli(['inbox', ...args], { env, stdin, stdout, stderr: stdout, signal })
  const sees = (text: string | RegExp): Promise<void> => vi.waitFor(() => expect(out).toMatch(text), 20_000)
  return {
    ended,
    raw,
    stop: () => stopped.abort(),
    sees,
    /** Presses a key, and waits for what it brings. */
    press: async (typed: string, then: string | RegExp) => {
      out = ''
      stdin.write(typed)
      await sees(then)
    },
    out: () => out,
  }
}

async function held(conversation: string, text: string): Promise<void> {
  await client.conversations.send(conversation, text, { wait: 10 })
}

const inGateway = (): Record<string, string> => ({ HOLDPOINT_URL: url, HOLDPOINT_KEY: key })
const OVER = /No longer waiting/

test('a hold comes while the inbox is open, is approved, and what runs is what was shown; Ctrl+C puts the terminal in order', async () => {
  const terminal = atTerminal(['--by', 'grace'], inGateway())
  await terminal.sees('No open holds.')
  expect(terminal.out()).toContain('\u001B[?1049h')
  await held('i1', 'Pay Eve')
  await terminal.sees(/"to": "Eve\\u202e"/)
  await terminal.press('a', 'Enter: approve it')
  await terminal.press('\r', 'Saved: approve.')
  await vi.waitFor(async () => expect((await client.conversations.view('i1'))?.status).toBe('idle'))
  expect(JSON.stringify((await client.conversations.events('i1')).items)).toContain('"by":"grace"')
  await terminal.press('\u0003', '\u001B[?1049l')
  expect(await terminal.ended).toBe(0)
  expect([terminal.raw.at(0), terminal.raw.at(-1)]).toEqual([true, false])
  expect(terminal.out()).toContain('\u001B[?25h')
})

test('against a file, a hold is rejected with a reason, and the gateway on the file goes on', async () => {
  await held('i2', 'Pay Eve')
  const terminal = atTerminal(['--by', 'grace'], { HOLDPOINT_STORE: store })
  await terminal.sees('1 waiting for you')
  await terminal.press('r', 'Why not')
  await terminal.press('No.', '> No.')
  await terminal.press('\r', 'Saved: reject.')
  await vi.waitFor(async () => expect((await client.conversations.view('i2'))?.status).toBe('idle'))
  terminal.stop()
  expect(await terminal.ended).toBe(0)
  expect(terminal.out()).toContain('\u001B[?1049l')
})

test('a hold that another person answers is over on the screen at once, and a form answers a question', async () => {
  await held('i3', 'Pay Eve')
  await held('i4', 'Ask the size')
  const terminal = atTerminal(['--by', 'grace'], inGateway())
  await terminal.sees('2 waiting for you')
  const [pay] = (await client.holds.list({ conversationId: 'i3' })).items
  await client.holds.reject('i3', pay!.callId, 'No.', { by: 'ada' })
  await terminal.sees(OVER)
  await terminal.press('j', 'a: answer')
  await terminal.press('a', 'Enter on the last')
  await terminal.press('42', '> 42')
  await terminal.press('\t', /gift .optional.: yes, no\r?\n.*>/)
  await terminal.press('\r', 'Saved: answer.')
  await terminal.press('q', '\u001B[?1049l')
  expect(await terminal.ended).toBe(0)
})

test('without a terminal, with --json and with a wrong key the screen does not change, and the exit code says why', async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  let out = ''
  stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  const { signal } = new AbortController()
  const code = await runCli(['inbox'], { env: inGateway(), stdin, stdout, stderr: stdout, signal })
  expect([code, out]).toEqual([
    2,
    'holdpoint: The inbox needs a terminal. `holdpoint holds` lists holds without one.\n',
  ])
  const wrong: readonly (readonly [readonly string[], Record<string, string>, number])[] = [
    [['--json'], inGateway(), 2],
    [[], { ...inGateway(), TERM: 'dumb' }, 2],
    [['c1'], inGateway(), 2],
    [[], {}, 2],
    [[], { ...inGateway(), HOLDPOINT_KEY: `hp_${'A'.repeat(43)}` }, 3],
  ]
  for (const [args, env, expected] of wrong) {
    const terminal = atTerminal(args, env)
    expect(await terminal.ended, args.join(' ')).toBe(expected)
    expect(terminal.out()).not.toContain('\u001B[?1049h')
  }
})

const hasTmux = spawnSync('tmux', ['-V']).status === 0
if (!hasTmux) process.stderr.write('The inbox is not driven in tmux: it is not installed.\n')

test.skipIf(!hasTmux)('in tmux: colours, a narrow window, and a shell that is as before after SIGTERM', async () => {
  await held('i5', 'Pay Eve')
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-L', `holdpoint-${process.pid}`, '-f', '/dev/null', ...args], { encoding: 'utf8' })
  onTestFinished(() => void tmux('kill-server'))
  const main = join(import.meta.dirname, '../src/main.ts')
  const command = `'${process.execPath}' --conditions=@holdpoint/source '${main}' inbox --by grace`
  const env = Object.entries(inGateway()).map(([name, value]) => `${name}=${value}`)
  const pid = join(folder, 'pid')
  const shell = `echo before; env ${env.join(' ')} ${command} & echo $! >'${pid}'; fg >/dev/null; echo code:$?`
  const clean = ['env', '-i', `PATH=${process.env['PATH']}`, 'TERM=screen', 'bash', '--norc', '-i']
  tmux('new-session', '-d', '-x', '80', '-y', '24', ...clean)
  const screen = (...more: readonly string[]): string => tmux('capture-pane', '-p', ...more)
  const sees = (text: string | RegExp, ...more: readonly string[]): Promise<void> =>
    vi.waitFor(() => expect(screen(...more)).toMatch(text), 30_000)
  await sees('bash')
  tmux('send-keys', '-l', shell)
  tmux('send-keys', 'Enter')
  await sees('1 waiting for you')
  expect(screen('-e')).toContain('\u001B[1m')
  tmux('resize-window', '-x', '40', '-y', '16')
  // Every row is drawn again for the new width.
  await sees(/^Holdpoint.*\n(?:.{0,39}\n)+$/)
  await sees(/^a: approve/m)
  expect(screen()).not.toContain('before')
  process.kill(Number(readFileSync(pid, 'utf8')), 'SIGTERM')
  await sees('code:0')
  expect(screen()).toContain('before')
  expect(screen()).not.toContain('waiting for you')
  // The terminal echoes what is typed, as a shell's does.
  tmux('send-keys', '-l', 'echo typed-after')
  await sees('echo typed-after')
})
