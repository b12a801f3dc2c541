/** For a wrong declaration of a tool, the compiler names the wrong option, and not another overload. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { capture } from '../scripts/lib/run.ts'
import { root } from '../scripts/lib/workspace.ts'

const HEAD = `import { tool } from 'holdpoint'
import { z } from 'zod'
const output = z.object({ amount: z.number() })
const named = { name: 'x', description: 'x', input: z.object({ to: z.string() }) }
`
/** Each declaration is one line. `at` is the text on which the error is reported, if the test checks it. */
const WRONG: readonly { readonly code: string; readonly at?: string; readonly says: string }[] = [
  { code: `timeOut: 5, run: () => 1`, at: 'timeOut', says: `Did you mean to write 'timeout'?` },
  { code: `output, timeOut: 5, run: () => ({ amount: 1 })`, at: 'timeOut', says: `Did you mean to write 'timeout'?` },
  { code: `output, approval: 'maybe', run: () => ({ amount: 1 })`, at: 'approval', says: `Type '"maybe"'` },
  { code: `output, run: () => ({ amount: '1' })`, at: 'run', says: `Types of property 'amount' are incompatible` },
  { code: `executor: 'human', approval: 'required'`, says: `Types of property 'approval' are incompatible` },
  { code: `executor: 'human', late: 'never'`, at: 'late', says: `'"inbox" | "reject"'` },
  { code: `executor: 'external', run: () => 1`, says: `Types of property 'run' are incompatible` },
  {
    code: `executor: 'external', grace: '5 s'`,
    at: 'grace',
    says: `Type 'string' is not assignable to type 'undefined'`,
  },
  { code: `executor: 'client', grace: true`, at: 'grace', says: `'Duration` },
  { code: `executor: 'robot', run: () => 1`, at: 'executor', says: `"external"` },
  { code: `onLost: 'nope', run: () => 1`, at: 'onLost', says: `Type '"nope"'` },
  { code: `async: true, run: () => 1`, at: 'async', says: `Type 'true' is not assignable to type 'never'` },
  { code: `run: () => fetch('x')`, at: 'run', says: 'Return what it holds: await its json() or text().' },
  { code: `run: () => ({ a: [Promise.resolve(1)] })`, at: 'run', says: 'Await it first.' },
  { code: `output: { type: 'object' }, run: () => new Map()`, at: 'run', says: 'Return Object.fromEntries(map)' },
]

let said: ReadonlyMap<number, string>
let folder: string
beforeAll(() => {
  mkdirSync(join(root, '.cache'), { recursive: true })
  folder = mkdtempSync(join(root, '.cache', 'types-'))
  writeFileSync(join(folder, 'wrong.ts'), HEAD + WRONG.map(({ code }) => `tool({ ...named, ${code} })`).join('\n'))
  const compilerOptions = { rootDir: root, noEmit: true, composite: false, allowImportingTsExtensions: true }
  const types = { lib: ['es2024', 'dom'], customConditions: ['@holdpoint/source'], isolatedDeclarations: false }
  const config = { extends: '../../tsconfig.base.json', compilerOptions: { ...compilerOptions, ...types } }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, files: ['wrong.ts'] }))
  const { stdout } = capture(['tsc', '-p', folder, '--pretty', 'false'])
  said = new Map(
    stdout.split(/^(?=\S)/m).flatMap((text) => {
      const line = /wrong\.ts\((\d+),\d+\): error/.exec(text)?.[1]
      return line === undefined ? [] : [[Number(line) - HEAD.split('\n').length, text] as const]
    }),
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(WRONG.map((wrong, nth) => [wrong.code, wrong, nth] as const))('{ %s }', (_code, { code, at, says }, nth) => {
  const text = said.get(nth) ?? 'no error'
  expect(text).toContain(says)
  expect(text).not.toContain('No overload matches')
  if (at === undefined) return
  const column = Number(/wrong\.ts\(\d+,(\d+)\)/.exec(text)?.[1])
  expect(`tool({ ...named, ${code} })`.slice(column - 1)).toMatch(new RegExp(`^${at}\\b`))
})
