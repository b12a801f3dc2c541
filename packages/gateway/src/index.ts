export { agentConfig } from './agent-config.ts'
export { gateway, type Gateway } from './gateway.ts'
export type { AuthOptions, GatewayOptions, Limits, LogLine } from './gateway-options.ts'
export {
  documentsOf,
  memoryDocuments,
  type Doc,
  type DocsQuery,
  type Documents,
  type Put,
  type PutResult,
} from './documents.ts'
export { type TokenOptions } from './auth/tokens.ts'
export { serve, type Served, type ServeOptions } from './serve.ts'
export { type Peer } from './http/route.ts'
