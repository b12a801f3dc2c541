/**
 * Holds docs/features.md to its word: every feature is listed, and every test and guide section it names exists.
 * A test cell is `path › part of a title` (several with <br>), a guide cell `path#heading`; or *not yet* in either.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { testTitlesOf } from './lib/source.ts'
import { read, report, root } from './lib/workspace.ts'

/** How many features each chapter has. */
const chapters = [10, 9, 13, 7, 3, 9, 8, 10]
const notYet = '*not yet*'

export interface Feature {
  readonly number: string
  readonly test: string
  readonly guide: string
}

/** The text of a file of the repository, or undefined when there is none. */
export type Reader = (file: string) => string | undefined

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
      ...cellParts(test).flatMap((part) => testProblem(part, readText).map((problem) => `${number}: ${problem}`)),
      ...cellParts(guide).flatMap((part) => guideProblem(part, readText).map((problem) => `${number}: ${problem}`)),
    ]),
  ]
}

function cellParts(cell: string): string[] {
  if (cell.trim() === notYet) return []
  return cell.split('<br>').map((part) => part.trim().replaceAll('`', ''))
}

function testProblem(part: string, readText: Reader): string[] {
  const [file = '', fragment] = part.split('›').map((piece) => piece.trim())
  if (fragment === undefined || fragment === '') return [`"${part}" is not "path › part of a title"`]
  const text = readText(file)
  if (text === undefined) return [`the test file ${file} does not exist`]
  // Backticks were taken out of the cell, so they are out of the titles too.
  const found = testTitlesOf(text).some((title) => title.replaceAll('`', '').includes(fragment))
  return found ? [] : [`${file} has no test whose title contains "${fragment}"`]
}

function guideProblem(part: string, readText: Reader): string[] {
  const [file = '', anchor] = part.replace(/^\[.*\]\((.*)\)$/, '$1').split('#')
  const text = readText(file)
  if (text === undefined) return [`the guide ${file} does not exist`]
  if (anchor === undefined || anchorsOf(text).includes(anchor)) return []
  return [`${file} has no heading #${anchor}`]
}

/** The anchors that headings get on GitHub. */
export function anchorsOf(markdown: string): string[] {
  const seen = new Map<string, number>()
  const prose = markdown.replace(/^(```+)[\s\S]*?^\1/gm, '')
  return [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const slug = heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    const before = seen.get(slug) ?? 0
    seen.set(slug, before + 1)
    return before === 0 ? slug : `${slug}-${before}`
  })
}

if (import.meta.main) {
  const features = featuresOf(read('docs/features.md'))
  const shown = features.filter(({ test }) => test.trim() !== notYet).length
  const explained = features.filter(({ guide }) => guide.trim() !== notYet).length
  report(
    featureProblems(features, (file) => (existsSync(join(root, file)) ? read(file) : undefined)),
    `features: ${features.length} listed, ${shown} shown by a test, ${explained} explained in a guide`,
  )
}
