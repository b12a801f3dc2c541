import { expect, test } from 'vitest'
import { violations } from '../../scripts/boundaries.ts'

const core = 'packages/core/src'

test.each([
  ['the core importing a node: module', `${core}/json.ts`, "import { readFileSync } from 'node:fs'", 'node:fs'],
  ['the core importing a package when it runs', `${core}/json.ts`, "const z = await import('zod')", 'zod'],
  [
    'the core importing models by path',
    `${core}/loop/drive.ts`,
    "import { x } from '../../../models/src/index.ts'",
    'by its name',
  ],
  [
    'the turn machine importing the loop',
    `${core}/turn/turn.ts`,
    "import { drive } from '../loop/drive.ts'",
    'turn is below loop',
  ],
  [
    'the turn machine naming a type of the loop',
    `${core}/turn/turn.ts`,
    "import type { A } from '../loop/agent.ts'",
    'turn is below loop',
  ],
  [
    'the turn machine naming a type of a plugin',
    `${core}/turn/turn.ts`,
    "import type { P } from '../plugin/plugin.ts'",
    'turn is below plugin',
  ],
  ['a base file importing a folder', `${core}/json.ts`, "import { x } from './tool/tool.ts'", 'base is below tool'],
  [
    'a base file naming a type of a folder',
    `${core}/ports.ts`,
    "import type { X } from './tool/tool.ts'",
    'base is below tool',
  ],
  [
    'a tool needing the loop to run',
    `${core}/tool/tool.ts`,
    "import { drive } from '../loop/drive.ts'",
    'only `import type`',
  ],
  [
    'a tool needing the loop beside a type',
    `${core}/tool/tool.ts`,
    "import { type Agent } from '../loop/agent.ts'",
    'only `import type`',
  ],
  [
    'the log importing the loop',
    `${core}/log/log-event.ts`,
    "import {\n  a,\n  b,\n} from '../loop/drive.ts'",
    'log is below loop',
  ],
  [
    'the log re-exporting the loop',
    `${core}/log/log-event.ts`,
    "export { drive } from '../loop/drive.ts'",
    'log is below loop',
  ],
  [
    'the live view importing the loop',
    `${core}/live/view.ts`,
    "import { drive } from '../loop/drive.ts'",
    'live is below loop',
  ],
  ['a folder without a rule', `${core}/misc/a.ts`, "import { x } from '../turn/turn.ts'", 'has no place yet'],
  [
    'an example reaching into a package',
    'examples/readme/main.ts',
    "import { x } from '../../packages/core/src/index.ts'",
    'by its name',
  ],
  [
    'a test reaching into another package',
    'packages/models/test/a.test.ts',
    "import { x } from '../../core/src/json.ts'",
    'by its name',
  ],
  ['export *', 'packages/models/src/index.ts', "export * from './ai-sdk-model.ts'", '`export *`'],
  ['export * of types', 'packages/models/src/index.ts', "export type * from './ai-sdk-model.ts'", '`export *`'],
  ['export * as', 'packages/models/src/index.ts', "export * as m from './ai-sdk-model.ts'", '`export *`'],
])('%s is a violation', (_, file, text, because) => {
  expect(violations(file, text)).toEqual([expect.stringContaining(because)])
})

test.each([
  ['the loop importing the turn machine', `${core}/loop/drive.ts`, "import { next } from '../turn/turn.ts'"],
  ['the turn machine importing the log', `${core}/turn/turn.ts`, "import type { LogEvent } from '../log/log-event.ts'"],
  ['a tool naming a type of the loop', `${core}/tool/context.ts`, "import type { Agent } from '../loop/agent.ts'"],
  ['a file importing another of its folder', `${core}/turn/turn.ts`, "import { hold } from './hold.ts'"],
  ['any folder importing the base', `${core}/log/log-event.ts`, "import type { Json } from '../json.ts'"],
  ['a base file importing the base', `${core}/duration.ts`, "import { HoldpointError } from './failure.ts'"],
  ['the index importing everything', `${core}/index.ts`, "export { drive } from './loop/drive.ts'"],
  ['a test importing its own package', 'packages/core/test/a.test.ts', "import { next } from '../src/turn/turn.ts'"],
  ['a package in holdpoint', 'packages/holdpoint/src/index.ts', "import { tool } from '@holdpoint/core'"],
  [
    'a violation in a comment',
    `${core}/turn/turn.ts`,
    "// import { drive } from '../loop/drive.ts'\n/*\nimport { x } from 'zod'\n*/",
  ],
])('%s is fine', (_, file, text) => {
  expect(violations(file, text)).toEqual([])
})
