export { paths } from './paths.ts'
export { decodeClientTools, encodeClientTools, wrongWithClientTools } from './client-tools.ts'
export {
  isProblem,
  problem,
  PROBLEM_TYPE,
  problemOfVerdict,
  statusOf,
  type BadVerdict,
  type GatewayCode,
  type Problem,
  type ProblemCode,
} from './problem.ts'
export type {
  AgentBody,
  AgentRow,
  CallResultBody,
  ClaimBody,
  ClaimedCall,
  CreateConversation,
  CreatedKey,
  CreateKey,
  CreateSpaceBody,
  HoldsQuery,
  JoinBody,
  KeyRow,
  LifeBody,
  ListOf,
  PostBody,
  PostedBody,
  ProgressBody,
  ReadBody,
  Resolved,
  ResolveBody,
  Scope,
  SendMessage,
  Sent,
  SentResult,
  SpaceResultBody,
  ToolResult,
  TriggerBody,
  Triggered,
  ToolRow,
  WorkerRow,
} from './bodies.ts'
export { encodeRetry, encodeSse, SSE_HEARTBEAT, type SseMessage } from './sse.ts'
export { SseDecoder, type DecodedSse } from './sse-decoder.ts'
export { decodeStream, encodeStream, type StreamMessage } from './stream.ts'
