import { paths, type ListOf, type McpServerRow } from '@holdpoint/protocol'
import type { Http, RequestOptions } from './http.ts'

export interface Mcp {
  /** The MCP servers that agents use: how they are, what they offer, and what changed. */
  servers(options?: RequestOptions): Promise<ListOf<McpServerRow>>
  /** Somebody has seen what changed: what has this fingerprint is allowed from here on. */
  accept(server: string, tool: string, fingerprint: string, options?: RequestOptions): Promise<void>
}

export function mcpOf(http: Http): Mcp {
  return {
    servers: (options) => http.get(paths.mcpServers(), options),
    accept: (server, tool, fingerprint, options) => http.post(paths.mcpAccept(server, tool), { fingerprint }, options),
  }
}
