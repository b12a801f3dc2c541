/** The files of the workspace, and the output of a check. Paths are relative to the root, with forward slashes. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root: string = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

export function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

export function find(...patterns: readonly string[]): string[] {
  const exclude = (path: string): boolean => path === 'node_modules' || path.endsWith('/node_modules')
  return globSync([...patterns], { cwd: root, exclude })
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted()
}

export function packageFolders(): string[] {
  return find('packages/*/package.json').map((file) => dirname(file))
}

/** Ends a check: prints its problems, one per line, or one line that says what was checked. */
export function report(problems: readonly string[], allWell: string): void {
  for (const problem of problems) console.error(`✗ ${problem}`)
  if (problems.length > 0) process.exitCode = 1
  else console.log(`✓ ${allWell}`)
}
