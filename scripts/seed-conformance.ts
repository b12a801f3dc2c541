/**
 * Checks docs/seed-conformance.md: every statement has a unique id, and the tests, programs and pages that it names exist.
 * A cell has one or more of these, with <br> between them: `path › part of a title`, a file under
 * examples/, `docs/page.md#heading`, `different: why`, `not yet: why`.
 */
import { posix } from 'node:path'
import { pageProblem, testProblem, type Reader } from './lib/references.ts'

export interface Statement {
  /** Such as `B17`: the letters of its seed, and its place there. */
  readonly id: string
  /** The seed whose section it stands in. */
  readonly section: string
  readonly parts: readonly string[]
}

export interface Totals {
  readonly all: number
  readonly shown: number
  readonly different: number
  readonly notYet: number
}

const sections = ['A1', 'A2', 'B', 'C', 'D', 'P']
const row = /^\| (\S+) \| [^|]+ \| ([^|]+) \|$/

export function statementsOf(markdown: string): Statement[] {
  let section = ''
  return markdown.split('\n').flatMap((line) => {
    section = /^## (\w+)/.exec(line)?.[1] ?? section
    const [, id = '', cell = ''] = row.exec(line) ?? []
    if (!/\d$/.test(id)) return []
    return [{ id, section, parts: cell.split('<br>').map((part) => part.trim().replaceAll('`', '')) }]
  })
}

/** A statement that Holdpoint meets in another way than the seed says counts as different, even with a test. */
export function totalsOf(statements: readonly Statement[]): Totals {
  const saying = (word: string): number =>
    statements.filter(({ parts }) => parts.some((part) => part.startsWith(word))).length
  const [different, notYet] = [saying('different:'), saying('not yet:')]
  return { all: statements.length, shown: statements.length - different - notYet, different, notYet }
}

export function conformanceProblems(markdown: string, readText: Reader): string[] {
  const statements = statementsOf(markdown)
  const unread = markdown
    .split('\n')
    .filter((line) => /^\| (?!id |---)/.test(line) && statementsOf(line).length === 0)
    .map((line) => `no statement is read from "${line.slice(0, 60)}"`)
  return [
    ...unread,
    ...sections.flatMap((section) => numberingProblems(section, statements)),
    ...statements.flatMap(({ id, parts }) =>
      parts.flatMap((part) => partProblem(part, readText).map((problem) => `${id}: ${problem}`)),
    ),
  ]
}

/** The ids of a section are its name and 1, 2, 3, …: a removed statement leaves a gap that this check finds. */
function numberingProblems(section: string, statements: readonly Statement[]): string[] {
  const ids = statements.filter((each) => each.section === section).map(({ id }) => id)
  if (ids.length === 0) return [`section ${section} has no statements`]
  const separator = section.length === 1 ? '' : '.'
  return ids.flatMap((id, at) => {
    if (ids.indexOf(id) !== at) return [`${id} occurs twice`]
    const expected = `${section}${separator}${at + 1}`
    return id === expected ? [] : [`${id} stands where ${expected} is expected`]
  })
}

/** docs/defects-found.md: items 1, 2, 3, … in order, and the tests, programs and pages that they name exist. */
export function defectProblems(markdown: string, readText: Reader): string[] {
  const defects = statementsOf(markdown)
  return defects.flatMap(({ id, parts }, at) => [
    ...(id === String(at + 1) ? [] : [`defect ${id} stands where ${at + 1} is expected`]),
    ...parts.flatMap((part) => defectPartProblem(part, readText).map((problem) => `defect ${id}: ${problem}`)),
  ])
}

function defectPartProblem(part: string, readText: Reader): string[] {
  if (!/\.test(?:-d)?\.tsx?$/.test(part)) return partProblem(part, readText)
  return readText(part) === undefined ? [`the test file ${part} does not exist`] : []
}

function partProblem(part: string, readText: Reader): string[] {
  if (/^(different|not yet): \S/.test(part)) return linkProblems(part, readText)
  if (part.includes('›')) return testProblem(part, readText)
  if (part.startsWith('docs/')) return pageProblem(part, readText)
  if (!part.startsWith('examples/')) return [`"${part}" is neither a test, an example, a page nor a reason`]
  if (readText(part) === undefined) return [`the file ${part} does not exist`]
  const program = `${part.split('/').slice(0, 2).join('/')}/main.ts`
  return readText(program) === undefined ? [`no program runs ${part}: there is no ${program}`] : []
}

/** Links are relative to the page, which is in docs/. */
function linkProblems(part: string, readText: Reader): string[] {
  return [...part.matchAll(/\]\(([^)]+)\)/g)].flatMap(([, target = '']) =>
    pageProblem(posix.join('docs', target), readText),
  )
}
