export { type Json, type JsonObject, canonical, isObject, parseJson, describeValue, sameJson, toJson } from './json.ts'
export { sha256 } from './sha256.ts'
export { isDuration, milliseconds, type Duration } from './duration.ts'
export { HoldpointError, messageOf, messageWithCauses, type FailureCode } from './failure.ts'
export { type Checked, type CompileJsonSchema, type NextTime, type Ports } from './ports.ts'

export { DEFAULT_TIMEOUTS, toolDefiner, type DefineTool, type Tool } from './tool/tool.ts'
export type {
  Approval,
  ApprovalRequest,
  Approvers,
  Executor,
  HumanToolOptions,
  ManualToolOptions,
  OnLost,
  OnLostPolicy,
  ProviderToolOptions,
  RemoteToolOptions,
  Retention,
  ServerToolOptions,
  Verified,
} from './tool/tool-options.ts'
export { isLookAlikeName } from './look-alike-name.ts'
export { systemScope, type Resumption, type Scope, type ToolContext } from './tool/context.ts'
export {
  ask,
  askUser,
  halt,
  later,
  toolError,
  type HandlerResult,
  type Later,
  type Question,
} from './tool/handler-result.ts'
export { definitionOf, type ToolDefinition } from './tool/definition.ts'
export { timedOut, type CallOutcome, type OutcomeCode, type OutcomeError } from './tool/outcome.ts'
export { withJsonSchema, type AnySchema, type Infer, type Schema, type StandardSchema } from './tool/schema.ts'
export { vendorName } from './tool/name.ts'

export {
  type EndReason,
  type EventBody,
  type NewEvent,
  type FailedAttempt,
  type LogEvent,
  type OutputPlan,
  type Shown,
  type TurnHalt,
  type TurnLimits,
} from './log/log-event.ts'
export {
  authorIdOf,
  requestersOf,
  firedItems,
  type Author,
  type Inbound,
  type InboxEvent,
  type InboxItem,
  type Requesters,
  type UserMessage,
  type UserPart,
} from './log/message.ts'
export { type Erasure } from './turn/erased.ts'
export { decodeBatch, encodeBatch, logged, type Batch } from './log/batch.ts'
export { type ConversationLine } from './log/conversation-line.ts'
export { CHAIN_FORMAT, CHAIN_VERSION, type BatchLine, type ChainLine } from './log/chain-line.ts'
export {
  headText,
  readHeadText,
  signHead,
  type HeadStatement,
  type SignedHead,
  type Signer,
} from './log/signed-head.ts'
export { appendText, chainText, following, NO_HASH, type Following, type Head } from './log/chain.ts'
export { fromSortableId, sortableIdRange, toSortableId, type SortableIdRange } from './log/sortable.ts'
export {
  logRepairOf,
  type LogRepair,
  type RepairableStore,
  type RepairGuard,
  type WholeBatch,
} from './log/log-repair.ts'
export { tenantRowsOf, type LogRow, type MovableStore, type TenantRows } from './log/tenant-rows.ts'
export type { FileFacts, FileStore, StoredBytes, StoredBytesQuery } from './log/file-store.ts'
export { memoryStore, type MemoryStoreOptions } from './log/memory-store.ts'
export type {
  Address,
  Append,
  Appended,
  ConversationRow,
  ConversationStatus,
  Derived,
  Document,
  DocumentsQuery,
  Due,
  DueQuery,
  HoldRow,
  ListQuery,
  Loaded,
  Note,
  NotesQuery,
  Page,
  PendingQuery,
  PendingRow,
  Put,
  PutResult,
  Store,
  TenantUsage,
  WalkedConversation,
} from './log/store.ts'
export { type Frame } from './live/frame.ts'
export { isSpaceFrame, type SpaceFrame } from './log/space-frame.ts'
export { applyEvent, emptyView, viewOf, withEarlier } from './live/view.ts'
export { applyFrame } from './live/view-live.ts'
export { messagesOf, partsOfStep, type ViewMessage, type ViewPart } from './live/view-messages.ts'
export { holdsOf, turnsOf } from './live/view-turns-and-holds.ts'
export type {
  StreamingPart,
  View,
  ViewCall,
  ViewHold,
  ViewLive,
  ViewResolved,
  ViewStep,
  ViewStreaming,
  ViewTurn,
} from './live/view-shape.ts'

export {
  isSpaceEvent,
  memberKey,
  type Member,
  type Role,
  type SpaceEvent,
  type ShownHold,
  type ToolFailure,
} from './log/space-event.ts'
export { hasWork } from './log/machine.ts'
export type {
  Bounds,
  Condition,
  Rule,
  RuleDecision,
  RuleEffect,
  RuleRef,
  RuleScope,
  RuleText,
  RuleUse,
} from './rule/rule.ts'
export { isInForce } from './rule/rule.ts'
export { ruleWords } from './rule/rule-words.ts'
export { checkRule, type CheckedRule } from './rule/check-rule.ts'
export {
  findingBy,
  judgeByRules,
  strictestFinding,
  type CallFacts,
  type Finding,
  type JudgedByRules,
} from './rule/judge-by-rules.ts'
export { hasParentPart } from './rule/fits-all.ts'
export { type RuleEvaluator } from './rule/rule-evaluator.ts'
export { pointerParts, toPointer, valuesAt } from './rule/pointer.ts'
export type { Decided } from './rule/recorded-calls.ts'
export { type Cron, type Missed, type Plan } from './plan/plan.ts'
export { type PlanMade, type PlanRequest } from './plan/plan-request.ts'
export { type PlanAccess } from './plan/plan-access.ts'
export { agentLogId, agentOfLog } from './log/agent-log.ts'

export { evolve, fold, next } from './turn/turn.ts'
export { type WhileBusy } from './turn/decide.ts'
export { type Refusal } from './turn/decision.ts'
export { type CallStatus } from './turn/call-status.ts'
export { type ResolveResult, type Verdict } from './turn/verdict.ts'
export { isNamedIn, type Authentication, type Delegation, type Principal } from './principal.ts'
export { evidenceOf, type Evidence, type EvidenceAnswer, type EvidenceHold } from './audit/evidence.ts'
export { type HoldRights } from './turn/hold-rights.ts'
export {
  type Endorsement,
  type Hold,
  type HoldComment,
  type HoldKind,
  type OnExpire,
  type Resolution,
  type Resolved,
} from './turn/hold.ts'
export { emptyConversation, type Call, type Conversation, type Effect, type Turn } from './turn/turn-state.ts'

export {
  ModelError,
  type FileData,
  type Model,
  type ModelPart,
  type CacheHints,
  type ModelRequest,
  type ModelSettings,
  type ModelStream,
  type OutputSpec,
  type ToolSpec,
} from './model/model.ts'
export { renderPrompt, type PromptMessage, type PromptPart, type PromptResult } from './prompt/prompt.ts'
export { encodeOutcome, type OutcomeEncoder } from './model/encode-outcome.ts'
export { type CallPart, type Finish, type ProviderData, type Reply, type ReplyPart, type Usage } from './model/reply.ts'

export { definePlugin, type Plugin, type PluginOptions, type Prepare, type Setup } from './plugin/plugin.ts'
export { service, Services, type ServiceClass, type ServiceKey } from './plugin/services.ts'
export { type StateAccess } from './plugin/state.ts'

export { defineAgent, type Agent, type AgentOptions, type OnToolError, type StopWhen } from './agent/agent.ts'
export { type OutputRequest } from './agent/output.ts'
export { type RetryPolicy } from './model/retry.ts'
export {
  type Budget,
  type ContextOptions,
  type SummarizeOptions,
  type TokenCounter,
  type Window,
} from './context/context-options.ts'
export { estimateTokens } from './context/count.ts'
export { type Sizes } from './context/assemble.ts'
export { type Summary } from './context/summary.ts'
export { addAdminEntry, listAdminEntries, type AdminEntryContent } from './audit/add-admin-entry.ts'
export { adminEntryHash, firstBrokenAdminEntry, type AdminEntry } from './audit/admin-entry.ts'
export { type AuditOptions, type AuditRecord } from './audit/audit.ts'
export { type ExplainedCall } from './audit/explain-call.ts'
export { type ExplainedStep, type Explanation, type LeftOut, type Seen } from './audit/explain.ts'
export {
  type CallHookResult,
  type CallContext,
  type CallHook,
  type HookContext,
  type Hooks,
  type MessageHookResult,
  type MessageContext,
  type MessageHook,
  type ParallelHooks,
  type ReplyHookResult,
  type ReplyContext,
  type ReplyHook,
  type StreamHook,
  type StreamTransform,
} from './hooks/hooks.ts'
