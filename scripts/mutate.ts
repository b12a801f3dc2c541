/**
 * Removes each guard of the turn machine in turn and runs the machine's tests. If no test fails without a guard, the guard
 * is untested or useless. `npm run mutate` prints every mutant and ends with `N of N caught`.
 *
 * Mutants are made from the source text: a guarding `if … return` is removed, a row of the table of legal moves is
 * widened by each state it leaves out, a comparison at a border is moved by one.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { machineTests } from './lib/machine-tests.ts'
import { root } from './lib/workspace.ts'

const TURN = 'packages/core/src/turn'
const FILES = [
  'turn.ts',
  'call.ts',
  'decide.ts',
  'resolve.ts',
  'approve-hold.ts',
  'assign-and-comment.ts',
  'decide-client-grace.ts',
  'end-turn.ts',
  'expire-hold.ts',
  'decide-plan-fire.ts',
  'late-answer.ts',
  'remind-approvers.ts',
]
const STATES = ['ready', 'held', 'running', 'settled']

export interface Mutant {
  readonly file: string
  readonly line: number
  readonly what: string
  readonly source: string
}

export function mutantsOf(file: string, source: string): Mutant[] {
  const lines = source.split('\n')
  const mutants: Mutant[] = []
  const add = (line: number, what: string, replacement: readonly string[], span = 1): void => {
    const mutated = [...lines.slice(0, line), ...replacement, ...lines.slice(line + span)].join('\n')
    mutants.push({ file, line: line + 1, what, source: mutated })
  }
  lines.forEach((text, line) => {
    if (/^\s+if \(.*\) (return|throw)\b/.test(text) && !text.endsWith('{')) add(line, `without: ${text.trim()}`, [])
    else if (/^\s+if \(.*\)$/.test(text) && /^\s+return\b/.test(lines[line + 1] ?? ''))
      add(line, `without: ${text.trim()}`, [], 1 + deeperLines(lines, line))
    for (const [without, condition] of lessStrict(text)) add(line, `without "${without}": ${text.trim()}`, [condition])
    const row = /^\s+'[a-z]+\.[a-z]+': \[(.*)\],$/.exec(text)
    if (row) {
      for (const state of STATES.filter((each) => !row[1]?.includes(`'${each}'`))) {
        add(line, `also from ${state}: ${text.trim()}`, [text.replace('[', `['${state}', `)])
      }
    }
    for (const [from, to] of [
      [' >= ', ' > '],
      [' > ', ' >= '],
      [' < ', ' <= '],
      [' <= ', ' < '],
    ] as const) {
      if (text.includes(from) && !/^\s*(\*|\/)|=>|<[A-Z]/.test(text))
        add(line, `${from.trim()} → ${to.trim()}: ${text.trim()}`, [text.replace(from, to)])
    }
  })
  return mutants
}

/** How many of the following lines belong to this one: those with a deeper indentation. */
function deeperLines(lines: readonly string[], line: number): number {
  const indent = (text: string): number => text.search(/\S/)
  const after = lines.slice(line + 1)
  return after.findIndex((text) => indent(text) <= indent(lines[line] ?? ''))
}

/** The line with each part of its condition left out in turn: `if (a && b)` as `if (a)` and as `if (b)`. */
function lessStrict(text: string): (readonly [without: string, line: string])[] {
  const start = text.indexOf('if (') + 'if ('.length
  if (!/^\s+if \(/.test(text)) return []
  const end = endOfParentheses(text, start)
  if (end < 0) return []
  const [open, condition, close] = [text.slice(0, start), text.slice(start, end), text.slice(end)]
  return [' && ', ' || '].flatMap((operator) => {
    const parts = splitOutside(condition, operator)
    if (parts.length < 2 || splitOutside(condition, operator === ' && ' ? ' || ' : ' && ').length > 1) return []
    return parts.map((part, at) => [part, open + parts.toSpliced(at, 1).join(operator) + close] as const)
  })
}

function endOfParentheses(text: string, from: number): number {
  let depth = 1
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')' && --depth === 0) return at
  }
  return -1
}

/** Splits at an operator outside of parentheses. */
function splitOutside(text: string, operator: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if ('([{'.includes(text[at] ?? '')) depth++
    else if (')]}'.includes(text[at] ?? '')) depth--
    else if (depth === 0 && text.startsWith(operator, at)) {
      parts.push(text.slice(start, at))
      start = at + operator.length
    }
  }
  return [...parts, text.slice(start)]
}

/** Mutants that behave like the original: the file, the part that is left out, and the reason. */
const EQUIVALENT: readonly (readonly [file: string, without: string, why: string])[] = [
  ['turn.ts', "turn.phase !== 'calls'", 'there is a call only in that phase; the condition is for the compiler'],
  ['turn.ts', "state.turn.phase === 'rest'", 'a turn at rest has no id, so no id can be equal'],
  ['turn.ts', 'maxTokens !== undefined', 'no number is above undefined'],
  ['turn.ts', 'turn.halt', 'after the last call is settled, a turn keeps its calls only in order to halt'],
  ['call.ts', "!('hold' in call)", 'a call that cannot be held has no hold either'],
  ['expire-hold.ts', '!call', 'where there is no call there is no hold'],
  ['decide-client-grace.ts', '!call', 'where there is no call there is no hold'],
  ['expire-hold.ts', "state.turn.phase === 'calls'", 'only a turn with calls has a held call'],
]

async function main(): Promise<void> {
  const mutants = FILES.flatMap((file) => mutantsOf(file, readFileSync(join(root, TURN, file), 'utf8')))
  const equal = ({ file, what }: Mutant): boolean =>
    EQUIVALENT.some(([in_, without]) => in_ === file && what.startsWith(`without "${without}":`))
  const stale = EQUIVALENT.filter(
    ([file, without]) => !mutants.some((each) => each.file === file && each.what.startsWith(`without "${without}":`)),
  )
  if (stale.length > 0)
    throw new Error(`No such mutants any more: ${stale.map(([file, without]) => `${file} ${without}`).join(', ')}.`)
  const queue = mutants.filter((mutant) => !equal(mutant))
  const total = queue.length
  let caught = 0
  const worker = async (): Promise<void> => {
    const tests = await machineTests()
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const ok = await tests.fail(join(TURN, mutant.file), mutant.source)
      if (ok) caught++
      else console.log(`SURVIVED ${mutant.file}:${mutant.line} ${mutant.what}`)
      if (ok && caught % 20 === 0) console.log(`${caught} of ${total} caught`)
    }
    // Runs last, so that it also detects a mutant that was not removed and failed all later tests.
    const whole = await tests.fail(join(TURN, 'turn.ts'))
    await tests.close()
    if (whole) throw new Error('The tests of the machine fail without any mutant; fix them first.')
  }
  await Promise.all(Array.from({ length: Math.max(1, availableParallelism()) }, worker))
  console.log(`${caught} of ${total} caught`)
  // Vitest set it to 1, because tests failed. Here they should fail.
  process.exitCode = caught < total ? 1 : 0
}

if (import.meta.main) await main()
