#!/usr/bin/env node
/** The command `holdpoint`. */
import { runCli } from './run-cli.ts'

const stopped = new AbortController()
// The listener stays: a library that ends the process on a signal which nothing else listens to must not do so before the
// command has put the terminal in order. A second signal ends a command that hangs.
for (const [signal, code] of [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.on(signal, () => (stopped.signal.aborted ? process.exit(code) : stopped.abort()))
process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stopped.signal,
})
