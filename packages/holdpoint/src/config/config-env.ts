/** What the operator of a service offers to those who write configuration for it. They choose by name, and get no more. */
import type { CompileJsonSchema, Model, Plugin } from '@holdpoint/core'
import type { Secrets } from './env-secrets.ts'
import type { SchemaChecks } from '../json-schema/schema-checks.ts'

export interface ConfigEnv {
  /** The models there are, by the names that an agent's configuration says. */
  readonly models?: Readonly<Record<string, Model>>
  /** The tenant of the configuration. Secrets are looked up for this tenant, not for the caller. */
  readonly tenant?: string
  /**
   * Asked for a secret whenever a call needs it: `{ "$secret": "NAME" }` as the value of a header. The author of a
   * configuration chooses both the name and the host that it is sent to, so answer only for secrets of that tenant:
   * from a vault by tenant, or with `envSecrets`.
   */
  readonly secrets?: Secrets
  /** MCP servers of an agent's own, from `mcpServers()` of `@holdpoint/mcp`. Without it, agents cannot bring any. */
  readonly mcp?: {
    pluginFor(
      tenant: string,
      servers: readonly unknown[],
      offer?: { readonly compile?: CompileJsonSchema; readonly secrets?: Secrets },
    ): Plugin
  }
  /** Model calls per turn that an agent may say at most. A new one that says more is refused, an older one gets so many. */
  readonly maxSteps?: number
  /**
   * Where strangers write the configuration: from `schemaChecks()`. Their schemas are then compiled and checked off the
   * main thread. Without it that is done on the main thread, as for tools in code.
   */
  readonly schemas?: SchemaChecks
  /** Hosts in the operator's own network that `gateway` tools may call: `orders.internal`, or with a port. */
  readonly privateHosts?: readonly string[]
}
