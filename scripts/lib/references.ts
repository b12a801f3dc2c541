/** Checks that the tests, pages, headings and files that a document names exist. */
import { dirname, join } from 'node:path/posix'
import { testTitlesOf } from './source.ts'

/** The text of a file of the repository, or undefined when there is none. */
export type Reader = (file: string) => string | undefined

/** `path › part of a title`: the file exists and has such a test. */
export function testProblem(reference: string, readText: Reader): string[] {
  const [file = '', fragment] = reference.split('›').map((piece) => piece.trim())
  if (fragment === undefined || fragment === '') return [`"${reference}" is not "path › part of a title"`]
  const text = readText(file)
  if (text === undefined) return [`the test file ${file} does not exist`]
  // References are written without backticks, so titles are compared without them.
  const found = testTitlesOf(text).some((title) => title.replaceAll('`', '').includes(fragment))
  return found ? [] : [`${file} has no test whose title contains "${fragment}"`]
}

/** `path#heading`, or a path alone: the page exists and has the heading. */
export function pageProblem(reference: string, readText: Reader): string[] {
  const [file = '', anchor] = reference.split('#')
  const text = readText(file)
  if (text === undefined) return [`the page ${file} does not exist`]
  if (anchor === undefined || anchorsOf(text).includes(anchor)) return []
  return [`${file} has no heading #${anchor}`]
}

/** Every relative link of a page leads to a file that exists and, with a `#`, to one of its headings. */
export function linkProblems(page: string, markdown: string, readText: Reader): string[] {
  return [...withoutCode(markdown).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? page : join(dirname(page), path)
    const found = anchor === undefined ? file : `${file}#${anchor}`
    return pageProblem(found, readText).map((problem) => `${page}: ${problem}`)
  })
}

/**
 * Every source file that a page names in backticks exists, and has the names in parentheses after it: `turn/turn.ts`
 * (`evolve`). `core/src/json.ts` is short for `packages/core/src/json.ts`.
 */
export function namedFileProblems(page: string, markdown: string, readText: Reader): string[] {
  const files = /`([\w@.-]+(?:\/[\w@.-]+)+\.(?:tsx?|mjs|json|md))`(?: \(((?:`\w+`(?:, )?)+)\))?/g
  const problems = Array.from(withoutCode(markdown).matchAll(files), ([, file = '', names = '']) => {
    const text = readText(file) ?? readText(`packages/${file}`)
    if (text === undefined) return [`${page}: the file ${file} does not exist`]
    return Array.from(names.matchAll(/\w+/g), ([name]) => name)
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(text))
      .map((name) => `${page}: ${file} has no ${name}`)
  })
  return [...new Set(problems.flat())]
}

/** The README links the folder of every package, and docs/architecture.md names it: as `packages/x`, or by a file `x/src/…`. */
export function unnamedPackages(folders: readonly string[], readText: Reader): string[] {
  const [readme = '', architecture = ''] = [readText('README.md'), readText('docs/architecture.md')]
  return folders.flatMap((folder) => {
    const name = folder.slice(folder.indexOf('/') + 1)
    const isNamed = new RegExp(`packages/${name}(?![\\w-])|\`${name}/`).test(architecture)
    return [
      ...(readme.includes(`](${folder})`) ? [] : [`README.md has no link to ${folder}`]),
      ...(isNamed ? [] : [`docs/architecture.md does not name ${folder}`]),
    ]
  })
}

function withoutCode(markdown: string): string {
  return markdown.replace(/^(```+)[\s\S]*?^\1/gm, '')
}

/** The anchors that headings get on GitHub. */
export function anchorsOf(markdown: string): string[] {
  const seen = new Map<string, number>()
  return [...withoutCode(markdown).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
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
