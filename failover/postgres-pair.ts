/**
 * A PostgreSQL primary and a standby that streams from it, through two proxies: one for clients, one for replication. Both
 * servers are private, on loopback, in temporary folders, and end with this process.
 *
 * A standby is made from a copy of the running primary's data folder, between `pg_backup_start` and `pg_backup_stop`,
 * because the npm package with the server's binaries has no `pg_basebackup`.
 */
import { execFileSync, type ChildProcess } from 'node:child_process'
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Client, type QueryResultRow } from 'pg'
import { nap } from '../crash/desk.ts'
import { createCluster, freePort, pidOf, startCluster, stopCluster, type Cluster } from '../test/postgres-server.ts'
import { openSwitchingProxy, type SwitchingProxy } from './switching-proxy.ts'

export class Server {
  readonly #cluster: Cluster
  #shell: ChildProcess | undefined

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  get port(): number {
    return this.#cluster.port
  }

  get data(): string {
    return join(this.#cluster.folder, 'data')
  }

  get user(): Cluster['user'] {
    return this.#cluster.user
  }

  get bin(): string {
    return this.#cluster.bin
  }

  async start(): Promise<void> {
    this.#shell = await startCluster(this.#cluster)
  }

  /** Runs a query on a connection of its own, without the proxy. */
  async sql<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.connected(async (client) => (await client.query<Row>(text, values)).rows)
  }

  async connected<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client(`postgres://postgres@127.0.0.1:${this.port}/postgres`)
    client.on('error', () => {})
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }

  /** Stops all processes of the server with SIGSTOP: its connections stay open and silent. */
  freeze(): void {
    for (const pid of this.#processes()) signal(pid, 'SIGSTOP')
    // Children that were forked while the list was made.
    for (const pid of this.#processes()) signal(pid, 'SIGSTOP')
  }

  /** Ends all processes at once, like a machine that loses power. With only the main process killed, a child could still answer. */
  async kill(): Promise<void> {
    this.freeze()
    const segment = this.#sharedMemory()
    const [main, ...children] = this.#processes()
    for (const pid of children) signal(pid, 'SIGKILL')
    if (main !== undefined && this.#shell) await stopCluster(this.#cluster, this.#shell, 'SIGKILL')
    this.#shell = undefined
    // The segment of a killed server stays until a restart in the same folder, and their number is limited.
    if (segment !== undefined) tryRun('ipcrm', ['-m', segment])
  }

  /** A clean stop, which first sends everything to the standby. */
  async shutDown(): Promise<void> {
    if (this.#shell) await stopCluster(this.#cluster, this.#shell, 'SIGINT')
    this.#shell = undefined
  }

  async remove(): Promise<void> {
    await this.kill()
    rmSync(this.#cluster.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }

  /** The main process first. */
  #processes(): number[] {
    const main = this.#shell && pidOf(this.#cluster)
    if (main === undefined) return []
    const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
    const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number))
    return [main, ...pairs.flatMap(([pid = 0, parent]) => (parent === main ? [pid] : []))]
  }

  #sharedMemory(): string | undefined {
    try {
      return readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n')[6]?.trim().split(/\s+/)[1]
    } catch {
      return undefined
    }
  }
}

export class PostgresPair {
  readonly clients: SwitchingProxy
  /** Between the primary and the standby. */
  readonly replication: SwitchingProxy
  #primary: Server
  #standby: Server | undefined

  private constructor(primary: Server, clients: SwitchingProxy, replication: SwitchingProxy) {
    this.#primary = primary
    this.clients = clients
    this.replication = replication
  }

  static async open(): Promise<PostgresPair> {
    const primary = new Server(await createCluster())
    writeFileSync(
      join(primary.data, 'postgresql.auto.conf'),
      "dynamic_shared_memory_type = 'mmap'\nwal_retrieve_retry_interval = '100ms'\n",
    )
    await primary.start()
    const pair = new PostgresPair(primary, await openSwitchingProxy(), await openSwitchingProxy())
    pair.clients.to(primary.port)
    return pair
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.clients.port}/postgres`
  }

  get primary(): Server {
    return this.#primary
  }

  get standby(): Server {
    if (!this.#standby) throw new Error('There is no standby now.')
    return this.#standby
  }

  /** Makes a standby if there is none. With `synchronous`, every commit of the primary waits for it. */
  async complete({ synchronous }: { readonly synchronous: boolean }): Promise<void> {
    const primary = this.#primary
    this.clients.to(primary.port)
    this.replication.to(primary.port)
    if (!this.#standby) {
      const standby = await copyOf(primary, this.replication.port)
      this.#standby = standby
      await standby.start()
    }
    await setSynchronous(primary, synchronous)
    const wanted = synchronous ? 'sync' : 'async'
    const isAttached = async (): Promise<boolean> =>
      (await primary.sql(`select 1 from pg_stat_replication where state = 'streaming' and sync_state = $1`, [wanted]))
        .length > 0
    for (const since = Date.now(); !(await isAttached()); await nap(20)) {
      if (Date.now() - since > 120_000) throw new Error('The standby does not stream from the primary.')
    }
  }

  /** The standby becomes the primary, and clients are sent to it. The old primary is returned. */
  async promote(): Promise<Server> {
    const [old, next] = [this.#primary, this.standby]
    await next.sql('select pg_promote(true, 120)')
    this.#primary = next
    this.#standby = undefined
    this.clients.to(next.port)
    return old
  }

  async close(): Promise<void> {
    await this.#standby?.remove()
    await this.#primary.remove()
    await this.clients.close()
    await this.replication.close()
  }
}

async function setSynchronous(primary: Server, synchronous: boolean): Promise<void> {
  await primary.connected(async (client) => {
    // Otherwise this statement itself could wait for a standby.
    await client.query('set synchronous_commit = local')
    await client.query(`alter system set synchronous_standby_names = '${synchronous ? 'standby' : ''}'`)
    await client.query('select pg_reload_conf()')
  })
}

/** What a copy must not have: it would belong to the primary's processes and slots. */
const NOT_COPIED = /^(?:(?:pg_wal|pg_replslot|pg_dynshmem)\/.+|postmaster\.(?:pid|opts))$/

async function copyOf(primary: Server, replicationPort: number): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'hp-pg-'))
  const data = join(folder, 'data')
  const label = await primary.connected(async (client) => {
    await client.query(`select pg_drop_replication_slot(slot_name) from pg_replication_slots where not active`)
    await client.query(`select pg_create_physical_replication_slot('standby', true)`)
    await client.query(`select pg_backup_start('standby', true)`)
    cpSync(primary.data, data, {
      recursive: true,
      filter: (from) => !NOT_COPIED.test(from.slice(primary.data.length + 1)),
    })
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    return rows[0]?.labelfile ?? ''
  })
  for (const name of ['pg_wal/archive_status', 'pg_replslot', 'pg_dynshmem']) {
    mkdirSync(join(data, name), { recursive: true })
  }
  writeFileSync(join(data, 'backup_label'), label)
  writeFileSync(join(data, 'standby.signal'), '')
  const conninfo = `host=127.0.0.1 port=${replicationPort} user=postgres application_name=standby`
  writeFileSync(
    join(data, 'postgresql.auto.conf'),
    [
      "dynamic_shared_memory_type = 'mmap'",
      "wal_retrieve_retry_interval = '100ms'",
      `primary_conninfo = '${conninfo}'`,
      "primary_slot_name = 'standby'",
      '',
    ].join('\n'),
  )
  const { user, bin } = primary
  if (user) {
    chownSync(folder, user.uid, user.gid)
    execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, basename(data)], { cwd: dirname(data) })
  }
  return new Server({ folder, port: await freePort(), bin, user })
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile.
  }
}

function tryRun(command: string, args: readonly string[]): void {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
  } catch {
    // The command is missing, or the segment is gone.
  }
}
