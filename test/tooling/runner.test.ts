/** `scripts/ready.mjs` on a fake clone with a fake npm, and the totals of `npm test`. */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { root } from '../../scripts/lib/workspace.ts'
import { failuresIn, runStages, summary, tally, type Stage } from '../../scripts/test-all.ts'

let clone = ''

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'holdpoint-ready-'))
  mkdirSync(join(clone, 'scripts'))
  copyFileSync(join(root, 'scripts/ready.mjs'), join(clone, 'scripts/ready.mjs'))
  writeFileSync(join(clone, 'package.json'), JSON.stringify({ devDependencies: { node: '24.0.1' } }))
  writeFileSync(join(clone, 'package-lock.json'), '{}')
  npmInstalls('v24.0.1')
})

afterEach(() => rmSync(clone, { recursive: true, force: true }))

/** A fake npm that installs a fake Node of this version. */
function npmInstalls(version: string): void {
  const bin = join(clone, 'node_modules/.bin')
  const lines = [
    `const fs = require('node:fs')`,
    `fs.mkdirSync(${JSON.stringify(bin)}, { recursive: true })`,
    `fs.writeFileSync(${JSON.stringify(join(bin, 'node'))}, '#!/bin/sh\\necho ${version}\\n', { mode: 0o755 })`,
    `console.log('npm ' + process.argv[2])`,
  ]
  writeFileSync(join(clone, 'npm.cjs'), lines.join('\n'))
}

function ready(...args: readonly string[]): { code: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, npm_execpath: join(clone, 'npm.cjs') }
  const run = spawnSync(process.execPath, [join(clone, 'scripts/ready.mjs'), ...args], { env, encoding: 'utf8' })
  return { code: run.status, stdout: run.stdout, stderr: run.stderr }
}

test('a fresh clone is installed once, with an explanation', () => {
  const first = ready()
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toMatch(/node_modules is missing; running `npm ci`.*\nnpm ci\n/)
  expect(ready()).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('a changed lock file causes another install', () => {
  ready()
  writeFileSync(join(clone, 'package-lock.json'), '{ }')
  expect(ready().stdout).toContain('from another package-lock.json')
  expect(ready().stdout).toBe('')
})

test("an installation that npm made is not repeated, thanks to the mark of its 'postinstall'", () => {
  mkdirSync(join(clone, 'node_modules'))
  expect(ready('--mark').code).toBe(0)
  expect(ready()).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('an interrupted install is repeated', () => {
  mkdirSync(join(clone, 'node_modules'))
  expect(ready().stdout).toContain('not installed completely')
})

test('a failed npm ends it with advice and leaves no mark', () => {
  writeFileSync(join(clone, 'npm.cjs'), 'process.exit(7)')
  const failed = ready()
  expect(failed.code).toBe(1)
  expect(failed.stderr).toContain('npm ping')
  expect(existsSync(join(clone, 'node_modules/.holdpoint-ready'))).toBe(false)
})

test('an install without the pinned Node ends it with advice', () => {
  npmInstalls('v20.0.0')
  const failed = ready()
  expect(failed.code).toBe(1)
  expect(failed.stderr).toContain('--ignore-scripts=false')
})

test('the file that CI runs is executable and calls npm test, then the campaigns', () => {
  const file = join(root, '.ci/run')
  expect(statSync(file).mode & 0o111).toBe(0o111)
  const commands = readFileSync(file, 'utf8').match(/^npm .*/gm)
  expect(commands).toEqual(['npm test', 'npm run zoo', 'npm run mutate'])
})

const results = (passed: number, failed: number, pending: number): string =>
  JSON.stringify({ numPassedTests: passed, numFailedTests: failed, numPendingTests: pending, numTodoTests: 1 })

test('a stage counts as one, and a test run counts its tests', () => {
  expect(tally(0, undefined)).toEqual({ passed: 1, failed: 0, skipped: 0 })
  expect(tally(2, undefined)).toEqual({ passed: 0, failed: 1, skipped: 0 })
  expect(tally(0, results(40, 0, 2))).toEqual({ passed: 40, failed: 0, skipped: 3 })
  expect(tally(1, results(40, 2, 0))).toEqual({ passed: 40, failed: 2, skipped: 1 })
})

test('a test run that broke outside of a test is still a failure', () => {
  expect(tally(1, results(40, 0, 0))).toMatchObject({ passed: 40, failed: 1 })
  expect(tally(1, undefined)).toMatchObject({ failed: 1 })
})

test('failures are repeated at the end, with their file and message', () => {
  const failed = { fullName: 'holds last', status: 'failed', failureMessages: ['Error: it did not'] }
  const results = JSON.stringify({
    testResults: [
      { name: join(root, 'a.test.ts'), assertionResults: [{ fullName: 'fine', status: 'passed' }, failed] },
      { name: join(root, 'b.test.ts'), message: 'SyntaxError', assertionResults: [] },
    ],
  })
  const failures = ['a.test.ts > holds last\nError: it did not', 'b.test.ts: SyntaxError']
  expect(failuresIn(results)).toEqual(failures)
  expect(failuresIn(undefined)).toEqual([])
  const told = summary([{ name: 'tests', seconds: 1, passed: 1, failed: 1, skipped: 0, failures }])
  expect(told.filter((line) => line !== '').slice(0, 2)).toEqual(failures)
})

test('every stage runs, stages that need a failed one are skipped, and the totals come last', async () => {
  const stages: readonly Stage[] = [
    { name: 'format', command: ['a'] },
    { name: 'build', command: ['b'] },
    { name: 'lint', command: ['c'] },
    { name: 'pack', command: ['d'], needs: 'build' },
  ]
  const ran: string[] = []
  const said: string[] = []
  const run = ({ name }: Stage): Promise<number> => {
    ran.push(name)
    return Promise.resolve(name === 'build' ? 2 : 0)
  }
  const outcomes = await runStages(stages, run, (line) => said.push(line))
  expect(said.at(-1)).toBe('skipped: build failed')
  expect(ran).toEqual(['format', 'build', 'lint'])
  expect(summary(outcomes).at(-1)).toBe('2 passed, 1 failed, 1 skipped')
  expect(summary(outcomes.filter(({ name }) => name === 'lint')).at(-1)).toBe('1 passed, 0 failed')
})
