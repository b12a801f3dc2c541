export {
  mcpServers,
  type AcceptAnswer,
  type McpServers,
  type McpServersOptions,
} from './client/mcp-servers.ts'
export { type McpCommand, type McpServer } from './client/server-config.ts'
export { type McpServerStatus, type McpToolStatus } from './client/server-in-use.ts'
export { type Difference } from './client/definition.ts'
export { mcpFace, type McpCaller, type McpFace, type McpFaceOptions } from './server/mcp-face.ts'
