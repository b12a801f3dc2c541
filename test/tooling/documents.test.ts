/** The checks of surface, glossary, guarantees, features, seeds and snippets: each with text that fails and text that passes. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { featureProblems, featuresOf } from '../../scripts/features.ts'
import { citations, guaranteeProblems, guaranteeTable } from '../../scripts/guarantees.ts'
import { conformanceProblems, defectProblems, statementsOf, totalsOf } from '../../scripts/seed-conformance.ts'
import { excerpt, placeholders, sync, type Sources } from '../../scripts/snippets.ts'
import { bannedNames, bannedWords, surfaceProblems } from '../../scripts/surface.ts'
import { anchorsOf, linkProblems, namedFileProblems, unnamedPackages } from '../../scripts/lib/references.ts'
import { find, packageFolders, read, root } from '../../scripts/lib/workspace.ts'

const index = `
// export { hidden } from './hidden.ts'
export { tool, type Tool as AnyTool } from './tool.ts'
export type {
  Hold,
  Outcome,
} from './hold.ts'
export const version = '1'
`
const committed = 'type AnyTool\ntype Hold\ntype Outcome\ntool\nversion\n'

test('a surface equal to the committed one is fine', () => {
  expect(surfaceProblems('core', index, committed)).toEqual([])
})

test.each([
  ['a new name', `${index}export { agent } from './agent.ts'\n`, committed, '+ agent'],
  ['a name that went', index, `${committed}gone\n`, '- gone'],
  ['a value that became a type', index.replace('{ tool,', '{ type tool,'), committed, '+ type tool'],
  ['a package without a committed surface', index, undefined, 'is missing'],
  ['export *', "export * from './tool.ts'", committed, '`export *`'],
])('%s is reported', (_, text, before, problem) => {
  expect(surfaceProblems('core', text, before)[0]).toContain(problem)
})

test('a banned word is found as a whole word of a name, in any case and number', () => {
  const banned = bannedWords(read('docs/glossary.md'))
  expect(banned.length).toBeGreaterThan(10)
  const names = ['createThread', 'type JobOptions', 'listJobs', 'HTTPPayload']
  expect(bannedNames(names, banned)).toHaveLength(names.length)
  expect(
    bannedNames(['threadbare', 'type Jobless', 'conversation', 'chat', 'stream', 'askUser', 'session'], banned),
  ).toEqual([])
})

const promised = { 'hold.resolves-once': 'Once.', 'log.no-gaps': 'No gaps.' }
const proofs = `
test(proves('hold.resolves-once', 'a second answer is refused'), () => {})
test(proves('hold.resolves-once', 'log.no-gaps', "both"), () => {})
// proves('hold.in-a-comment', 'nothing')
`

test('a promise is proved by the tests that cite it, alone or with others', () => {
  const cited = citations([{ file: 'packages/core/test/a.test.ts', text: proofs }])
  expect(guaranteeProblems(promised, cited)).toEqual([])
  expect(guaranteeTable(promised, cited)).toContain('| `log.no-gaps` | No gaps. | [core: a]')
})

test('a guarantee without a test, and a test of an unknown guarantee, are reported', () => {
  const cited = citations([{ file: 'a.test.ts', text: "test(proves('hold.resolved-once', 'a typo'), () => {})" }])
  expect(guaranteeProblems(promised, cited)).toEqual([
    expect.stringContaining('hold.resolves-once is a guarantee'),
    expect.stringContaining('log.no-gaps is a guarantee'),
    expect.stringContaining('cites hold.resolved-once'),
  ])
})

const files: Readonly<Record<string, string>> = {
  'a.test.ts':
    "test('a hold is answered once', () => {})\ntest.each([1])('an `x` of %s', () => {})\nexpect('not a title')",
  'docs/guide/holds.md': '# Holds\n\n## Who may answer?\n\n```sh\n# not a heading\n```\n',
}
const feature = (test_: string, guide: string): string =>
  read('docs/features.md').replace(/^\| 1\.1 \|.*$/m, `| 1.1 | x | ${test_} | ${guide} |`)
const problemsOf = (markdown: string): string[] => featureProblems(featuresOf(markdown), (file) => files[file])
const ownProblems = (test_: string, guide: string): string[] =>
  problemsOf(feature(test_, guide)).filter((problem) => problem.startsWith('1.1:'))

test('a feature may name tests and headings that exist', () => {
  const tests = '`a.test.ts › answered once`<br>a.test.ts › an `x` of'
  expect(ownProblems(tests, 'docs/guide/holds.md#who-may-answer')).toEqual([])
  expect(ownProblems('*not yet*', '*not yet*')).toEqual([])
})

test.each([
  ['a test file that is not there', 'b.test.ts › x', '*not yet*', 'does not exist'],
  ['a title that is not there', 'a.test.ts › answered twice', '*not yet*', 'no test whose title'],
  ['a string that is no title', 'a.test.ts › not a title', '*not yet*', 'no test whose title'],
  ['a test without a title', 'a.test.ts', '*not yet*', 'is not "path'],
  ['a guide that is not there', '*not yet*', 'docs/guide/none.md', 'does not exist'],
  ['a heading that is not there', '*not yet*', 'docs/guide/holds.md#not-a-heading', 'no heading'],
])('%s is reported', (_, testCell, guide, problem) => {
  expect(ownProblems(testCell, guide)).toEqual([expect.stringContaining(problem)])
})

test('a feature that exists in part says what is missing, beside the tests of the rest', () => {
  const tests = 'a.test.ts › answered once'
  expect(ownProblems(`${tests}<br>*not yet*: rules`, '*not yet*')).toEqual([])
  const alone = 'must name tests, and may end with "*not yet*: what is missing"'
  expect(ownProblems(`${tests}<br>*not yet*`, '*not yet*')).toEqual([expect.stringContaining(alone)])
  expect(ownProblems('*not yet*: rules', '*not yet*')).toEqual([expect.stringContaining(alone)])
})

test('a feature that is missing, unknown or listed twice is reported', () => {
  const all = read('docs/features.md')
  expect(problemsOf(all.replace(/^\| 3\.13 \|.*\n/m, ''))).toContain('feature 3.13 is not listed')
  expect(problemsOf(`${all}\n| 99.1 | x | *not yet* | *not yet* |`)).toContain('feature 99.1 is unknown')
  expect(problemsOf(`${all}\n| 1.1 | x | *not yet* | *not yet* |`)).toContain('feature 1.1 is listed twice')
})

test('headings get the anchors they have on the web', () => {
  expect(anchorsOf('# `approve` & reject\n## Two\n## Two\n')).toEqual(['approve--reject', 'two', 'two-1'])
})

const inRepository = (file: string): string | undefined => {
  if (!existsSync(join(root, file))) return undefined
  return /\.\w+$/.test(file) ? read(file) : ''
}

test('every file and name that docs/architecture.md gives exists', () => {
  const page = 'docs/architecture.md'
  expect(namedFileProblems(page, read(page), inRepository)).toEqual([])
  const named = new Set(read(page).match(/`[\w.-]+\/src\/[^`]+\.tsx?`/g))
  expect(named.size).toBeGreaterThan(100)
})

test('every link of the README, the docs and the other pages leads to a file and a heading that exist', () => {
  const pages = find('*.md', 'docs/**/*.md', '{packages,apps}/*/README.md')
  expect(pages.flatMap((page) => linkProblems(page, read(page), inRepository))).toEqual([])
})

test('the README and docs/architecture.md name every package', () => {
  expect(unnamedPackages(packageFolders(), inRepository)).toEqual([])
  const pages: Readonly<Record<string, string>> = {
    'README.md': '[`a`](packages/a) [`a-b`](packages/a-b)',
    'docs/architecture.md': '`packages/a-b`, `c/src/main.ts`',
  }
  expect(unnamedPackages(['packages/a', 'packages/a-b', 'packages/c'], (file) => pages[file])).toEqual([
    'docs/architecture.md does not name packages/a',
    'README.md has no link to packages/c',
  ])
})

test('the README shows a program within its first 20 lines, and that program starts no other process', () => {
  const lines = read('README.md').split('\n')
  const begins = lines.findIndex((line) => line === '```ts')
  expect(begins).toBeGreaterThan(0)
  expect(begins).toBeLessThan(20)
  const ends = lines.indexOf('```', begins)
  expect(lines.slice(begins, ends).join('\n')).not.toMatch(/child_process|kill/)
})

test('a file, a name or a link that does not exist is reported', () => {
  const named = '`a.test.ts` `x/none.ts` `docs/guide/holds.md` (`Holds`, `nothing`)'
  const source = (file: string): string | undefined => files[file]
  expect(namedFileProblems('p.md', named, source)).toEqual([
    'p.md: the file x/none.ts does not exist',
    'p.md: docs/guide/holds.md has no nothing',
  ])
  const links = '[a](guide/holds.md#holds) [b](guide/holds.md#none) [c](none.md) [d](#here) [e](https://x.test)'
  expect(linkProblems('docs/p.md', links, (file) => ({ ...files, 'docs/p.md': links })[file])).toEqual([
    'docs/p.md: docs/guide/holds.md has no heading #none',
    'docs/p.md: the page docs/none.md does not exist',
    'docs/p.md: docs/p.md has no heading #here',
  ])
})

const seeds = (...rows: readonly string[]): string =>
  ['A1', 'A2', 'B', 'C', 'D', 'P']
    .map(
      (seed) => `## ${seed} Seed\n\n| id | statement | shown by |\n|---|---|---|\n${ofSeed(seed, rows).join('\n')}\n`,
    )
    .join('\n')
/** The rows of section B, and one valid row for every other section. */
const ofSeed = (seed: string, rows: readonly string[]): readonly string[] => {
  if (seed === 'B') return rows
  return [`| ${seed}${seed.length === 1 ? '' : '.'}1 | x | a.test.ts › answered once |`]
}
const repository: Readonly<Record<string, string>> = {
  ...files,
  'examples/x/main.ts': '',
  'examples/x/tools/a.ts': '',
  'examples/y/a.json': '',
}
const seedProblems = (...rows: readonly string[]): string[] =>
  conformanceProblems(seeds(...rows), (file) => repository[file])

test('a statement is shown by tests, programs that run and pages, or says why it is not', () => {
  const rows = [
    '| B1 | x | `a.test.ts` › answered once<br>a.test.ts › an `x` of |',
    '| B2 | x | `examples/x/main.ts`<br>`examples/x/tools/a.ts` |',
    '| B3 | x | docs/guide/holds.md#who-may-answer<br>different: as [it is said](guide/holds.md#holds) |',
    '| B4 | x | not yet: not requested |',
  ]
  expect(seedProblems(...rows)).toEqual([])
  expect(totalsOf(statementsOf(seeds(...rows)))).toEqual({ all: 9, shown: 7, different: 1, notYet: 1 })
})

test.each([
  ['a test that is not there', 'a.test.ts › answered twice', 'no test whose title'],
  ['a test file that is not there', 'b.test.ts › x', 'does not exist'],
  ['a program that is not there', 'examples/z/main.ts', 'does not exist'],
  ['a file that no program runs', 'examples/y/a.json', 'no program runs'],
  ['a heading that is not there', 'docs/guide/holds.md#none', 'no heading'],
  ['a link that leads nowhere', 'different: see [it](decisions/none.md)', 'does not exist'],
  ['a difference without a reason', 'different:', 'neither a test'],
  ['a bare word', 'yes', 'neither a test'],
])('%s is reported for its statement', (_, cell, problem) => {
  expect(seedProblems(`| B1 | x | ${cell} |`)).toEqual([expect.stringMatching(`^B1: .*${problem}`)])
})

test.each([
  ['an id that is there twice', ['| B1 | x | not yet: x |', '| B1 | y | not yet: x |'], 'B1 occurs twice'],
  ['an id that is left out', ['| B1 | x | not yet: x |', '| B3 | y | not yet: x |'], 'B3 stands where B2 is expected'],
  ['an id of another seed', ['| C1 | x | not yet: x |'], 'C1 stands where B1 is expected'],
  ['a seed without statements', [], 'section B has no statements'],
  ['a row that cannot be read', ['| B1 | x | not yet: x |', '| B2 | y |'], 'no statement is read from "| B2 | y |"'],
])('%s is reported', (_, rows, problem) => {
  expect(seedProblems(...rows)).toEqual([problem])
})

const sources: Sources = {
  file: (path) =>
    path === 'main.ts' ? 'first()\n  // #region part\n  second()\n    third()\n  // #endregion\n' : undefined,
  output: (path) => {
    if (path === 'main.ts') return 'printed\n'
    throw new Error(`${path} ended with 1`)
  },
}
const block = (marker: string, body: string): string =>
  `text\n\n<!-- ${marker} -->\n\`\`\`ts\n${body}\n\`\`\`\n\nmore\n`

test.each([
  ['file: main.ts', 'first()\n  second()\n    third()'],
  ['file: main.ts #region part', 'second()\n  third()'],
  ['file: main.ts#region part', 'second()\n  third()'],
  ['output: main.ts', 'printed'],
])('a block after %s is rewritten, and stays as it is the next time', (marker, body) => {
  const written = sync(block(marker, 'old'), sources)
  expect(written).toEqual({ text: block(marker, body), problems: [] })
  expect(sync(written.text, sources).text).toBe(written.text)
})

test.each([
  ['a file that is not there', block('file: none.ts', 'old'), 'none.ts does not exist'],
  ['a region that is not there', block('file: main.ts #region none', 'old'), 'no region none'],
  ['a program that fails', block('output: none.ts', 'old'), 'ended with 1'],
  ['a marker with no block', '<!-- file: main.ts -->\ntext\n', 'no code block'],
  ['a block that is not closed', '<!-- file: main.ts -->\n```ts\n', 'not closed'],
])('%s is reported and nothing is rewritten', (_, markdown, problem) => {
  const { text, problems } = sync(markdown, sources)
  expect(problems).toEqual([expect.stringContaining(problem)])
  expect(text).toBe(markdown)
})

test('a marker inside a code block is text, and blocks without a marker are left alone', () => {
  const markdown = '```md\n<!-- file: main.ts -->\n```\n\n```ts\nmine\n```\n'
  expect(sync(markdown, sources)).toEqual({ text: markdown, problems: [] })
})

test('a whole file is shown without its region marks', () => {
  expect(excerpt('a.ts', '// #region x\na()\n// #endregion\n', undefined)).toBe('a()\n')
})

test('a placeholder for missing text is reported, and a mention of the word is not', () => {
  expect(placeholders('# A\n\nFIGURES\n\n  TODO: \n\nTBD.\n')).toEqual([
    expect.stringContaining('line 3 says FIGURES'),
    expect.stringContaining('line 5 says TODO'),
    expect.stringContaining('line 7 says TBD'),
  ])
  expect(placeholders('## Figures\n\nA TODO list\nTODOS\nTBD by 3 of 4\n')).toEqual([])
})

test('a defect that names a missing test, or is out of order, is reported', () => {
  const files: Record<string, string> = { 'a.test.ts': "test('it works', () => {})" }
  const problems = (rows: string): readonly string[] => defectProblems(rows, (file) => files[file])
  expect(problems('| 1 | broken | `a.test.ts` › it works<br>`a.test.ts` |')).toEqual([])
  expect(problems('| 1 | broken | `a.test.ts` › it fails |')[0]).toContain('no test whose title contains')
  expect(problems('| 1 | broken | `b.test.ts` |')[0]).toContain('does not exist')
  expect(problems('| 2 | broken | `a.test.ts` |')[0]).toContain('stands where 1 is expected')
})
