/** The completion of a shell, in a real bash, and the scripts of the others. */
import { execFileSync } from 'node:child_process'
import { PassThrough, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { CLI_OPTIONS } from '../src/cli-options.ts'
import { COMMANDS } from '../src/commands.ts'
import { runCli } from '../src/run-cli.ts'

async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  let out = ''
  const stream = new Writable({ write: (text: Buffer, _encoding, done) => ((out += text.toString()), done()) })
  const { signal } = new AbortController()
  const code = await runCli(args, { env: {}, stdin: new PassThrough(), stdout: stream, stderr: stream, signal })
  return { code, out }
}

/** What bash offers after these words; the last one is being typed. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const { out } = await run('completion', 'bash')
  const list = ['holdpoint', ...words].map((word) => `'${word}'`).join(' ')
  const ask = `${out}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length}; _holdpoint; printf '%s\\n' "\${COMPREPLY[@]}"`
  const said = execFileSync('bash', ['--norc', '-c', ask], { encoding: 'utf8', cwd: import.meta.dirname })
  return said.split('\n').filter((line) => line !== '')
}

test('bash completes commands, their second words and options', async () => {
  expect((await offered('')).toSorted()).toEqual(Object.keys(COMMANDS).toSorted())
  expect(await offered('ho')).toEqual(['holds'])
  expect(await offered('holds', 'a')).toEqual(['approve', 'answer'])
  expect(await offered('--url', 'https://holds.acme.test', 'ke')).toEqual(['keys'])
  expect(await offered('holds', '--ag')).toEqual(['--agent'])
  expect(await offered('holds', '--agent', '')).toEqual([])
  expect(await offered('holds', 'show', 'c1', '')).toEqual([])
  expect(await offered('dev', 'app')).toEqual(['app.ts'])
  expect(await offered('holds', '--app', 'app')).toEqual(['app.ts'])
  expect((await offered('--')).length).toBe(Object.keys(CLI_OPTIONS).length)
})

test('the scripts for zsh and fish have every command, and another shell is refused', async () => {
  for (const shell of ['zsh', 'fish']) {
    const { out, code } = await run('completion', shell)
    expect(code).toBe(0)
    for (const name of Object.keys(COMMANDS)) expect(out, `${shell} ${name}`).toContain(name)
    for (const name of Object.keys(CLI_OPTIONS)) expect(out, `${shell} ${name}`).toContain(name)
  }
  expect(await run('completion', 'tcsh')).toMatchObject({ code: 2, out: expect.stringContaining('bash, zsh, fish') })
  expect(await run('completion')).toMatchObject({ code: 2 })
})
