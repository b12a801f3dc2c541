/** Shows that each lint rule reports errors: one small bad file per rule, linted with the real configuration. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../scripts/lib/workspace.ts'

interface Bad {
  readonly what: string
  readonly file: string
  readonly code: string
  readonly rule: string
}

const core = 'packages/core/src'
const inCore = (what: string, file: string, code: string, rule: string): Bad => ({
  what,
  file: `${core}/${file}.ts`,
  code,
  rule,
})
const manyLines = (count: number, line: string): string => Array.from({ length: count }, () => line).join('\n')

const bad: readonly Bad[] = [
  inCore(
    'a node: module in the core',
    'a1',
    "import { readFileSync } from 'node:fs'\nexport const x = readFileSync",
    'no-restricted-imports',
  ),
  inCore(
    'a Node module by its bare name in the core',
    'a2',
    "import { join } from 'path'\nexport const x = join",
    'no-restricted-imports',
  ),
  inCore('an npm package in the core', 'a3', "import { z } from 'zod'\nexport const x = z", 'no-restricted-imports'),
  inCore(
    'a type of an npm package in the core',
    'a4',
    "import type { z } from 'zod'\nexport type X = z.ZodType",
    'no-restricted-imports',
  ),
  inCore(
    'models imported by the core',
    'a5',
    "import { aiSdkModel } from '@holdpoint/models'\nexport const x = aiSdkModel",
    'no-restricted-imports',
  ),
  inCore('a package re-exported by the core', 'a6', "export { z } from 'zod'", 'no-restricted-imports'),
  inCore(
    'an npm package in a folder of the core',
    'turn/a7',
    "import { z } from 'zod'\nexport const x = z",
    'no-restricted-imports',
  ),
  ...['Date.now()', 'new Date()', 'performance.now()', 'crypto.randomUUID()', 'setTimeout(f, 1)', 'setInterval(f, 1)']
    .concat([
      'process.env',
      'Buffer.alloc(1)',
      "fetch('x')",
      'structuredClone(f)',
      'queueMicrotask(f)',
      'setImmediate(f)',
    ])
    .map((use, at) =>
      inCore(`${use} in the core`, `b${at}`, `export const f = (): unknown => ${use}`, 'no-restricted-globals'),
    ),
  inCore('console in the core', 'c1', "export const f = (): void => console.log('x')", 'no-restricted-globals'),
  inCore(
    'a host global through globalThis in the core',
    'c2',
    'export const f = (): unknown => globalThis.Date',
    'no-restricted-globals',
  ),
  inCore('Math.random in the core', 'c3', 'export const f = (): number => Math.random()', 'no-restricted-properties'),
  inCore('Math.random taken apart in the core', 'c4', 'export const { random } = Math', 'no-restricted-properties'),
  {
    what: 'testing imported by holdpoint',
    file: 'packages/holdpoint/src/d1.ts',
    code: "import { proves } from '@holdpoint/testing'\nexport const x = proves",
    rule: 'no-restricted-imports',
  },
  {
    what: 'holdpoint imported by models',
    file: 'packages/models/src/d2.ts',
    code: "import { tool } from 'holdpoint'\nexport const x = tool",
    rule: 'no-restricted-imports',
  },
  {
    what: 'testing imported by models',
    file: 'packages/models/src/d3.ts',
    code: "import { proves } from '@holdpoint/testing'\nexport const x = proves",
    rule: 'no-restricted-imports',
  },
  {
    what: 'models imported by testing',
    file: 'packages/testing/src/d4.ts',
    code: "import { aiSdkModel } from '@holdpoint/models'\nexport const x = aiSdkModel",
    rule: 'no-restricted-imports',
  },
  {
    what: 'printing in a package',
    file: 'packages/holdpoint/src/e1.ts',
    code: "export const f = (): void => console.log('x')",
    rule: 'no-console',
  },
  inCore('a default export', 'f1', 'export default 1', 'no-default-export'),
  inCore('a cycle of imports', 'f2', "import { b } from './f3.ts'\nexport const a = (): unknown => b", 'no-cycle'),
  inCore(
    'the other half of the cycle',
    'f3',
    "import { a } from './f2.ts'\nexport const b = (): unknown => a",
    'no-cycle',
  ),
  inCore('any', 'f4', 'export const f = (x: any): unknown => x', 'no-explicit-any'),
  inCore('a namespace', 'f5', 'export namespace N { export const x = 1 }', 'no-namespace'),
  inCore('a file of 351 lines', 'f6', `${manyLines(350, '//')}\nexport const x = 1`, 'max-lines'),
  inCore(
    'a function of 81 lines',
    'f7',
    `export function f(x: unknown[]): void {\n${manyLines(80, '  x.push(1)')}\n}`,
    'max-lines-per-function',
  ),
  inCore(
    'a promise that is not awaited',
    'g1',
    'export const f = (): void => {\n  Promise.resolve(1)\n}',
    'no-floating-promises',
  ),
  inCore(
    'a promise as a condition',
    'g2',
    'export const f = (p: Promise<boolean>): number => {\n  if (p) return 1\n  return 2\n}',
    'no-misused-promises',
  ),
  inCore(
    'awaiting a value that is not a promise',
    'g3',
    'export const f = async (x: number): Promise<number> => {\n  await x\n  return x\n}',
    'await-thenable',
  ),
  inCore(
    'a switch with a missing case',
    'g4',
    "export const f = (x: 'a' | 'b'): void => {\n  switch (x) {\n    case 'a':\n      break\n  }\n}",
    'switch-exhaustiveness-check',
  ),
  inCore(
    'a default that hides the next case',
    'g5',
    "export const f = (x: 'a' | 'b'): number => {\n  switch (x) {\n    case 'a':\n      return 1\n    case 'b':\n      return 2\n    default:\n      return 3\n  }\n}",
    'switch-exhaustiveness-check',
  ),
  {
    what: 'a promise that is not awaited in a test',
    file: 'packages/core/test/g7.test.ts',
    code: 'export const f = (): void => {\n  Promise.resolve(1)\n}',
    rule: 'no-floating-promises',
  },
]

const good: readonly (readonly [file: string, code: string])[] = [
  [`${core}/json.ts`, 'export const x = 1'],
  [`${core}/index.ts`, "export { x } from './json.ts'"],
  [
    `${core}/turn/good.ts`,
    "import { x } from '../json.ts'\nexport const f = (s: AbortSignal): unknown => Math.max(x, Number(s.aborted))",
  ],
  ['packages/models/src/index.ts', "import { tool } from '@holdpoint/core'\nexport const x = tool"],
  [
    'packages/testing/src/index.ts',
    "import { tool } from '@holdpoint/core'\nimport { test } from 'vitest'\nexport const x = [tool, test]",
  ],
  [
    'packages/holdpoint/src/index.ts',
    "import { tool } from '@holdpoint/core'\nimport { aiSdkModel } from '@holdpoint/models'\nexport const x = [tool, aiSdkModel, Date.now()]",
  ],
  ['vitest.config.ts', 'export default {}'],
]

interface Diagnostic {
  readonly code: string
  readonly filename: string
  readonly message: string
}

const tree = mkdtempSync(join(tmpdir(), 'holdpoint-lint-'))
let found: readonly Diagnostic[] = []

beforeAll(() => {
  copyFileSync(join(root, '.oxlintrc.json'), join(tree, '.oxlintrc.json'))
  const compilerOptions = { strict: true, target: 'es2024', module: 'nodenext', types: [], noEmit: true }
  writeFileSync(join(tree, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['packages'] }))
  for (const [file, code] of [...bad.map((one) => [one.file, one.code] as const), ...good]) {
    mkdirSync(dirname(join(tree, file)), { recursive: true })
    writeFileSync(join(tree, file), `${code}\n`)
  }
  const oxlint = join(root, 'node_modules/.bin/oxlint')
  const { stdout, stderr } = spawnSync(oxlint, ['--type-aware', '-f', 'json'], { cwd: tree, encoding: 'utf8' })
  if (stderr !== '') throw new Error(stderr)
  found = (JSON.parse(stdout) as { diagnostics: Diagnostic[] }).diagnostics
})

afterAll(() => rmSync(tree, { recursive: true, force: true }))

test.each(bad)('the linter reports $what', ({ file, rule }) => {
  const rules = found.filter((diagnostic) => diagnostic.filename === file).map(({ code }) => code)
  expect(rules).toContainEqual(expect.stringContaining(`(${rule})`))
})

test.each(good)('the linter reports nothing for %s', (file) => {
  expect(found.filter((diagnostic) => diagnostic.filename === file)).toEqual([])
})

test.each([
  ['an enum', 'export enum Colour {\n  Red,\n}', 'TS1294'],
  ['a parameter property', 'export class C {\n  constructor(private x: number) {}\n}', 'TS1294'],
  ['a host global in the core', 'export const x: unknown = process', 'TS2591'],
])('the compiler refuses %s', (_, code, error) => {
  const project = join(tree, `compiler-${error}-${code.length}`)
  mkdirSync(project)
  writeFileSync(join(project, 'a.ts'), code)
  const settings = { extends: join(root, 'tsconfig.base.json'), compilerOptions: { outDir: 'dist' }, files: ['a.ts'] }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(settings))
  const { stdout, status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', project], { encoding: 'utf8' })
  expect(status).not.toBe(0)
  expect(stdout).toContain(error)
})
