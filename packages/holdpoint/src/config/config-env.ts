/** What the operator of a service offers to those who write configuration for it. They choose by name, and get no more. */
import type { Model, Plugin } from '@holdpoint/core'

export interface ConfigEnv {
  /** The models there are, by the names that an agent's configuration says. */
  readonly models?: Readonly<Record<string, Model>>
  /** Whose configuration it is. Secrets are theirs, whoever talks to the agent. */
  readonly tenant?: string
  /** Asked for a secret whenever a call needs it: `{ "$secret": "NAME" }` as the value of a header. */
  readonly secrets?: (tenant: string, name: string) => string | undefined | Promise<string | undefined>
  /** MCP servers of an agent's own, from `mcpServers()` of `@holdpoint/mcp`. Without it, agents cannot bring any. */
  readonly mcp?: { pluginFor(tenant: string, servers: readonly unknown[]): Plugin }
  /** Hosts in the operator's own network that `gateway` tools may call: `orders.internal`, or with a port. */
  readonly privateHosts?: readonly string[]
}
