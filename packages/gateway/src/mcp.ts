/**
 * MCP as the gateway sees it: what `@holdpoint/mcp` gives, by its shape. Who does not use MCP does not install it, and
 * whoever brings something else of that shape may.
 */
import type { Runtime } from '@holdpoint/core'

export interface McpPorts {
  /** The MCP servers that agents use: from `mcpServers()`. */
  readonly servers?: {
    status(tenant: string): Promise<readonly object[]>
    accept(where: {
      readonly tenant: string
      readonly server: string
      readonly tool: string
      readonly fingerprint: string
    }): Promise<'accepted' | 'unknown' | 'changed-again'>
  }
  /** Our tools and agents as an MCP server at `/mcp`: from `mcpFace()`. */
  readonly face?: {
    fetch(
      request: Request,
      caller: {
        readonly tenant: string
        readonly by: string
        readonly runtime: Runtime
        readonly resolves: boolean
        readonly closing: AbortSignal
        readonly problem: (error: unknown) => void
      },
      body?: unknown,
    ): Promise<Response>
  }
}
