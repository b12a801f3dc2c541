#!/usr/bin/env node
/** The command `holdpoint-gateway`. All settings come from the environment; see docs/guide/gateway.md. */
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { exitWithMessage } from './exit-with-message.ts'

// Another user could plant code in a shared folder, such as Node's default in /tmp. Node before 22.1 has no such cache.
const compileCache = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url))
;(module as Partial<typeof module>).enableCompileCache?.(compileCache)

const { startGatewayCommand } = await import('./start-gateway.ts').catch(exitWithMessage)
const { stop } = await startGatewayCommand(process.env)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop())
