/**
 * MCP servers as tools of agents. Each tenant, server and configuration has its own client, created when it is first needed.
 * Tenants share nothing, not even a connection to the same server.
 */
import {
  definePlugin,
  HoldpointError,
  type CompileJsonSchema,
  type Plugin,
  type Prepare,
  type Store,
  type Tool,
} from '@holdpoint/core'
import type { Secrets } from 'holdpoint'
import { LIMITS } from './limits.ts'
import {
  checkConfigServer,
  checkServer,
  type AnyServer,
  type McpCommandConfig,
  type McpServerConfig,
} from './server-config.ts'
import { ServerClient } from './server-client.ts'
import type { McpServerStatus } from './server-status.ts'
import { CallWatcher } from './call-watcher.ts'

export interface McpServersOptions {
  /** The same store as the runtime's. It keeps the accepted definitions and the tasks in progress. */
  readonly store: Store
  /** Servers of the operator, for every tenant. They may be in the operator's own network. */
  readonly servers?: readonly (McpServerConfig | McpCommandConfig)[]
  /**
   * For `servers` only. Called for each request that needs a secret: a header with the value `{ $secret: 'NAME' }`. Servers
   * of agents as JSON get the secrets that are offered to those agents.
   */
  readonly secrets?: Secrets
  /** Hosts in the operator's own network that servers of agents as JSON may use: `tools.internal`, or with a port. */
  readonly privateHosts?: readonly string[]
  readonly now?: () => number
}

export type AcceptResult = 'accepted' | 'unknown' | 'changed-again'

/** The validator and secrets for servers of agents as JSON. */
export interface ConfigOffer {
  /** Compiles the schemas of their tools, for example in another thread. */
  readonly compile?: CompileJsonSchema
  /** The secrets that their headers may name. */
  readonly secrets?: Secrets
}

export interface McpServers {
  /** For agents: the tools of all `servers`. */
  readonly plugin: Plugin
  /** For agents as JSON, which have their own servers. Throws if a server's configuration is invalid. */
  pluginFor(tenant: string, servers: readonly unknown[], offer?: ConfigOffer): Plugin
  /** The health and tools of the servers that a tenant can use or has used. */
  status(tenant?: string): Promise<readonly McpServerStatus[]>
  /** Accepts a tool's current definition after a person has seen the difference. */
  accept(where: {
    readonly tenant?: string
    readonly server: string
    readonly tool: string
    readonly fingerprint: string
  }): Promise<AcceptResult>
  close(): Promise<void>
}

const IDLE_CHECK_MS = 60_000

export function mcpServers(options: McpServersOptions): McpServers {
  return new Servers(options)
}

class Servers implements McpServers {
  readonly plugin: Plugin
  readonly #options: McpServersOptions
  readonly #own: readonly AnyServer[]
  readonly #watcher: CallWatcher
  /** By tenant, then by configuration. */
  readonly #clients = new Map<string, Map<string, ServerClient>>()
  readonly #timer: NodeJS.Timeout
  #closed = false

  constructor(options: McpServersOptions) {
    this.#options = options
    this.#own = (options.servers ?? []).map(checkServer)
    uniqueNames(this.#own)
    this.#watcher = new CallWatcher(options.store)
    this.#timer = setInterval(() => this.#disconnectIdle(), IDLE_CHECK_MS)
    this.#timer.unref()
    this.plugin = pluginOf(({ conversation }) =>
      this.#own.map((server) => this.#clientFor(conversation.tenant, server)),
    )
  }

  pluginFor(tenant: string, servers: readonly unknown[], offer: ConfigOffer = {}): Plugin {
    const checked = servers.map(checkConfigServer)
    uniqueNames([...this.#own, ...checked])
    return pluginOf(() => checked.map((server) => this.#clientFor(tenant, server, offer)))
  }

  async status(tenant = ''): Promise<readonly McpServerStatus[]> {
    for (const server of this.#own) this.#clientFor(tenant, server)
    return Promise.all(Array.from(this.#clients.get(tenant)?.values() ?? [], (each) => each.status()))
  }

  async accept({ tenant = '', server, tool, fingerprint }: Parameters<McpServers['accept']>[0]): Promise<AcceptResult> {
    await this.status(tenant)
    const found = Array.from(this.#clients.get(tenant)?.values() ?? []).filter(({ name }) => name === server)
    const answers = await Promise.all(found.map((each) => each.accept(tool, fingerprint)))
    return answers.find((each) => each !== 'unknown') ?? 'unknown'
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    this.#watcher.close()
    await Promise.all(this.#all().map((server) => server.close()))
  }

  #disconnectIdle(): void {
    for (const server of this.#all()) void server.disconnectIfIdle()
  }

  #all(): readonly ServerClient[] {
    return [...this.#clients.values()].flatMap((servers) => [...servers.values()])
  }

  /** With an offer, the server belongs to an agent as JSON. Without one, it is the operator's. */
  #clientFor(tenant: string, server: AnyServer, offer?: ConfigOffer): ServerClient {
    if (this.#closed) throw new HoldpointError('closed', 'The MCP servers are closed.')
    const ofTenant = this.#clients.get(tenant) ?? new Map<string, ServerClient>()
    this.#clients.set(tenant, ofTenant)
    const key = JSON.stringify(server)
    if (offer && !ofTenant.has(key)) this.#closeLeastUsed(ofTenant)
    const { store, secrets, privateHosts = [], now = Date.now } = this.#options
    const made =
      ofTenant.get(key) ??
      new ServerClient({
        server,
        tenant,
        store,
        secrets: offer ? offer.secrets : secrets,
        privateHosts: offer ? privateHosts : true,
        watcher: this.#watcher,
        now,
        compile: offer?.compile,
      })
    ofTenant.set(key, made)
    return made
  }

  /** Each agent as JSON may have its own servers. At the limit, closes the client that was unused the longest. */
  #closeLeastUsed(ofTenant: Map<string, ServerClient>): void {
    const own = new Set(this.#own.map((server) => JSON.stringify(server)))
    const theirs = [...ofTenant].filter(([key]) => !own.has(key))
    if (theirs.length < LIMITS.clientsPerTenant) return
    const [longest] = theirs.filter(([, { busy }]) => !busy).toSorted(([, a], [, b]) => a.usedAt - b.usedAt)
    if (!longest) return
    ofTenant.delete(longest[0])
    void longest[1].close()
  }
}

function pluginOf(servers: (prepare: Prepare<unknown>) => readonly ServerClient[]): Plugin {
  return definePlugin({
    id: 'mcp',
    prepare: async (prepare) => {
      const found = await Promise.all(servers(prepare).map((server) => server.tools()))
      for (const tool of found.flat()) if (isNew(tool, prepare.tools)) prepare.tools.push(tool)
    },
  })
}

/** An agent's own tool wins over a server's tool with the same name. */
function isNew({ name }: Tool, tools: readonly Tool[]): boolean {
  return tools.every((each) => each.name !== name)
}

function uniqueNames(servers: readonly AnyServer[]): void {
  const names = servers.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw new HoldpointError(
      'config-invalid',
      `Two MCP servers are called "${twice}", so their tools would have the same names. Rename one.`,
    )
}
