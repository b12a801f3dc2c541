/** `npm start`: the gateway on the embedded store, with an agent to try it with. Settings of the environment come first. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './lib/workspace.ts'

mkdirSync(join(root, '.cache'), { recursive: true })
process.env['HOLDPOINT_APP'] ??= join(root, 'examples/start/app.ts')
process.env['HOLDPOINT_STORE'] ??= join(root, '.cache/holdpoint.db')
await import('../packages/gateway/src/main.ts')
