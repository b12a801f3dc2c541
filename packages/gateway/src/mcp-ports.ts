/**
 * The part of `@holdpoint/mcp` that the gateway uses, as interfaces. So MCP stays an optional dependency, and a program
 * can provide its own implementation.
 */
import type { Principal } from '@holdpoint/core'
import type { Runtime } from '@holdpoint/spaces'

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
  /** Our tools and agents as an MCP server at `/mcp`: from `createMcpServer()`. */
  readonly ownServer?: {
    fetch(
      request: Request,
      caller: {
        readonly tenant: string
        readonly id: string
        readonly by: string
        readonly principal: Principal
        readonly runtime: Runtime
        readonly resolves: boolean
        readonly closing: AbortSignal
        readonly problem: (error: unknown) => void
      },
      body?: unknown,
    ): Promise<Response>
  }
}
