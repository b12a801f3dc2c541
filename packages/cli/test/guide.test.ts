/** Every command of the guide runs, in its order, against a gateway. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { connect } from '@holdpoint/client'
import { startGateway } from '@holdpoint/gateway'
import { expect, onTestFinished, test, vi } from 'vitest'
import { COMMANDS } from '../src/commands.ts'
import { runCli } from '../src/run-cli.ts'

const GUIDE = readFileSync(join(import.meta.dirname, '../../../docs/guide/command-line.md'), 'utf8')
const key = 'k'.repeat(40)
/** Files of the guide, which are in the folder of the test. */
const FILES = /^(?:desk|copy|restored)\.db$|^(?:c1\.test\.ts|c1\.jsonl|public\.pem|holdpoint\.bash)$/

/** Not in a block: they run until they are stopped, need a terminal, or repair what is damaged. Other tests run them. */
const ELSEWHERE = ['dev', 'start', 'tail', 'inbox', 'preferences', 'repair']

/** `words` of each line of the guide's shell blocks that is a command, and the file that takes its output. */
function commandsOfGuide(): readonly { readonly line: string; readonly words: readonly string[]; to?: string }[] {
  const blocks = [...GUIDE.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) => block.split('\n'))
  return blocks.flatMap((line) => {
    if (!line.startsWith('npx holdpoint ')) return []
    const [, command = '', to] = /^npx holdpoint (.*?)(?: > (\S+))?(?: +#.*)?$/.exec(line) ?? []
    const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')
    return [{ line, words, ...(to !== undefined && { to }) }]
  })
}

test('every command of the guide runs, and every command is in the guide', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-guide-'))
  const store = join(folder, 'desk.db')
  const app = join(import.meta.dirname, 'app.ts')
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const running = await startGateway({ HOLDPOINT_APP: app, HOLDPOINT_STORE: store, HOLDPOINT_KEY: key, PORT: '0' })
  vi.mocked(process.stdout.write).mockRestore()
  const { url } = running.served
  onTestFinished(async () => {
    await running.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const client = connect({ url, key })
  const given: Record<string, string> = { 'https://holds.acme.test': url, 'hp_…': key }
  const ran = new Set<string>()
  for (const { line, words, to } of commandsOfGuide()) {
    const [conversationId = ''] = words.filter((word) => /^c\d$/.test(word))
    const { items } = words.includes('CALL') ? await client.holds.list({ conversationId }) : { items: [] }
    const args = words.map((word) => {
      if (word === 'CALL') return items[0]?.callId ?? word
      return FILES.test(word) ? join(folder, word) : (given[word] ?? word)
    })
    let [out, err] = ['', '']
    const stdout = new Writable({ write: (text: Buffer, _encoding, done) => ((out += text.toString()), done()) })
    const stderr = new Writable({ write: (text: Buffer, _encoding, done) => ((err += text.toString()), done()) })
    const env = { HOLDPOINT_URL: url, HOLDPOINT_KEY: key }
    const { signal } = new AbortController()
    const code = await runCli(args, { env, stdin: new PassThrough(), stdout, stderr, signal })
    if (args[0] === 'inbox') expect([code, err], line).toEqual([2, expect.stringContaining('needs a terminal')])
    else expect(code, `${line}\n${out}${err}`).toBe(0)
    if (to !== undefined) writeFileSync(join(folder, to), out)
    ran.add(args[0] ?? '')
  }
  const missing = Object.keys(COMMANDS).filter((name) => !ran.has(name))
  expect(missing.toSorted()).toEqual(ELSEWHERE.filter((name) => !ran.has(name)).toSorted())
  for (const name of Object.keys(COMMANDS)) expect(GUIDE, name).toMatch(new RegExp('`' + name + '[ `]'))
})
