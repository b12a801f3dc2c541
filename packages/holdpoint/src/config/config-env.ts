/** What the operator of a service offers to authors of configurations. They can use only these things, by name. */
import type { CompileJsonSchema, Model, Plugin } from '@holdpoint/core'
import type { Secrets } from './env-secrets.ts'
import type { SchemaChecks } from '../json-schema/schema-checks.ts'

export interface ConfigEnv {
  /** The models, by the name that configurations use. */
  readonly models?: Readonly<Record<string, Model>>
  /** The tenant of the configuration. Secrets are looked up for this tenant, not for the caller. */
  readonly tenant?: string
  /**
   * Called whenever a call needs a secret: `{ "$secret": "NAME" }` as the value of a header. The author of a
   * configuration chooses both the name and the host that it is sent to, so return only secrets of that tenant:
   * from a vault by tenant, or with `envSecrets`.
   */
  readonly secrets?: Secrets
  /** `mcpServers` of `@holdpoint/mcp`. Without it, configurations cannot use MCP servers. */
  readonly mcp?: {
    pluginFor(
      tenant: string,
      servers: readonly unknown[],
      offer?: { readonly compile?: CompileJsonSchema; readonly secrets?: Secrets },
    ): Plugin
  }
  /** The most model calls per turn. A new configuration with more is refused; an older one is limited to this number. */
  readonly maxSteps?: number
  /**
   * For configurations from untrusted authors: from `schemaChecks()`. Their schemas are then compiled and used in another thread.
   * Without it, the main thread does that, as for tools in code.
   */
  readonly schemas?: SchemaChecks
  /** Hosts in the operator's own network that `gateway` tools may call: `orders.internal`, or with a port. */
  readonly privateHosts?: readonly string[]
}
