#!/usr/bin/env node
/** The command `holdpoint-gateway`. All settings come from the environment; see docs/guide/gateway.md. */
import { exitWithMessage } from './exit-with-message.ts'

const { startGatewayCommand } = await import('./start-gateway.ts').catch(exitWithMessage)
const { stop } = await startGatewayCommand(process.env)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop())
