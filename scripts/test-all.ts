/**
 * Runs every check, one stage after the other, and ends with the totals: the tests that vitest counted, plus one for each
 * other stage. `--fast` leaves out the stages that need a network or a minute.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { stream } from './lib/run.ts'
import { packageFolders, root } from './lib/workspace.ts'

export interface Stage {
  readonly name: string
  readonly command: readonly string[]
  /** The stage that must pass before this one. If it fails, this stage is skipped. */
  readonly needs?: string
  /** Where the stage writes its own counts, as vitest's JSON reporter does. Relative to the root. */
  readonly counts?: string
  readonly slow?: boolean
}

export interface Totals {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export interface Outcome extends Totals {
  readonly name: string
  readonly seconds: number
  /** The failed tests, repeated at the end of a long output. */
  readonly failures?: readonly string[]
}

const vitestResults = '.cache/vitest.json'
const script = (name: string, ...args: readonly string[]): string[] => ['node', `scripts/${name}.ts`, ...args]

export const stages: readonly Stage[] = [
  { name: 'format', command: ['oxfmt', '--check'] },
  {
    name: 'build',
    command: ['tsc', '-b', ...packageFolders()],
  },
  { name: 'types', command: ['tsc', '-p', 'tsconfig.test.json'] },
  { name: 'pages', command: ['tsc', '-p', 'tsconfig.pages.json'] },
  { name: 'console', command: ['node', '--conditions=@holdpoint/source', 'scripts/console.ts'] },
  { name: 'lint', command: ['oxlint', '--type-aware'] },
  { name: 'boundaries', command: script('boundaries') },
  { name: 'surface', command: script('surface') },
  { name: 'words', command: script('words') },
  { name: 'file names', command: script('file-names') },
  { name: 'unused', command: ['knip'] },
  { name: 'browser', command: script('browser') },
  {
    name: 'tests',
    command: ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${vitestResults}`],
    counts: vitestResults,
  },
  { name: 'guarantees', command: script('guarantees') },
  { name: 'features', command: script('features') },
  { name: 'examples', command: script('examples') },
  { name: 'docs', command: script('snippets', '--check', '--ran'), needs: 'examples' },
  { name: 'pack', command: script('pack'), needs: 'build', slow: true },
]

/** What a stage adds to the totals. A test run that broke outside a test still counts as one failure. */
export function tally(code: number, results: string | undefined): Totals {
  const own = { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 }
  if (results === undefined) return own
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(results) as Record<
    string,
    number
  >
  if (numPassedTests === undefined || numFailedTests === undefined) return own
  return {
    passed: numPassedTests,
    failed: code !== 0 && numFailedTests === 0 ? 1 : numFailedTests,
    skipped: (numPendingTests ?? 0) + (numTodoTests ?? 0),
  }
}

interface Results {
  readonly testResults?: readonly {
    readonly name: string
    readonly message?: string
    readonly assertionResults?: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

/** Each failed test with its file and what it said; or what a file said that broke outside its tests. */
export function failuresIn(results: string | undefined): string[] {
  const { testResults = [] } = JSON.parse(results ?? '{}') as Results
  return testResults.flatMap(({ name, message, assertionResults = [] }) => {
    const file = relative(root, name)
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    if (failed.length === 0) return message ? [`${file}: ${message}`] : []
    return failed.map(({ fullName, failureMessages = [] }) => `${file} > ${fullName}\n${failureMessages.join('\n')}`)
  })
}

export async function runStages(
  list: readonly Stage[],
  run: (stage: Stage) => Promise<number>,
  say: (line: string) => void = console.log,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const stage of list) {
    const needed = outcomes.find(({ name }) => name === stage.needs)
    say(`\n── ${stage.name}: ${stage.command.join(' ')}`)
    if (needed !== undefined && needed.failed > 0) {
      say(`skipped: ${stage.needs} failed`)
      outcomes.push({ name: stage.name, seconds: 0, passed: 0, failed: 0, skipped: 1 })
      continue
    }
    const file = stage.counts === undefined ? undefined : join(root, stage.counts)
    if (file !== undefined) rmSync(file, { force: true })
    const started = performance.now()
    const code = await run(stage)
    const seconds = (performance.now() - started) / 1000
    const results = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : undefined
    outcomes.push({ name: stage.name, seconds, ...tally(code, results), failures: failuresIn(results) })
  }
  return outcomes
}

export function summary(outcomes: readonly Outcome[]): string[] {
  const sum = (key: keyof Totals): number => outcomes.reduce((total, outcome) => total + outcome[key], 0)
  const rows = outcomes.map(({ name, seconds, passed, failed, skipped }) => {
    const state = failed > 0 ? 'FAILED' : passed > 0 ? 'ok' : 'skipped'
    const counts = passed + failed + skipped > 1 ? `${passed} passed, ${failed} failed, ${skipped} skipped` : ''
    return `${name.padEnd(12)}${state.padEnd(9)}${`${seconds.toFixed(1)} s`.padStart(8)}  ${counts}`.trimEnd()
  })
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''
  const failures = outcomes.flatMap((outcome) => outcome.failures ?? []).flatMap((failure) => [failure, ''])
  return [...failures, ...rows, '', `${sum('passed')} passed, ${sum('failed')} failed${skipped}`]
}

if (import.meta.main) {
  mkdirSync(join(root, '.cache'), { recursive: true })
  const fast = process.argv.includes('--fast')
  const chosen = stages.filter(({ slow }) => !fast || slow !== true)
  const outcomes = await runStages(chosen, ({ command }) => stream(command))
  console.log('')
  for (const line of summary(outcomes)) console.log(line)
  process.exitCode = outcomes.some(({ failed }) => failed > 0) ? 1 : 0
}
