/** Starts the programs that the scripts need: our own tools first on PATH, and examples on the packages' sources. */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { root } from './workspace.ts'

const windows = process.platform === 'win32'

export interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function environment(): NodeJS.ProcessEnv {
  // Every stage starts many processes that load the same modules.
  const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(root, '.cache/node')
  return {
    ...process.env,
    NODE_COMPILE_CACHE,
    PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`,
  }
}

/** Runs a command with its output going straight to the terminal. */
export function stream(command: readonly string[], cwd: string = root): Promise<number> {
  const [file = '', ...args] = command
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd, stdio: 'inherit', env: environment(), shell: windows })
    child.on('error', (error) => {
      console.error(`${file}: ${error.message}`)
      resolve(1)
    })
    child.on('close', (code) => resolve(code ?? 1))
  })
}

/** Runs a command and keeps its output. */
export function capture(command: readonly string[], cwd: string = root, timeoutMs = 120_000): Finished {
  const [file = '', ...args] = command
  const done = spawnSync(file, args, { cwd, encoding: 'utf8', env: environment(), shell: windows, timeout: timeoutMs })
  const trouble = done.error === undefined ? '' : `${done.error.message}\n`
  return { code: done.status ?? 1, stdout: done.stdout ?? '', stderr: trouble + (done.stderr ?? '') }
}

/** As `capture`, beside other commands. */
export function captureLater(command: readonly string[], cwd: string = root, timeoutMs = 120_000): Promise<Finished> {
  const [file = '', ...args] = command
  const options = { cwd, env: environment(), shell: windows, timeout: timeoutMs, maxBuffer: 64 << 20 }
  return new Promise((resolve) => {
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      const trouble = error !== null && child.exitCode === null ? `${error.message}\n` : ''
      resolve({ code: error === null ? 0 : (child.exitCode ?? 1), stdout, stderr: trouble + stderr })
    })
    child.stdin?.end()
  })
}

/** Calls `work` for each item, for as many at once as there are processors. The results are in the order of the items. */
export async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const queue = items.entries()
  const worker = async (): Promise<void> => {
    for (const [at, item] of queue) results[at] = await work(item)
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  return results
}

/** Runs an example without a build: the workspace packages resolve to their sources. */
export function runExample(file: string, cwd: string = root): Promise<Finished> {
  return captureLater([process.execPath, '--conditions=@holdpoint/source', join(root, file)], cwd)
}
