/**
 * A connection of the store. It knows which server answers it, whether a pooler is in between, and how long it has waited for
 * an answer.
 *
 * - A server that is not the primary is refused when the connection is made. A read would be answered there, with old data.
 * - Each connection says which history its server continues (generations.ts).
 * - A pooler gives its clients other process ids than the servers have. A connection through one may use another session of
 *   the server for each transaction, so it has no prepared statements. No connection has session settings.
 * - PostgreSQL ends the wait for a standby with a warning when the statement is cancelled, and keeps the commit. Such a commit
 *   may be lost with the primary.
 */
import { Client, type ClientConfig } from 'pg'
import { askGeneration, type Generation, type Generations } from './generations.ts'
import type { Hosts } from './hosts.ts'
import type { SilenceWatch } from './silence-watch.ts'

/** What the connections to one URL share. */
export interface Surroundings {
  readonly hosts: Hosts
  readonly watch: SilenceWatch
  /** Left out for a probe, which only asks who is there. */
  readonly generations?: Generations
}

export interface StoreClientConfig extends ClientConfig {
  readonly surroundings: Surroundings
}

type Connected = (error: Error | null) => void

export class StoreClient extends Client {
  readonly #around: Surroundings
  readonly #url: string
  /** Counts the commits that may be missing on the standby. */
  unconfirmed = 0
  /** Whether each transaction may run in another session of the server. */
  pooled = false
  /** Identifies the server, once it has introduced itself. */
  server: string | undefined
  /** Its process on the server. Undefined behind a pooler, which answers for several. */
  backend: number | undefined
  /** Undefined for a probe. */
  generation: Generation | undefined
  /** Since when an answer is awaited, or nothing was received while one is. */
  #waitingSince: number | undefined
  #received = 0

  constructor(config: StoreClientConfig) {
    const url = config.surroundings.hosts.current
    super({ ...config, connectionString: url })
    this.#around = config.surroundings
    this.#url = url
    const send: (...given: unknown[]) => unknown = this.query.bind(this)
    this.query = ((...given: unknown[]) => {
      this.#wait()
      return send(...given)
    }) as typeof this.query
    this.on('drain', () => {
      this.#waitingSince = undefined
    })
    this.on('notice', ({ routine }) => {
      if (routine === 'SyncRepWaitForLSN') this.unconfirmed++
    })
    this.once('end', () => {
      this.#around.watch.remove(this)
      this.#around.generations?.ended(this)
    })
  }

  override connect(): Promise<Client>
  override connect(callback: Connected): void
  override connect(callback?: Connected): Promise<Client> | void {
    if (!callback) {
      return new Promise((resolve, reject) =>
        this.connect((error: Error | null) => (error ? reject(error) : resolve(this))),
      )
    }
    this.#wait()
    super.connect((error: Error | null) => {
      this.#waitingSince = undefined
      if (error) this.#around.hosts.failed(this.#url)
      callback(error)
    })
  }

  /** Asks the server who it is. Rejects if it cannot be written to. Call it before anything else. */
  async identify(): Promise<void> {
    const { rows } = await this.query<Identity>(
      `select pg_backend_pid() as pid, pg_postmaster_start_time()::text as server,
        current_setting('transaction_read_only') = 'on' as read_only`,
    )
    const { pid, server, read_only } = rows[0]!
    if (read_only) {
      this.#around.hosts.failed(this.#url)
      throw new ReadOnlyServer()
    }
    await this.#join()
    this.#around.hosts.worked(this.#url)
    this.server = server
    this.pooled = pid !== (this as unknown as { readonly processID: number }).processID
    this.backend = this.pooled ? undefined : pid
  }

  async #join(): Promise<void> {
    const { generations, hosts } = this.#around
    if (!generations) return
    this.generation = await askGeneration(this)
    try {
      generations.connected(this)
    } catch (error) {
      hosts.failed(this.#url)
      throw error
    }
  }

  /** How long the server has sent nothing although an answer is due, or 0. */
  silentMs(now: number): number {
    const { bytesRead } = this.#stream
    if (bytesRead !== this.#received && this.#waitingSince !== undefined) this.#waitingSince = now
    this.#received = bytesRead
    return this.#waitingSince === undefined ? 0 : now - this.#waitingSince
  }

  /** Breaks the connection. What was sent on it fails as it does when the server closes it. */
  breakOff(why: string): void {
    this.#stream.destroy(new Error(why))
  }

  #wait(): void {
    this.#waitingSince ??= performance.now()
    this.#around.watch.add(this)
  }

  get #stream(): { readonly bytesRead: number; destroy(error: Error): void } {
    const { connection } = this as unknown as { readonly connection: { readonly stream: never } }
    return connection.stream
  }
}

interface Identity {
  readonly pid: number
  readonly server: string
  readonly read_only: boolean
}

/** The server is a standby, or writes are turned off. */
class ReadOnlyServer extends Error {
  readonly code = '25006'

  constructor() {
    super('this server cannot be written to: it is a standby, or default_transaction_read_only is on')
  }
}
