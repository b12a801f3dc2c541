#!/usr/bin/env node
/** The command `holdpoint-store`. */
import { HoldpointError } from '@holdpoint/core'
import { storeCommand } from './store-command.ts'

try {
  process.stdout.write(`${await storeCommand(process.argv.slice(2))}\n`)
} catch (error) {
  if (!HoldpointError.is(error)) throw error
  process.stderr.write(`holdpoint-store: ${error.message}\n`)
  process.exitCode = 1
}
