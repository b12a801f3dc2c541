/**
 * Finds words that this project does not use, in sources, tests and docs: see "Voice" in CONTRIBUTING.md. Each folder in
 * scripts/words.json may still have as many as the number there; `--write` lowers the numbers to what is found. A number
 * never goes up, and a folder that is not listed may have none.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { find, read, report, root } from './lib/workspace.ts'

export const BANNED: readonly RegExp[] = [
  /\bwhoever\b/i,
  /\bsomebody\b/i,
  /\bnobody\b/i,
  /\banybody\b/i,
  /\banew\b/i,
  /\btidings\b/i,
  /\bin vain\b/i,
  /\bwhat becomes of\b/i,
  /\bhow it came to\b/i,
  /\bunless said\b/i,
  /\bis waited for\b/i,
]

/** Files that name the words to forbid them. */
const ALLOWED: readonly string[] = ['scripts/words.ts', 'test/tooling/words.test.ts']
const LIMITS = 'scripts/words.json'

export interface Found {
  readonly file: string
  readonly line: number
  readonly word: string
}

export function bannedIn(file: string, text: string): Found[] {
  return text.split('\n').flatMap((line, index) =>
    BANNED.flatMap((word) => {
      const match = word.exec(line)
      return match ? [{ file, line: index + 1, word: match[0] }] : []
    }),
  )
}

/** `packages/core` for a file of that package, the first folder for any other. */
export function folderOf(file: string): string {
  const parts = file.split('/')
  return parts.slice(0, parts[0] === 'packages' || parts[0] === 'apps' ? 2 : 1).join('/')
}

export function wordProblems(found: readonly Found[], limits: Readonly<Record<string, number>>): string[] {
  const byFolder = Map.groupBy(found, ({ file }) => folderOf(file))
  return [...byFolder].flatMap(([folder, all]) => {
    const limit = limits[folder] ?? 0
    if (all.length <= limit) return []
    const shown = all.slice(0, 5).map(({ file, line, word }) => `${file}:${line} "${word}"`)
    return [`${folder} has ${all.length} words that we do not use, and may have ${limit}: ${shown.join(', ')}`]
  })
}

function main(write: boolean): void {
  const files = find(
    '{packages,apps}/*/{src,test}/**/*.{ts,tsx}',
    '{docs,examples,scripts,sim,test,bench,crash}/**/*.{ts,tsx,md,mjs}',
    '*.md',
  )
  const found = files.filter((file) => !ALLOWED.includes(file)).flatMap((file) => bannedIn(file, read(file)))
  const limits = JSON.parse(read(LIMITS)) as Record<string, number>
  if (write) {
    const counts = Object.fromEntries(
      Object.entries(limits).flatMap(([folder, limit]) => {
        const count = Math.min(limit, found.filter(({ file }) => folderOf(file) === folder).length)
        return count > 0 ? [[folder, count]] : []
      }),
    )
    writeFileSync(join(root, LIMITS), `${JSON.stringify(counts, null, 2)}\n`)
  }
  report(
    wordProblems(found, write ? (JSON.parse(read(LIMITS)) as Record<string, number>) : limits),
    `words: ${found.length} left to replace in ${files.length} files`,
  )
}

if (import.meta.main) main(process.argv.includes('--write'))
