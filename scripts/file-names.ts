/**
 * Finds source files whose name does not say what they export: a reader who knows only the name of a feature must find its
 * file. A name resembles an export when all words of one of the two are in the other: `turn-state.ts` may export
 * `TurnState`, and `expire-hold.ts` may export `decideExpire`.
 */
import { basename } from 'node:path/posix'
import { exportsOf } from './lib/source.ts'
import { find, read, report } from './lib/workspace.ts'

/** Files that cannot be named after an export, each with the reason. Keep this list short: rename the file or the export. */
export const ALLOWED: Readonly<Record<string, string>> = {
  'packages/client/src/answers.ts': 'ways to read a refusal, each named as a call reads: `.catch(orUndefined)`',
  'packages/core/src/turn/turn.ts': 'the machine of a turn: its exports are the verbs `evolve`, `fold` and `next`',
  'packages/gateway/src/routes/access-rules.ts': 'one function for each kind of caller and resource',
  'packages/gateway/src/schemas.ts': 'schemas of fields, each named after its field',
  'packages/holdpoint/src/load-later.ts': 'modules that are loaded on first use, each named after the module',
  'packages/models/src/prompt-parts.ts': 'one function for each part of a prompt',
  'packages/models/src/whole-parts.ts': 'one function for each part that a model gives in one piece',
  'packages/protocol/src/people-bodies.ts': 'the bodies of the routes for people, keys and delegations',
  'packages/rules-cedar/src/expressions.ts': 'expressions of Cedar, each named after its operator',
  'packages/testing/src/store-conformance/expect.ts': 'the assertions of the conformance suite',
  'packages/ui/src/hidden-characters.ts': 'how text with hidden characters is shown',
  'packages/ui/src/pending-facts.ts': 'the hooks of a card about its hold',
  'packages/ui/src/time.tsx': 'the components that show times',
}

/** The problem with a file's name, or none. A file without exports is a program or a thread, named after its task. */
export function nameProblems(file: string, text: string): string[] {
  const exported = exportsOf(text).map((name) => name.replace(/^type /, ''))
  if (exported.length === 0 || basename(file).startsWith('index.')) return []
  const words = wordsOf(basename(file).replace(/\.\w+$/, ''))
  if (exported.some((name) => resembles(words, wordsOf(name)))) return []
  return [
    `${file} exports ${exported.slice(0, 5).join(', ')}: name the file after an export, or an export after the file`,
  ]
}

/** Entries of the list that no file needs. */
export function needlessExceptions(allowed: Readonly<Record<string, string>>, bad: ReadonlySet<string>): string[] {
  return Object.keys(allowed)
    .filter((file) => !bad.has(file))
    .map((file) => `${file} needs no exception: remove it from the list in scripts/file-names.ts`)
}

/** `TurnState`, `turnState`, `turn-state` and `TURN_STATE` are turn, state. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/open(id|api)/gi, (match) =>
      match.startsWith('o') ? match.toLowerCase() : `O${match.slice(1).toLowerCase()}`,
    )
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_.$]+/)
    .filter((word) => word !== '')
}

/** Words that say nothing about the subject. */
const GLUE: ReadonlySet<string> = new Set('decide is to of from for with and the in on by'.split(' '))

function resembles(file: readonly string[], exported: readonly string[]): boolean {
  const [one, other] = [subject(file), subject(exported)]
  return isWithin(file, exported) || isWithin(one, other) || isWithin(other, one)
}

function subject(words: readonly string[]): readonly string[] {
  return words.filter((word) => !GLUE.has(word))
}

function isWithin(words: readonly string[], others: readonly string[]): boolean {
  return (
    words.length > 0 && words.every((word) => others.some((other) => isPlural(word, other) || isPlural(other, word)))
  )
}

/** Whether `many` is the plural of `one`, or the same word. */
function isPlural(many: string, one: string): boolean {
  return (
    many === one || many === `${one}s` || many === one.replace(/y$/, 'ies') || (many === 'people' && one === 'person')
  )
}

if (import.meta.main) {
  const files = find('packages/*/src/**/*.{ts,tsx}').filter((file) => !file.endsWith('.d.ts'))
  const problems = files.flatMap((file) => nameProblems(file, read(file)).map((problem) => ({ file, problem })))
  report(
    [
      ...problems.filter(({ file }) => !(file in ALLOWED)).map(({ problem }) => problem),
      ...needlessExceptions(ALLOWED, new Set(problems.map(({ file }) => file))),
    ],
    `file names: ${files.length - problems.length} of ${files.length} source files are named after what they export`,
  )
}
