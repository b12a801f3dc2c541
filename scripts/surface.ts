/**
 * Compares the names that each package's index.ts exports with docs/surface, so that a change of the public surface is a
 * line in a diff. Also finds the glossary's banned words in exported names.
 *
 *   npm run surface              fails when the names differ from docs/surface
 *   npm run surface -- --write   accepts the current names
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { exportsOf, hasExportStar } from './lib/source.ts'
import { find, packageFolders, read, report, root } from './lib/workspace.ts'

export interface BannedWord {
  readonly word: string
  readonly instead: string
}

/** The rows of the table under "Banned in exported names": | word | say | because |. */
export function bannedWords(glossary: string): BannedWord[] {
  const [, section = ''] = glossary.split(/^## Banned in exported names$/m)
  return [...section.matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)].map(([, word = '', instead = '']) => ({
    word: word.toLowerCase(),
    instead: instead.trim(),
  }))
}

/** `runJobSoon` has the words run, job, soon; the plural of a banned word is found too. */
export function bannedNames(names: readonly string[], banned: readonly BannedWord[]): string[] {
  return names.flatMap((name) => {
    const words = name
      .replace(/^type /, '')
      .split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_/)
      .map((word) => word.toLowerCase())
    const found = banned.filter(({ word }) => words.includes(word) || words.includes(`${word}s`))
    return found.map(({ word, instead }) => `${name} says "${word}"; the word here is ${instead} (docs/glossary.md)`)
  })
}

export function surfaceProblems(name: string, index: string, committed: string | undefined): string[] {
  if (hasExportStar(index)) return [`${name}: index.ts has \`export *\`; name the exports`]
  const now = exportsOf(index)
  if (committed === undefined) return [`${name}: docs/surface/${name}.txt is missing; run npm run surface -- --write`]
  const before = committed.split('\n').filter((line) => line !== '')
  const added = now.filter((line) => !before.includes(line)).map((line) => `+ ${line}`)
  const removed = before.filter((line) => !now.includes(line)).map((line) => `- ${line}`)
  return [...added, ...removed].map((line) => `${name}: ${line} (on purpose? npm run surface -- --write)`)
}

function surfaceFile(name: string): string {
  return join('docs/surface', `${name}.txt`)
}

if (import.meta.main) {
  const banned = bannedWords(read('docs/glossary.md'))
  const packages = packageFolders()
    .filter((folder) => existsSync(join(root, folder, 'src/index.ts')))
    .map((folder) => ({ name: basename(folder), index: read(`${folder}/src/index.ts`) }))
  if (process.argv.includes('--write')) {
    mkdirSync(join(root, 'docs/surface'), { recursive: true })
    for (const { name, index } of packages) {
      writeFileSync(join(root, surfaceFile(name)), `${exportsOf(index).join('\n')}\n`)
    }
  }
  const known = new Set(packages.map(({ name }) => surfaceFile(name)))
  report(
    [
      ...(banned.length === 0 ? ['docs/glossary.md: no banned words found; has its table moved?'] : []),
      ...packages.flatMap(({ name, index }) => [
        ...surfaceProblems(
          name,
          index,
          existsSync(join(root, surfaceFile(name))) ? read(surfaceFile(name)) : undefined,
        ),
        ...bannedNames(exportsOf(index), banned).map((problem) => `${name}: ${problem}`),
      ]),
      ...find('docs/surface/*.txt')
        .filter((file) => !known.has(file))
        .map((file) => `${file}: no such package`),
    ],
    `surface: ${packages.map(({ name, index }) => `${name} ${exportsOf(index).length}`).join(', ')} names`,
  )
}
