/**
 * Which connection a call or a task uses. Calls share one connection, except calls to a legacy server behind a process: its
 * questions do not say which call they belong to, so each such call gets its own process.
 */
import { ServerUnavailable, type Connection, type Connector } from './connector.ts'
import { LIMITS } from './limits.ts'
import type { OpenCall, OpenCalls } from './open-call.ts'

export class ConnectionPool {
  readonly #name: string
  readonly #connector: Connector
  readonly #openCalls: OpenCalls
  /** Connections that one call has for itself. */
  readonly #exclusive = new Set<Connection>()
  /** The process that knows a task. */
  readonly #byTask = new Map<string, Connection>()
  #opening = 0

  constructor(name: string, connector: Connector, openCalls: OpenCalls) {
    this.#name = name
    this.#connector = connector
    this.#openCalls = openCalls
  }

  get hasTasks(): boolean {
    return this.#byTask.size > 0
  }

  async forCall(): Promise<Connection> {
    const shared = await this.#connector.connection()
    if (!shared.stdio || shared.era === 'modern') return shared
    if (!this.#exclusive.has(shared)) {
      this.#exclusive.add(shared)
      return shared
    }
    if (this.#exclusive.size + this.#opening >= LIMITS.processes)
      throw new ServerUnavailable(`The MCP server "${this.#name}" is busy with ${LIMITS.processes} calls. Retry later.`)
    this.#opening++
    try {
      const own = await this.#connector.open()
      this.#exclusive.add(own)
      return own
    } finally {
      this.#opening--
    }
  }

  /** For a server behind a process, only the process that started a task knows it. */
  async forTask(taskId: string): Promise<Connection> {
    return this.#byTask.get(taskId) ?? this.#connector.connection()
  }

  taskStarted(taskId: string, connection: Connection): void {
    if (connection.stdio) this.#byTask.set(taskId, connection)
  }

  taskEnded(taskId: string): void {
    this.#byTask.delete(taskId)
  }

  /** Keeps a process for the call: later calls get another one. */
  detach({ connection }: OpenCall): void {
    if (connection.stdio) this.#connector.detach(connection)
  }

  /** The call is over. Closes its process, if nothing else uses it. */
  async release(call: OpenCall): Promise<void> {
    const { connection } = call
    this.#openCalls.remove(call)
    this.#exclusive.delete(connection)
    const inUse = [...this.#byTask.values()].includes(connection) || this.#openCalls.on(connection).length > 0
    if (connection.stdio && !inUse && !this.#connector.isShared(connection)) await connection.close()
  }

  async close(): Promise<void> {
    const connections = new Set([...this.#openCalls.all().map((call) => call.connection), ...this.#byTask.values()])
    this.#openCalls.abortAll()
    await this.#connector.close()
    await Promise.all([...connections].map((connection) => connection.close()))
  }
}
