/**
 * Two PostgreSQL servers that Patroni manages, with etcd, and HAProxy in front: what a company runs. Everything is private, on
 * loopback, in a temporary folder, and ends with this process. The programs come from the system (in Debian: patroni, etcd-server,
 * haproxy, postgresql).
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { nap } from '../crash/desk.ts'
import { findBinaries, freePort, unprivileged } from '../test/postgres-server.ts'

const PROGRAMS = ['patroni', 'etcd', 'haproxy']

/** The programs that this machine lacks. */
export function missingPrograms(): readonly string[] {
  const places = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return PROGRAMS.filter((name) => !places.some((place) => existsSync(join(place, name))))
}

/** How long a cluster may take to start, or to have a synchronous standby again. */
const READY_WITHIN_MS = 120_000

interface Node {
  readonly name: string
  readonly port: number
  readonly api: number
  readonly data: string
  shell: ChildProcess | undefined
}

interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
}

export class PatroniCluster {
  readonly #folder: string
  readonly #user = unprivileged()
  readonly #port: number
  readonly #nodes: readonly Node[]
  readonly #others: ChildProcess[] = []

  private constructor(folder: string, port: number, nodes: readonly Node[]) {
    this.#folder = folder
    this.#port = port
    this.#nodes = nodes
  }

  static async open(): Promise<PatroniCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'hp-pat-'))
    const nodes: Node[] = []
    for (const name of ['n1', 'n2']) {
      const data = join(folder, name)
      nodes.push({ name, port: await freePort(), api: await freePort(), data, shell: undefined })
    }
    const cluster = new PatroniCluster(folder, await freePort(), nodes)
    const [etcd, peer] = [await freePort(), await freePort()]
    cluster.#write(etcd)
    cluster.#startEtcd(etcd, peer)
    cluster.#startProxy()
    return cluster
  }

  get url(): string {
    return `postgres://postgres:secret@127.0.0.1:${this.#port}/postgres`
  }

  /** Makes a new node of each one that is gone, and waits until the standby is synchronous. */
  async complete(): Promise<void> {
    for (const node of this.#nodes) {
      if (node.shell) continue
      rmSync(node.data, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
      node.shell = this.#run('patroni', [join(this.#folder, `${node.name}.json`)], node.data)
      // The first one makes the cluster, and the other one copies it.
      await this.#until(async () =>
        (await this.#members()).some(({ name, state }) => name === node.name && isUp(state)),
      )
    }
    await this.#until(async () => (await this.#members()).some(({ role }) => role === 'sync_standby'))
  }

  /** Kills Patroni and PostgreSQL of the primary, as a machine that loses power. */
  async killPrimary(): Promise<void> {
    const primary = await this.#primary()
    for (const pid of this.#pids(primary)) signal(pid, 'SIGKILL')
    primary.shell = undefined
  }

  /** Stops them with SIGSTOP: their connections stay open and silent. Resolves to what ends them. */
  async freezePrimary(): Promise<() => void> {
    const primary = await this.#primary()
    const pids = this.#pids(primary)
    for (const pid of pids) signal(pid, 'SIGSTOP')
    primary.shell = undefined
    return () => {
      for (const pid of pids) signal(pid, 'SIGKILL')
    }
  }

  async switchOver(): Promise<void> {
    const { name, api } = await this.#primary()
    const body = JSON.stringify({ leader: name })
    const answer = await fetch(`http://127.0.0.1:${api}/switchover`, { method: 'POST', body })
    if (!answer.ok) throw new Error(`Patroni did not switch over: ${await answer.text()}`)
  }

  async close(): Promise<void> {
    for (const node of this.#nodes) for (const pid of this.#pids(node)) signal(pid, 'SIGKILL')
    for (const { pid } of this.#others) if (pid !== undefined) signal(-pid, 'SIGKILL')
    await nap(200)
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }

  async #primary(): Promise<Node> {
    const primary = await this.#leader()
    if (!primary) throw new Error('Patroni has no primary now.')
    return primary
  }

  /** Each node only knows for certain whether it is the leader itself. Its list of members may be that of a moment ago. */
  async #leader(): Promise<Node | undefined> {
    for (const node of this.#nodes) {
      if (!node.shell) continue
      const answer = await ask(node, 'primary').catch(() => undefined)
      if (answer?.ok) return node
    }
    return undefined
  }

  async #members(): Promise<readonly Member[]> {
    const leader = await this.#leader()
    for (const node of leader ? [leader] : this.#nodes) {
      if (!node.shell) continue
      try {
        const answer = await ask(node, 'cluster')
        return ((await answer.json()) as { readonly members?: readonly Member[] }).members ?? []
      } catch {
        // It has not started yet.
      }
    }
    return []
  }

  async #until(holds: () => Promise<boolean>): Promise<void> {
    for (const since = Date.now(); !(await holds()); await nap(100)) {
      if (Date.now() - since > READY_WITHIN_MS) throw new Error('Patroni did not get ready in time.')
    }
  }

  /** PostgreSQL is not a child of Patroni, and its children are not in a group with it. */
  #pids({ data, shell }: Node): number[] {
    const main = existsSync(join(data, 'postmaster.pid'))
      ? Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
      : undefined
    const roots = [shell?.pid, main]
    const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
    const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number))
    const children = pairs.flatMap(([pid = 0, parent]) => (roots.includes(parent) ? [pid] : []))
    return [...new Set([...roots, ...children])].flatMap((pid) => (pid === undefined ? [] : [pid]))
  }

  #write(etcd: number): void {
    if (this.#user) chownSync(this.#folder, this.#user.uid, this.#user.gid)
    const hba = ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust']
    for (const { name, port, api, data } of this.#nodes) {
      const config = {
        scope: 'holdpoint',
        name,
        restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
        etcd3: { host: `127.0.0.1:${etcd}` },
        bootstrap: {
          dcs: {
            // The shortest that Patroni takes.
            ttl: 20,
            loop_wait: 1,
            retry_timeout: 3,
            synchronous_mode: true,
            postgresql: { parameters: { max_connections: 200, dynamic_shared_memory_type: 'mmap' } },
          },
          initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
          pg_hba: hba,
        },
        postgresql: {
          listen: `127.0.0.1:${port}`,
          connect_address: `127.0.0.1:${port}`,
          data_dir: data,
          bin_dir: findBinaries(['postgres', 'initdb', 'pg_basebackup', 'pg_controldata']),
          pg_hba: hba,
          parameters: { unix_socket_directories: this.#folder },
          authentication: {
            superuser: { username: 'postgres', password: 'secret' },
            replication: { username: 'replicator', password: 'secret' },
          },
        },
      }
      writeFileSync(join(this.#folder, `${name}.json`), JSON.stringify(config))
    }
    writeFileSync(join(this.#folder, 'haproxy.cfg'), this.#proxyConfig())
    chmodSync(this.#folder, 0o755)
  }

  /** As Patroni's documentation has it. */
  #proxyConfig(): string {
    const servers = this.#nodes.map(
      ({ name, port, api }) => `  server ${name} 127.0.0.1:${port} maxconn 150 check port ${api}`,
    )
    return [
      'defaults',
      '  mode tcp',
      '  timeout connect 4s',
      '  timeout client 30m',
      '  timeout server 30m',
      '  timeout check 2s',
      'listen primary',
      `  bind 127.0.0.1:${this.#port}`,
      '  option httpchk GET /primary',
      '  http-check expect status 200',
      '  default-server inter 500ms fall 3 rise 1 on-marked-down shutdown-sessions',
      ...servers,
      '',
    ].join('\n')
  }

  #startEtcd(port: number, peer: number): void {
    const [client, between] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peer}`]
    const options = {
      '--data-dir': join(this.#folder, 'etcd'),
      '--listen-client-urls': client,
      '--advertise-client-urls': client,
      '--listen-peer-urls': between,
      '--initial-advertise-peer-urls': between,
      '--initial-cluster': `default=${between}`,
    }
    this.#others.push(this.#run('etcd', Object.entries(options).flat(), this.#folder))
  }

  #startProxy(): void {
    this.#others.push(this.#run('haproxy', ['-db', '-f', join(this.#folder, 'haproxy.cfg')], this.#folder))
  }

  #run(program: string, args: readonly string[], data: string): ChildProcess {
    const PATH = `${process.env['PATH'] ?? ''}${delimiter}/usr/sbin`
    const shell = spawn('sh', ['-c', WATCH, 'sh', join(data, 'postmaster.pid'), program, ...args], {
      ...this.#user,
      cwd: this.#folder,
      env: { PATH, HOME: this.#folder },
      detached: true,
      stdio: ['ignore', 'ignore', process.env['FAILOVER_VERBOSE'] ? 'inherit' : 'ignore', 'pipe'],
    })
    shell.unref()
    ;(shell.stdio[3] as { unref?: () => void } | null)?.unref?.()
    return shell
  }
}

/** Ends the program, and the server that it started, when the pipe from this process closes for any reason. */
const WATCH = `
file=$1; shift
"$@" 3<&- & program=$!
{ read -r _ <&3; kill -KILL $program; kill -KILL $(head -n 1 "$file"); } 2>/dev/null & watch=$!
wait $program; kill $watch 2>/dev/null`

function ask({ api }: Node, what: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${api}/${what}`, { signal: AbortSignal.timeout(2000) })
}

function isUp(state: string): boolean {
  return state === 'running' || state === 'streaming'
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile.
  }
}
