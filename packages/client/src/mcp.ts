import { paths, type ListOf, type McpServerRow } from '@holdpoint/protocol'
import type { Http, RequestOptions } from './http.ts'

export interface Mcp {
  /** The MCP servers that agents use, with their state, tools, and changes to accept. */
  servers(options?: RequestOptions): Promise<ListOf<McpServerRow>>
  /** Accepts the definition with this fingerprint. Call it after a person has reviewed the change. */
  accept(server: string, tool: string, fingerprint: string, options?: RequestOptions): Promise<void>
}

export function mcpOf(http: Http): Mcp {
  return {
    servers: (options) => http.get(paths.mcpServers(), options),
    accept: (server, tool, fingerprint, options) => http.post(paths.mcpAccept(server, tool), { fingerprint }, options),
  }
}
