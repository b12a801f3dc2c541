import { expect, test } from 'vitest'
import { violations } from '../../scripts/boundaries.ts'

const core = 'packages/core/src'
const runtime = 'packages/runtime/src'

test.each([
  ['the core importing a node: module', `${core}/json.ts`, "import { readFileSync } from 'node:fs'", 'node:fs'],
  ['the core importing a package when it runs', `${core}/json.ts`, "const z = await import('zod')", 'zod'],
  [
    'the core importing models by path',
    `${core}/agent/agent.ts`,
    "import { x } from '../../../models/src/index.ts'",
    'by its name',
  ],
  [
    'the turn machine importing the agent',
    `${core}/turn/turn.ts`,
    "import { agent } from '../agent/agent.ts'",
    'turn is below agent',
  ],
  [
    'the turn machine naming a type of the agent',
    `${core}/turn/turn.ts`,
    "import type { A } from '../agent/agent.ts'",
    'turn is below agent',
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
    'a tool needing the agent to run',
    `${core}/tool/tool.ts`,
    "import { agent } from '../agent/agent.ts'",
    'only `import type`',
  ],
  [
    'a tool needing the agent beside a type',
    `${core}/tool/tool.ts`,
    "import { type Agent } from '../agent/agent.ts'",
    'only `import type`',
  ],
  [
    'the log importing the agent',
    `${core}/log/log-event.ts`,
    "import {\n  a,\n  b,\n} from '../agent/agent.ts'",
    'log is below agent',
  ],
  [
    'the log re-exporting the agent',
    `${core}/log/log-event.ts`,
    "export { agent } from '../agent/agent.ts'",
    'log is below agent',
  ],
  [
    'the live view importing the agent',
    `${core}/live/view.ts`,
    "import { agent } from '../agent/agent.ts'",
    'live is below agent',
  ],
  [
    'a folder without a rule',
    `${core}/misc/a.ts`,
    "import { x } from '../turn/turn.ts'",
    'is not listed in scripts/boundaries.ts',
  ],
  [
    'the core importing the runtime by name',
    `${core}/turn/turn.ts`,
    "import { Driver } from '@holdpoint/runtime'",
    'imports nothing but its own files',
  ],
  [
    'the runtime importing spaces by name',
    `${runtime}/node/residency.ts`,
    "import { Runtime } from '@holdpoint/spaces'",
    'runtime imports only its own files and @holdpoint/core',
  ],
  [
    'the runtime importing a node: module',
    `${runtime}/node/residency.ts`,
    "import { readFileSync } from 'node:fs'",
    'runtime imports only',
  ],
  [
    'the driver knowing what a conversation is',
    `${runtime}/drive/driver.ts`,
    "import type { Conversation } from '../conversation/conversation.ts'",
    'drive is below conversation',
  ],
  [
    'an example reaching into a package',
    'examples/readme/main.ts',
    "import { x } from '../../packages/core/src/index.ts'",
    'by its name',
  ],
  [
    'a file that readers of an example copy using the shared tests',
    'examples/embed-hono/app.ts',
    "import { x } from '../../test/kit/check-isolation.ts'",
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
  ['the live view importing the turn machine', `${core}/live/view.ts`, "import { next } from '../turn/turn.ts'"],
  ['the turn machine importing the log', `${core}/turn/turn.ts`, "import type { LogEvent } from '../log/log-event.ts'"],
  ['a tool naming a type of the agent', `${core}/tool/context.ts`, "import type { Agent } from '../agent/agent.ts'"],
  ['a file importing another of its folder', `${core}/turn/turn.ts`, "import { hold } from './hold.ts'"],
  ['any folder importing the base', `${core}/log/log-event.ts`, "import type { Json } from '../json.ts'"],
  ['a base file importing the base', `${core}/duration.ts`, "import { HoldpointError } from './failure.ts'"],
  ['the index importing everything', `${core}/index.ts`, "export { agent } from './agent/agent.ts'"],
  ['a test importing its own package', 'packages/core/test/a.test.ts', "import { next } from '../src/turn/turn.ts'"],
  [
    'the main file of an example, which is its test, using the shared tests',
    'examples/embed-hono/main.ts',
    "import { x } from '../../test/kit/check-isolation.ts'",
  ],
  ['a package in holdpoint', 'packages/holdpoint/src/index.ts', "import { tool } from '@holdpoint/core'"],
  [
    'the runtime importing the core',
    `${runtime}/drive/driver.ts`,
    "import { next } from '@holdpoint/core/internal/turn/turn'",
  ],
  ['spaces importing the runtime', 'packages/spaces/src/runtime.ts', "import { x } from '@holdpoint/runtime'"],
  [
    'a violation in a comment',
    `${core}/turn/turn.ts`,
    "// import { agent } from '../agent/agent.ts'\n/*\nimport { x } from 'zod'\n*/",
  ],
])('%s is fine', (_, file, text) => {
  expect(violations(file, text)).toEqual([])
})
