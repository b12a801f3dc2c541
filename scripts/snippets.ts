/**
 * Keeps the code and the output shown in README.md and docs/guide equal to files that run.
 *
 *   <!-- file: examples/readme/main.ts -->                  the next code block is that file
 *   <!-- file: examples/readme/main.ts #region approve -->  … or that region of it (`// #region approve` to `// #endregion`)
 *   <!-- output: examples/readme/main.ts -->                … or what the program prints
 *
 *   npm run docs              rewrites the blocks
 *   npm run docs -- --check   fails when a block differs, or a placeholder is left
 *   … --check --ran           takes what the programs printed from the last `npm run examples`
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outputsOfExamples, type Outputs } from './lib/example-outputs.ts'
import { inParallel, runExample } from './lib/run.ts'
import { find, read, report, root } from './lib/workspace.ts'

export interface Sources {
  /** The text of a file, or undefined when there is none. */
  file(path: string): string | undefined
  /** What the program prints; throws when it fails. */
  output(path: string): string
}

export interface Synced {
  readonly text: string
  readonly problems: readonly string[]
}

const outputMarker = /^[ \t]*<!--\s*output:\s*([^\s#]+)/gm
const marker = /^<!--\s*(?<kind>file|output):\s*(?<path>[^\s#]+)(?:\s*#region\s+(?<region>[\w-]+))?\s*-->$/

export function sync(markdown: string, sources: Sources): Synced {
  const lines = markdown.split('\n')
  const result: string[] = []
  const problems: string[] = []
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? ''
    const wanted = marker.exec(line.trim())?.groups
    const open = wanted === undefined ? at : lines.findIndex((text, index) => index > at && text.trim() !== '')
    const fence = /^(```+)/.exec(lines[open] ?? '')?.[1]
    if (fence === undefined) {
      if (wanted !== undefined) problems.push(`no code block after ${line.trim()}`)
      result.push(line)
      at += 1
      continue
    }
    const close = lines.findIndex((text, index) => index > open && text.trimEnd() === fence)
    if (close === -1) return { text: markdown, problems: [...problems, `a code block is not closed: ${lines[open]}`] }
    const body = wanted === undefined ? lines.slice(open + 1, close) : undefined
    result.push(...lines.slice(at, open + 1))
    if (body !== undefined) result.push(...body)
    else result.push(...contentFor(wanted ?? {}, sources, problems, lines.slice(open + 1, close)))
    result.push(fence)
    at = close + 1
  }
  return { text: result.join('\n'), problems }
}

function contentFor(
  wanted: Readonly<Record<string, string | undefined>>,
  sources: Sources,
  problems: string[],
  before: readonly string[],
): readonly string[] {
  const { kind, path = '', region } = wanted
  try {
    const text = kind === 'output' ? sources.output(path) : excerpt(path, sources.file(path), region)
    const lines = text.trimEnd().split('\n')
    if (lines.some((line) => line.startsWith('```'))) throw new Error(`${path} contains a code fence`)
    return lines
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
    return before
  }
}

const regionLine = /^\s*(?:\/\/|#) #(?:end)?region\b/

export function excerpt(path: string, text: string | undefined, region: string | undefined): string {
  if (text === undefined) throw new Error(`${path} does not exist`)
  const lines = text.split('\n')
  if (region === undefined) return lines.filter((line) => !regionLine.test(line)).join('\n')
  const start = lines.findIndex((line) => [`// #region ${region}`, `# #region ${region}`].includes(line.trim()))
  const end = lines.findIndex((line, index) => index > start && ['// #endregion', '# #endregion'].includes(line.trim()))
  if (start === -1 || end === -1) throw new Error(`${path} has no region ${region}`)
  const inside = lines.slice(start + 1, end).filter((line) => !regionLine.test(line))
  const indent = Math.min(...inside.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)))
  return inside.map((line) => line.slice(indent)).join('\n')
}

/** Placeholder words that are alone on a line. */
export function placeholders(markdown: string): readonly string[] {
  return markdown.split('\n').flatMap((line, at) => {
    const [word] = /^(?:FIGURES|TODO|TBD|FIXME|XXX)\b(?=[.:…]*$)/.exec(line.trim()) ?? []
    return word === undefined ? [] : [`line ${at + 1} says ${word} and nothing else: write the missing text`]
  })
}

async function outputsOf(paths: readonly string[]): Promise<Outputs> {
  const finished = await inParallel(paths, async (path) => [path, await runExample(path)] as const)
  const failed = finished.filter(([, { code }]) => code !== 0)
  for (const [path, { code, stderr }] of failed) console.error(`${path} ended with ${code}: ${stderr.trim()}`)
  return Object.fromEntries(finished.flatMap(([path, { code, stdout }]) => (code === 0 ? [[path, stdout]] : [])))
}

if (import.meta.main) {
  const check = process.argv.includes('--check')
  const pages = find('README.md', 'docs/guide/*.md')
  const file = (path: string): string | undefined => (existsSync(join(root, path)) ? read(path) : undefined)
  const shown = pages.flatMap((page) => [...read(page).matchAll(outputMarker)].map(([, path = '']) => path))
  const outputs = process.argv.includes('--ran') ? outputsOfExamples() : await outputsOf([...new Set(shown)])
  const output = (path: string): string => {
    const printed = outputs[path]
    if (printed === undefined) throw new Error(`${path} printed no output, because it failed or was not run`)
    return printed
  }
  const problems = pages.flatMap((page) => {
    const before = read(page)
    const { text, problems: found } = sync(before, { file, output })
    if (!check && text !== before) writeFileSync(join(root, page), text)
    const stale = check && text !== before ? [`${page} differs from the files that it shows; run npm run docs`] : []
    const unwritten = check ? placeholders(before) : []
    return [...[...found, ...unwritten].map((problem) => `${page}: ${problem}`), ...stale]
  })
  report(problems, `docs: ${pages.length} pages show code that exists and output that was printed`)
}
