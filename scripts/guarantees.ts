/**
 * Compares docs/guarantees.ts with the tests: a test must cite every guarantee, and every cited id must be a guarantee.
 * `npm run guarantees -- --write` writes the table docs/guarantees.md.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { guarantees } from '../docs/guarantees.ts'
import { proofsOf } from './lib/source.ts'
import { find, read, report, root } from './lib/workspace.ts'

export interface TestFile {
  readonly file: string
  readonly text: string
}

interface Citation {
  readonly id: string
  readonly file: string
  readonly title: string
}

const table = 'docs/guarantees.md'

export function citations(tests: readonly TestFile[]): Citation[] {
  return tests.flatMap(({ file, text }) =>
    proofsOf(text).flatMap(({ ids, title }) => ids.map((id) => ({ id, file, title }))),
  )
}

export function guaranteeProblems(promised: Readonly<Record<string, string>>, cited: readonly Citation[]): string[] {
  const proved = new Set(cited.map(({ id }) => id))
  const unproved = Object.keys(promised).filter((id) => !proved.has(id))
  const unknown = cited.filter(({ id }) => !(id in promised))
  return [
    ...unproved.map((id) => `${id} is a guarantee in docs/guarantees.ts, but no test cites it: proves('${id}', …)`),
    ...unknown.map(({ id, file }) => `${file}: cites ${id}, which is not in docs/guarantees.ts`),
  ]
}

export function guaranteeTable(promised: Readonly<Record<string, string>>, cited: readonly Citation[]): string {
  const rows = Object.entries(promised).map(([id, promise]) => {
    const tests = cited.filter((citation) => citation.id === id)
    const links = [...new Set(tests.map(({ file }) => file))].map((file) => `[${shortName(file)}](../${file})`)
    return `| \`${id}\` | ${promise} | ${links.join('<br>') || '*not yet*'} |`
  })
  return [
    '# Guarantees',
    '',
    'What Holdpoint promises, and the tests that show it. Written by `npm run guarantees -- --write` from',
    '[guarantees.ts](guarantees.ts) and the tests that cite its ids; a guarantee without a test fails the build.',
    '',
    '| id | promise | proved in |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

/** `core: loop/races` for packages/runtime/test/session/races.test.ts. */
function shortName(file: string): string {
  return file.replace(/^packages\/([^/]+)\/test\/(.+)\.test\.ts$/, '$1: $2')
}

if (import.meta.main) {
  // The tests of this script quote citations. They test no guarantee.
  const files = find('packages/*/test/**/*.ts', 'test/**/*.ts').filter((file) => !file.startsWith('test/tooling/'))
  const cited = citations(files.map((file) => ({ file, text: read(file) })))
  const written = guaranteeTable(guarantees, cited)
  if (process.argv.includes('--write')) writeFileSync(join(root, table), written)
  const fresh = existsSync(join(root, table)) && read(table) === written
  report(
    [
      ...guaranteeProblems(guarantees, cited),
      ...(fresh ? [] : [`${table} is out of date; run npm run guarantees -- --write`]),
    ],
    `guarantees: ${Object.keys(guarantees).length} promises, ${cited.length} proofs`,
  )
}
