/**
 * For commands: prints an error in the settings or the Node version as one line instead of a stack trace. This file
 * imports nothing, so that it can also report a failed import.
 */
export function exitWithMessage(error: unknown): never {
  if (!(error instanceof Error && 'isHoldpointError' in error)) throw error
  process.stderr.write(`holdpoint: ${error.message}\n`)
  process.exit(1)
}
