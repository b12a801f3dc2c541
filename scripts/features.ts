/**
 * Checks docs/features.md: every feature is listed, and every test and guide section it names exists. A test cell is
 * `path › part of a title` (several with <br>), a guide cell `path#heading`; or *not yet* in either. A feature that is
 * partly done ends its tests with `*not yet*: what is missing`. Run as a program, it also checks
 * docs/seed-conformance.md, the links between pages, the files that docs/architecture.md
 * names, and that the README and that page name every package.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  linkProblems,
  namedFileProblems,
  pageProblem,
  testProblem,
  unnamedPackages,
  type Reader,
} from './lib/references.ts'
import { find, packageFolders, read, report, root } from './lib/workspace.ts'
import { conformanceProblems, defectProblems, statementsOf, totalsOf } from './seed-conformance.ts'

/** How many features each chapter has. */
const chapters = [10, 9, 13, 7, 3, 9, 8, 10, 7, 4, 4, 4, 3]
const notYet = '*not yet*'

export interface Feature {
  readonly number: string
  readonly test: string
  readonly guide: string
}

export function featuresOf(markdown: string): Feature[] {
  const row = /^\| (\d+\.\d+) \|[^|]+\| ([^|]+) \| ([^|]+) \|$/gm
  return [...markdown.matchAll(row)].map(([, number = '', test = '', guide = '']) => ({ number, test, guide }))
}

export function featureProblems(features: readonly Feature[], readText: Reader): string[] {
  const expected = chapters.flatMap((count, chapter) =>
    Array.from({ length: count }, (_, index) => `${chapter + 1}.${index + 1}`),
  )
  const listed = features.map(({ number }) => number)
  return [
    ...expected.filter((number) => !listed.includes(number)).map((number) => `feature ${number} is not listed`),
    ...listed.filter((number) => !expected.includes(number)).map((number) => `feature ${number} is unknown`),
    ...listed
      .filter((number, at) => listed.indexOf(number) !== at)
      .map((number) => `feature ${number} is listed twice`),
    ...features.flatMap(({ number, test, guide }) => [
      ...testCellProblems(test, readText).map((problem) => `${number}: ${problem}`),
      ...cellParts(guide).flatMap((part) => guideProblem(part, readText).map((problem) => `${number}: ${problem}`)),
    ]),
  ]
}

function cellParts(cell: string): string[] {
  if (cell.trim() === notYet) return []
  return cell.split('<br>').map((part) => part.trim().replaceAll('`', ''))
}

function testCellProblems(cell: string, readText: Reader): string[] {
  const parts = cellParts(cell)
  const missing = parts.filter((part) => part.startsWith(notYet))
  const wrong =
    missing.some((part) => !/^\*not yet\*: \S/.test(part)) || (missing.length > 0 && missing.length === parts.length)
  const partly = wrong ? [`"${cell.trim()}" must name tests, and may end with "*not yet*: what is missing"`] : []
  return [...partly, ...parts.filter((part) => !missing.includes(part)).flatMap((part) => testProblem(part, readText))]
}

function guideProblem(part: string, readText: Reader): string[] {
  return pageProblem(part.replace(/^\[.*\]\((.*)\)$/, '$1'), readText)
}

if (import.meta.main) {
  const readText: Reader = (file) => (existsSync(join(root, file)) ? read(file) : undefined)
  const features = featuresOf(read('docs/features.md'))
  const shown = features.filter(({ test }) => test.trim() !== notYet).length
  const inPart = features.filter(({ test }) => test.includes(`${notYet}: `)).length
  const explained = features.filter(({ guide }) => guide.trim() !== notYet).length
  report(
    featureProblems(features, readText),
    `features: ${features.length} listed, ${shown} shown by a test (${inPart} in part), ${explained} explained in a guide`,
  )
  const seeds = read('docs/seed-conformance.md')
  const totals = totalsOf(statementsOf(seeds))
  report(
    conformanceProblems(seeds, readText),
    `seeds: ${totals.all} statements, ${totals.shown} shown, ${totals.different} different, ${totals.notYet} not yet`,
  )
  const defects = read('docs/defects-found.md')
  report(defectProblems(defects, readText), `defects: ${statementsOf(defects).length} found, each with a test`)
  const pages = find('*.md', 'docs/**/*.md', '{packages,apps}/*/README.md')
  const isThere: Reader = (file) =>
    existsSync(join(root, file)) ? (file.endsWith('.md') ? read(file) : '') : undefined
  report(
    [
      ...pages.flatMap((page) => linkProblems(page, read(page), isThere)),
      ...namedFileProblems('docs/architecture.md', read('docs/architecture.md'), readText),
      ...unnamedPackages(packageFolders(), readText),
    ],
    `links: ${pages.length} pages link to files and headings that exist`,
  )
}
