/** Finds words and metaphors that this project does not use, in sources, tests and docs: see "Voice" in CONTRIBUTING.md. */
import { find, read, report } from './lib/workspace.ts'

export const BANNED: readonly RegExp[] = [
  /\bwhoever\b/i,
  /\bsomebody\b/i,
  /\bnobody\b/i,
  /\banybody\b/i,
  /\banew\b/i,
  /\btidings\b/i,
  /\bin vain\b/i,
  /\bwhat (?:becomes|became) of\b/i,
  /\bhow it came to\b/i,
  /\bunless said\b/i,
  /\bis waited for\b/i,
  /\b(?:neighbours?|households?|residents?)\b/i,
  /\blookouts?\b/i,
  /\borphan(?:s|ed)?\b/i,
  /\bliving agents?\b/i,
]

/** Files that may have these words: this check, its test, and the user `nobody` of Unix. */
const ALLOWED: readonly string[] = ['scripts/words.ts', 'test/tooling/words.test.ts', 'test/postgres-server.ts']

export function bannedIn(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) =>
    BANNED.flatMap((word) => {
      const match = word.exec(line)
      return match ? [`${file}:${index + 1}: we do not use "${match[0]}". Name the actor, or use a plain word.`] : []
    }),
  )
}

function main(): void {
  const files = find(
    '{packages,apps}/*/{src,test}/**/*.{ts,tsx}',
    '{docs,examples,scripts,sim,test,bench,crash,power}/**/*.{ts,tsx,md,mjs}',
    '{.,packages/*}/*.md',
  ).filter((file) => !ALLOWED.includes(file))
  report(
    files.flatMap((file) => bannedIn(file, read(file))),
    `words: ${files.length} files use plain words`,
  )
}

if (import.meta.main) main()
