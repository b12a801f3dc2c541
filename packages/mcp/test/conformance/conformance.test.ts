/** The protocol's own conformance package, on our client and our server, for both eras. The baseline explains failures. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify, stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serverBaseline, tasksBaseline } from './baseline.ts'

const CLI = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))
const program = (name: string): string => fileURLToPath(new URL(`${name}.ts`, import.meta.url))
const CONDITION = '--conditions=@holdpoint/source'

/** It exits with an error if a scenario fails. The test compares the failures with the baseline. */
async function conformance(...args: readonly string[]): Promise<string> {
  const run = promisify(execFile)(process.execPath, [CLI, ...args], { maxBuffer: 64 * 1024 * 1024 })
  const { stdout, stderr } = await run.catch((error: unknown) => error as { stdout: string; stderr: string })
  return stripVTControlCharacters(`${stdout}\n${stderr}`)
}

const OLDER = [
  'initialize',
  'tools_call',
  'elicitation-sep1034-client-defaults',
  'sse-retry',
  'json-schema-2020-12-preservation',
]
const NEWER = [
  'tools_call',
  'request-metadata',
  'sep-2322-client-request-state',
  'http-standard-headers',
  'http-custom-headers',
  'http-invalid-tool-headers',
  'json-schema-ref-no-deref',
  'json-schema-2020-12-preservation',
]
const scenarios = [
  ...OLDER.map((scenario) => ['2025-11-25', scenario] as const),
  ...NEWER.map((scenario) => ['2026-07-28', scenario] as const),
]

describe('our client', () => {
  test.each(scenarios)(
    '%s: %s',
    async (version, scenario) => {
      const command = `${process.execPath} ${CONDITION} ${program('client-program')}`
      const which = ['--scenario', scenario, '--spec-version', version, '--timeout', '100000']
      const told = await conformance('client', '--command', command, ...which)
      expect(told).toContain('OVERALL: PASSED')
    },
    120_000,
  )
})

describe('our server', () => {
  let server: ChildProcess
  let url: string
  beforeAll(async () => {
    server = spawn(process.execPath, [CONDITION, program('server-program')], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [said] = (await once(server.stdout ?? server, 'data')) as [Buffer]
    url = String(said).trim()
  }, 30_000)
  afterAll(async () => {
    server.kill('SIGTERM')
    await once(server, 'exit')
  })

  test.each(['2025-11-25', '2026-07-28'] as const)(
    '%s: every scenario that has no reason not to passes',
    async (version) => {
      const told = await conformance('server', '--url', url, '--suite', 'all', '--spec-version', version)
      const results = [...told.matchAll(/^([✓✗]) ([\w-]+): \d+ passed, \d+ failed/gm)]
      expect(results.length).toBeGreaterThan(30)
      const failed = results.flatMap(([, mark, name = '']) => (mark === '✗' ? [name] : []))
      expect(failed.toSorted()).toEqual(Object.keys(serverBaseline[version]).toSorted())
    },
    180_000,
  )

  const TASKS = [
    'tasks-lifecycle',
    'tasks-capability-negotiation',
    'tasks-wire-fields',
    'tasks-request-state-removal',
    'tasks-mrtr-input',
    'tasks-request-headers',
    'tasks-dispatch-and-envelope',
    'tasks-required-task-error',
    'tasks-mrtr-composition',
  ]
  test.each(TASKS)(
    'the extension for tasks: %s',
    async (scenario) => {
      const told = await conformance(
        'server',
        '--url',
        url,
        '--scenario',
        scenario,
        '--spec-version',
        '2026-07-28',
        '--force',
      )
      const [, bad = 'it told nothing'] = /Passed: \d+\/\d+, (\d+) failed/.exec(told) ?? []
      expect(bad, told).toMatch(/^\d+$/)
      expect(Number(bad) > 0 ? 'fails' : 'passes', told).toBe(scenario in tasksBaseline ? 'fails' : 'passes')
    },
    60_000,
  )
})
