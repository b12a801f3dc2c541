#!/usr/bin/env node
/** The command `holdpoint-gateway`. It takes everything from the environment; see docs/guide/gateway.md. */
import { run } from './run.ts'

const { stop } = await run(process.env)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop())
