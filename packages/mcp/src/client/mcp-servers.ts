/**
 * MCP servers as tools of agents. One client for each tenant, server and set-up, made when somebody needs it; nothing is
 * shared between tenants, not even a connection to the same server.
 */
import { definePlugin, HoldpointError, type Plugin, type Prepare, type Store, type Tool } from '@holdpoint/core'
import { LIMITS } from './limits.ts'
import { checkConfigServer, checkServer, type AnyServer, type McpCommand, type McpServer } from './server-config.ts'
import { ServerInUse } from './server-in-use.ts'
import type { McpServerStatus } from './server-status.ts'
import { Watch } from './watch.ts'

export interface McpServersOptions {
  /** The runtime's own: definitions that were allowed, and tasks that are under way, are kept there. */
  readonly store: Store
  /** Set up by whoever runs this, for every tenant. These may be in the operator's own network. */
  readonly servers?: readonly (McpServer | McpCommand)[]
  /** Asked for a secret whenever a request needs it: `{ $secret: 'NAME' }` as the value of a header. */
  readonly secrets?: (tenant: string, name: string) => string | undefined | Promise<string | undefined>
  /** Hosts in the operator's own network that servers of agents as JSON may be at: `tools.internal`, or with a port. */
  readonly privateHosts?: readonly string[]
  readonly now?: () => number
}

export type AcceptAnswer = 'accepted' | 'unknown' | 'changed-again'

export interface McpServers {
  /** For agents: the tools of all `servers`. */
  readonly plugin: Plugin
  /** For agents as JSON, which bring servers of their own. Throws when they are set up wrongly. */
  pluginFor(tenant: string, servers: readonly unknown[]): Plugin
  /** The servers a tenant can use, or has used: how they are, and what they offer. */
  status(tenant?: string): Promise<readonly McpServerStatus[]>
  /** Somebody has seen what changed: what the server says of the tool now is what was allowed from here on. */
  accept(where: {
    readonly tenant?: string
    readonly server: string
    readonly tool: string
    readonly fingerprint: string
  }): Promise<AcceptAnswer>
  close(): Promise<void>
}

const LOOK_MS = 60_000

export function mcpServers(options: McpServersOptions): McpServers {
  return new Servers(options)
}

class Servers implements McpServers {
  readonly plugin: Plugin
  readonly #options: McpServersOptions
  readonly #own: readonly AnyServer[]
  readonly #watch: Watch
  /** By tenant, and within it by how the server is set up. */
  readonly #inUse = new Map<string, Map<string, ServerInUse>>()
  readonly #timer: NodeJS.Timeout
  #closed = false

  constructor(options: McpServersOptions) {
    this.#options = options
    this.#own = (options.servers ?? []).map(checkServer)
    uniqueNames(this.#own)
    this.#watch = new Watch(options.store)
    this.#timer = setInterval(() => this.#rest(), LOOK_MS)
    this.#timer.unref()
    this.plugin = pluginOf(({ conversation }) =>
      this.#own.map((server) => this.#use(conversation.tenant, server, true)),
    )
  }

  pluginFor(tenant: string, servers: readonly unknown[]): Plugin {
    const checked = servers.map(checkConfigServer)
    uniqueNames([...this.#own, ...checked])
    return pluginOf(() => checked.map((server) => this.#use(tenant, server, false)))
  }

  async status(tenant = ''): Promise<readonly McpServerStatus[]> {
    for (const server of this.#own) this.#use(tenant, server, true)
    return Promise.all(Array.from(this.#inUse.get(tenant)?.values() ?? [], (each) => each.status()))
  }

  async accept({ tenant = '', server, tool, fingerprint }: Parameters<McpServers['accept']>[0]): Promise<AcceptAnswer> {
    await this.status(tenant)
    const found = Array.from(this.#inUse.get(tenant)?.values() ?? []).filter(({ name }) => name === server)
    const answers = await Promise.all(found.map((each) => each.accept(tool, fingerprint)))
    return answers.find((each) => each !== 'unknown') ?? 'unknown'
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    this.#watch.close()
    await Promise.all(this.#all().map((server) => server.close()))
  }

  #rest(): void {
    for (const server of this.#all()) void server.restIfIdle()
  }

  #all(): readonly ServerInUse[] {
    return [...this.#inUse.values()].flatMap((servers) => [...servers.values()])
  }

  #use(tenant: string, server: AnyServer, trusted: boolean): ServerInUse {
    if (this.#closed) throw new HoldpointError('closed', 'The MCP servers were closed.')
    const ofTenant = this.#inUse.get(tenant) ?? new Map<string, ServerInUse>()
    this.#inUse.set(tenant, ofTenant)
    const key = JSON.stringify(server)
    if (!trusted && !ofTenant.has(key)) this.#makeRoom(ofTenant)
    const { store, secrets, privateHosts = [], now = Date.now } = this.#options
    const made =
      ofTenant.get(key) ??
      new ServerInUse({
        server,
        tenant,
        store,
        secrets,
        privateHosts: trusted ? true : privateHosts,
        watch: this.#watch,
        now,
      })
    ofTenant.set(key, made)
    return made
  }

  /** Agents as JSON come and go, and each may have brought servers of its own. */
  #makeRoom(ofTenant: Map<string, ServerInUse>): void {
    const own = new Set(this.#own.map((server) => JSON.stringify(server)))
    const theirs = [...ofTenant].filter(([key]) => !own.has(key))
    if (theirs.length < LIMITS.serversInUse) return
    const [longest] = theirs.filter(([, { busy }]) => !busy).toSorted(([, a], [, b]) => a.usedAt - b.usedAt)
    if (!longest) return
    ofTenant.delete(longest[0])
    void longest[1].close()
  }
}

function pluginOf(servers: (prepare: Prepare<unknown>) => readonly ServerInUse[]): Plugin {
  return definePlugin({
    id: 'mcp',
    prepare: async (prepare) => {
      const found = await Promise.all(servers(prepare).map((server) => server.tools()))
      for (const tool of found.flat()) if (isNew(tool, prepare.tools)) prepare.tools.push(tool)
    },
  })
}

/** What an agent has of its own goes before what a server calls the same. */
function isNew({ name }: Tool, tools: readonly Tool[]): boolean {
  return tools.every((each) => each.name !== name)
}

function uniqueNames(servers: readonly AnyServer[]): void {
  const names = servers.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw new HoldpointError(
      'config-invalid',
      `Two MCP servers are called "${twice}". Their tools would be, too: rename one.`,
    )
}
