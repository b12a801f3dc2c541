/**
 * The client of one server for one tenant. It connects the parts: connections, tools, open calls, tasks and secrets. A
 * server that is unavailable, slow or hostile affects only its own tools: known tools stay listed, and a call of one fails
 * with the reason.
 */
import { messageOf, milliseconds, type Address, type CompileJsonSchema, type Store, type Tool } from '@holdpoint/core'
import type { CallWatcher } from './call-watcher.ts'
import { ConnectionPool } from './connection-pool.ts'
import { Connector, type Connection } from './connector.ts'
import { readElicitation } from './elicitation.ts'
import { LIMITS } from './limits.ts'
import { mcpTool } from './mcp-tool.ts'
import { OpenCalls, type OpenCall } from './open-call.ts'
import { Pins, type Pin } from './pins.ts'
import { isCommand, type AnyServer } from './server-config.ts'
import { displayAddress, serverIdentity } from './server-identity.ts'
import { ServerSecrets } from './server-secrets.ts'
import { toolStatus, type McpServerStatus } from './server-status.ts'
import { ToolList } from './tool-list.ts'
import { createTransport, type TransportOptions } from './transport.ts'

export interface ServerClientOptions extends Omit<TransportOptions, 'onSecret' | 'redact'> {
  readonly store: Store
  readonly watcher: CallWatcher
  readonly now: () => number
  /** For servers that a tenant chose. Servers of the operator use the same validator as tools in code. */
  readonly compile?: CompileJsonSchema | undefined
}

export class ServerClient {
  readonly name: string
  /** Unique within the tenant. Another address under the same name is another server. */
  readonly key: string
  readonly onLost: 'retry' | 'fail' | 'ask'
  readonly taskTimeoutMs: number
  readonly connector: Connector
  readonly openCalls: OpenCalls = new OpenCalls()
  readonly pool: ConnectionPool
  readonly watcher: CallWatcher
  readonly #server: AnyServer
  readonly #options: ServerClientOptions
  readonly #secrets: ServerSecrets
  readonly #pins: Pins
  readonly #tools: ToolList
  #usedAt = 0

  constructor(options: ServerClientOptions) {
    const { server, tenant, store, watcher, now } = options
    this.#options = options
    this.#server = server
    this.name = server.name
    this.key = `${server.name}@${serverIdentity(server)}`
    this.onLost = server.onLost ?? 'ask'
    this.taskTimeoutMs = milliseconds(server.taskTimeout ?? '7 days')
    this.watcher = watcher
    this.#secrets = new ServerSecrets(server)
    const { onSecret, redact } = this.#secrets
    const describe = (error: unknown): string => this.describe(error)
    this.connector = new Connector(
      server.name,
      () => createTransport({ ...options, onSecret, redact }),
      isCommand(server),
      {
        elicit: (params, connection) => this.#elicit(params, connection),
        listChanged: () => this.#tools.markOutdated(),
        describe,
        now,
      },
    )
    this.pool = new ConnectionPool(server.name, this.connector, this.openCalls)
    this.#pins = new Pins(store, tenant, this.key)
    this.#tools = new ToolList({
      server,
      connector: this.connector,
      pins: this.#pins,
      now,
      describe,
      makeTool: (definition) => mcpTool(this, server, definition, options.compile),
      listed: () => this.#resumeTasks(),
    })
  }

  /** A local process, or a server without encryption, is in the operator's own network, and so are its pages. */
  get plainHttp(): boolean {
    return isCommand(this.#server) || new URL(this.#server.url ?? '').protocol === 'http:'
  }

  /** The address without credentials, for everyone who may see that the server is used. */
  get at(): string {
    return displayAddress(this.#server)
  }

  /** The tools that the model may call. Only the first call waits for the server, and not for long. */
  tools(): Promise<readonly Tool[]> {
    this.#usedAt = this.#options.now()
    return this.#tools.tools()
  }

  pinOf(name: string): Pin | undefined {
    return this.#tools.pinOf(name)
  }

  /** Updates the list before a call if it is older than `maxAgeMs`. Resolves to an error message if that fails. */
  refreshTools(maxAgeMs: number): Promise<string | undefined> {
    return this.#tools.refresh(maxAgeMs)
  }

  async accept(toolName: string, fingerprint: string): ReturnType<Pins['accept']> {
    const answer = await this.#pins.accept(toolName, fingerprint)
    this.#tools.markOutdated()
    return answer
  }

  /** The call waits for a person. It keeps its connection, and is aborted when the call is settled without it. */
  holdConnection(call: OpenCall, address: Address, callId: string): void {
    this.pool.detach(call)
    this.watcher.add(address, callId, async () => {
      call.abort()
      await this.pool.release(call)
    })
  }

  /** Cancels the task on the server when the call is settled without it. */
  watchTask(address: Address, callId: string, taskId: string): void {
    this.watcher.add(address, callId, async () => {
      const { tasks } = await this.pool.forTask(taskId)
      await tasks.cancel(taskId)
      this.pool.taskEnded(taskId)
      await this.watcher.forgetTask(address, callId)
    })
  }

  async #resumeTasks(): Promise<void> {
    const { tenant } = this.#options
    for (const { conversation, callId, taskId } of await this.watcher.tasks(tenant, this.key))
      this.watchTask({ tenant, id: conversation }, callId, taskId)
  }

  async #elicit(params: unknown, connection: Connection): Promise<unknown> {
    const request = readElicitation(params, this.plainHttp)
    const call = this.openCalls.asking(connection)
    // A question that cannot be asked, or whose call is unknown, is cancelled. The server continues without an answer.
    return request && call ? call.ask(request) : { action: 'cancel' }
  }

  async status(): Promise<McpServerStatus> {
    const { pins } = await this.#pins.all()
    const { connection, refused } = this.#tools
    const lastError = this.#tools.lastError ?? this.connector.lastError
    return {
      name: this.name,
      at: this.at,
      transport: isCommand(this.#server) ? 'stdio' : 'http',
      health: lastError !== undefined ? 'away' : this.#tools.isKnown ? 'ready' : 'new',
      ...(connection && { era: connection.era, version: connection.version }),
      ...(lastError !== undefined && { lastError }),
      tools: pins.filter((pin) => this.#tools.isOffered(pin)).map((pin) => toolStatus(this.name, pin)),
      refused,
    }
  }

  /** An error as text for anyone. Secrets are removed before the text is cut, so that no part of one is left. */
  describe(error: unknown): string {
    return this.#secrets.redact(messageOf(error)).replaceAll(/\s+/g, ' ').slice(0, 300)
  }

  /** When the tools were last requested. */
  get usedAt(): number {
    return this.#usedAt
  }

  get busy(): boolean {
    return this.openCalls.all().length > 0 || this.pool.hasTasks || this.#tools.isListing
  }

  /** Closes a connection that was unused for a while. */
  async disconnectIfIdle(): Promise<void> {
    if (!this.busy && this.#options.now() - this.#usedAt > LIMITS.idleMs) await this.connector.disconnect()
  }

  close(): Promise<void> {
    return this.pool.close()
  }
}
