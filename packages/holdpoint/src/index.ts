export { agent } from './agent.ts'
export { backup, backupWords, markRestored, restore } from './backup.ts'
export { repair, type RepairRequest } from './repair.ts'
export { agentFromConfig, checkAgentConfig, type AgentConfig } from './config/agent-config.ts'
export { type ConfigEnv } from './config/config-env.ts'
export { envSecrets, type Secrets } from './config/env-secrets.ts'
export { schemaChecks, type SchemaChecks, type SchemaChecksOptions } from './json-schema/schema-checks.ts'
export { withoutSecrets } from './config/secrets.ts'
export { toolFromConfig, type ToolConfig } from './config/tool-config.ts'
export { readCellsConfig, type CellsConfig } from './cells/cells-config.ts'
export { openCells, type Cells, type OpenCellsOptions } from './cells/open-cells.ts'
export type { MovedTenant, MoveOptions } from './cells/move-tenant.ts'
export { holdpoint, type HoldpointOptions } from './holdpoint.ts'
export { openStore, type OpenStoreOptions } from './open-store.ts'
export { storeCommand } from './store-command.ts'
export { chainLines } from './chain-lines.ts'
export { signingKey, signingKeyBeside } from './signing-key.ts'
export { verifyExport, type ExportReport, type VerifyExportOptions } from './verify-export.ts'
export { fingerprintsOf, verifySignedHead, type VerifiedHead } from './verify-signed-head.ts'
export { memoryStore } from './memory-store.ts'
export { internalTool, tool } from './tool.ts'
export { guardedFetch } from './http-tool/guarded-fetch.ts'
export { type GuardedFetch, type GuardedFetchOptions } from './http-tool/guarded-fetch-options.ts'
export { httpTool } from './http-tool/http-tool.ts'
export { type HttpToolResult, type HttpToolOptions } from './http-tool/http-tool-options.ts'
export { aiSdkModel, type AiSdkModelOptions } from '@holdpoint/models'
export { nodePorts } from './node-ports.ts'
export {
  ask,
  askUser,
  definePlugin,
  halt,
  HoldpointError,
  holdsOf,
  later,
  messagesOf,
  ModelError,
  ruleWords,
  service,
  Services,
  systemScope,
  estimateTokens,
  toolError,
  turnsOf,
  viewOf,
  withJsonSchema,
} from '@holdpoint/core'
export { callsTo, chat, QuotaExceeded, replayReport, Session, step, stream } from '@holdpoint/runtime'
export { Runtime, verifyStore, type RepairedLog } from '@holdpoint/spaces'
export type {
  Address,
  Agent,
  AgentOptions,
  ApprovalRequest,
  Approvers,
  AuditOptions,
  AuditRecord,
  Author,
  Budget,
  CallHook,
  CallOutcome,
  CallStatus,
  Condition,
  ContextOptions,
  ConversationLine,
  ConversationRow,
  Duration,
  Executor,
  Explanation,
  FailureCode,
  Frame,
  Delegation,
  Hold,
  HoldComment,
  HoldKind,
  HookContext,
  Hooks,
  Json,
  JsonObject,
  LeftOut,
  LogEvent,
  MessageHook,
  Model,
  ModelPart,
  ModelRequest,
  OnLost,
  OnToolError,
  OutcomeEncoder,
  Page,
  Plugin,
  Ports,
  Principal,
  PromptMessage,
  ReplyHook,
  Resolution,
  ResolveResult,
  Rule,
  RuleDecision,
  RuleText,
  HeadStatement,
  SignedHead,
  Signer,
  Scope,
  Store,
  StreamHook,
  TokenCounter,
  Tool,
  ToolContext,
  UserPart,
  Verdict,
  Verified,
  View,
  ViewMessage,
  Window,
} from '@holdpoint/core'
export type {
  Asker,
  BacktestResult,
  MessageTaken,
  CallTo,
  CancelResult,
  ChatResult,
  HeldCall,
  HoldOptions,
  KnownCall,
  ListedConversation,
  ListFilter,
  MarkedRestored,
  Comparison,
  Difference,
  ForkOptions,
  ForkResult,
  ReplayedTurn,
  ReplayOptions,
  ReplayReport,
  TurnDecisions,
  ImportOptions,
  ImportResult,
  PendingFilter,
  NewHold,
  PendingHold,
  Problem,
  QuotaName,
  QuotaReached,
  Quotas,
  QuotaUsage,
  ResolveOptions,
  RuleResult,
  RuntimeCallback,
  RuntimeEvents,
  RuntimeSendOptions,
  SendOptions,
  SessionData,
  SessionStatus,
  SigningKey,
  StreamItem,
  TurnResult,
} from '@holdpoint/runtime'
