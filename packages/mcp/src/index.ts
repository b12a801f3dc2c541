export { mcpServers, type AcceptResult, type McpServers, type McpServersOptions } from './client/mcp-servers.ts'
export { type McpCommandConfig, type McpServerConfig } from './client/server-config.ts'
export { type McpServerStatus, type McpToolStatus } from './client/server-status.ts'
export { type Difference } from './client/tool-definition.ts'
export {
  createMcpServer,
  type McpCaller,
  type OwnMcpServer,
  type OwnMcpServerOptions,
} from './server/create-mcp-server.ts'
