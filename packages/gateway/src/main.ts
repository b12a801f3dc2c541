#!/usr/bin/env node
/** The command `holdpoint-gateway`. It takes everything from the environment; see docs/guide/gateway.md. */
import { runCommand } from './run.ts'

const { stop } = await runCommand(process.env)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop())
