/** `holdpoint start` and `dev`: serve an app file. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startGateway } from '@holdpoint/gateway'
import type { Command } from './command.ts'
import { EXIT, UsageError, type ExitCode } from './io.ts'
import { named, wholeNumber } from './with-place.ts'

/** Settings of this command that are no settings of a gateway. */
const OWN_SETTINGS = ['HOLDPOINT_URL', 'HOLDPOINT_DEV']

export async function start({ args, options, io }: Command): Promise<ExitCode> {
  const { APP } = named(args, 'APP')
  const port = wholeNumber('port', options.port)
  const { store } = options
  const env = Object.fromEntries(Object.entries(io.env).filter(([name]) => !OWN_SETTINGS.includes(name)))
  const running = await startGateway({
    ...env,
    HOLDPOINT_APP: APP,
    ...(store !== undefined && { HOLDPOINT_STORE: store }),
    ...(port !== undefined && { PORT: String(port) }),
    // Only this machine can connect, so the address that is printed signs the developer in.
    ...(io.env['HOLDPOINT_DEV'] !== undefined && { HOLDPOINT_CONSOLE: 'open' }),
  })
  await new Promise<void>((resolve) => {
    if (io.signal.aborted) resolve()
    io.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await running.stop()
  return EXIT.ok
}

/** Starts again when the app file, or a file that it imports, changes. Conversations are in the store, so nothing is lost. */
export async function dev({ args, options, io }: Command): Promise<ExitCode> {
  const { APP } = named(args, 'APP')
  if (!existsSync(APP)) throw new UsageError(`There is no file ${APP}.`)
  const here = import.meta.url
  const main = fileURLToPath(new URL(here.endsWith('.ts') ? './main.ts' : './main.js', here))
  const { port, store } = options
  const given = [...(port === undefined ? [] : ['--port', port]), ...(store === undefined ? [] : ['--store', store])]
  const child = spawn(
    process.execPath,
    [...process.execArgv, '--watch', '--watch-preserve-output', main, 'start', APP, ...given],
    { stdio: ['ignore', 'inherit', 'inherit'], env: { ...io.env, HOLDPOINT_DEV: '1' } },
  )
  const stop = (): void => void child.kill('SIGTERM')
  io.signal.addEventListener('abort', stop, { once: true })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  return code === 0 || io.signal.aborted ? EXIT.ok : EXIT.broken
}
