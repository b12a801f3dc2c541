export { paths } from './paths.ts'
export { decodeClientTools, encodeClientTools, clientToolsError } from './client-tools.ts'
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
  AssignBody,
  CallResultBody,
  CallsQuery,
  ClaimBody,
  ClaimedCall,
  CommentBody,
  CreateConversation,
  CreateSpaceBody,
  HoldsQuery,
  JoinBody,
  AutonomousAgentBody,
  McpServerRow,
  McpToolRow,
  ListOf,
  PostBody,
  PostedBody,
  ProgressBody,
  ReadBody,
  Resolved,
  ResolveBody,
  Scope,
  ChangeParticipants,
  ConversationRights,
  Participants,
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
export type {
  CallerRow,
  CreateKey,
  CreatedKey,
  DelegationRow,
  DelegationsQuery,
  ExportLine,
  KeyRow,
  PersonRow,
  ErasePerson,
  PersonErased,
  PersonSessionRow,
} from './people-bodies.ts'
export type { ChangeRule, RuleRow, RulesFilter, RunBacktest, SaveRule } from './save-rule.ts'
export { adminEntryHash, firstBrokenAdminEntry, type AdminEntry } from './admin-entry.ts'
export { encodeRetry, encodeSse, SSE_HEARTBEAT, type SseMessage } from './sse.ts'
export { SseDecoder, type DecodedSse } from './sse-decoder.ts'
export { decodeStream, encodeStream, type StreamMessage } from './stream.ts'
