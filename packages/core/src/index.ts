export { type Json, type JsonObject, canonical, isObject, parseJson, show, toJson } from './json.ts'
export { isDuration, milliseconds, type Duration } from './duration.ts'
export { HoldpointError, messageOf, messageWithCauses, type FailureCode } from './failure.ts'
export { type Checked, type CompileJsonSchema, type NextTime, type Ports } from './ports.ts'

export { DEFAULT_TIMEOUTS, toolDefiner, type DefineTool, type Tool } from './tool/tool.ts'
export type {
  Approval,
  ApprovalRequest,
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
export { sameName } from './same-name.ts'
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
  type FailedAttempt,
  type LogEvent,
  type OutputPlan,
  type Placed,
  type Shown,
  type TurnHalt,
  type TurnLimits,
} from './log/log-event.ts'
export {
  firedItems,
  type Author,
  type Inbound,
  type InboxEvent,
  type InboxItem,
  type UserMessage,
  type UserPart,
} from './log/message.ts'
export { decodeBatch, encodeBatch, type Batch } from './log/batch.ts'
export { fromSortable, sortableRange, toSortable, type SortableRange } from './log/sortable.ts'
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
  PutAnswer,
  Store,
} from './log/store.ts'
export { type Frame } from './live/frame.ts'
export { isSpaceFrame, type SpaceFrame } from './log/space-frame.ts'
export { applyEvent, emptyView, viewOf, withEarlier } from './live/view.ts'
export { applyFrame } from './live/view-live.ts'
export { messagesOf, type ViewMessage, type ViewPart } from './live/view-messages.ts'
export { holdsOf, turnsOf } from './live/view-select.ts'
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
export { applySpaceEvent, applySpaceFrame, emptySpaceView, spaceViewOf } from './space/space-view.ts'
export { type SpaceMessage, type SpaceView, type ToolMessage } from './space/space-view.ts'
export { written, wrote, type SpaceWriting } from './space/space-writing.ts'
export { type Space, type SpaceMember } from './space/space.ts'
export { spaceMachine, type SpaceEffect, type SpaceState } from './space/space-machine.ts'
export { conversationMachine } from './turn/conversation-machine.ts'
export { hasWork, type Machine, type MachineEffect, type MachineState } from './log/machine.ts'
export { type SpaceRefusal } from './space/decide-space.ts'
export { type Cron, type Missed, type Plan } from './plan/plan.ts'
export { type PlanMade, type PlanRequest } from './plan/plan-request.ts'
export { type PlanAccess } from './plan/plan-access.ts'
export { agentLogId, agentOfLog } from './log/agent-log.ts'
export { type Autonomy } from './loop/autonomy.ts'
export { type Note as MindNote } from './life/self-tools.ts'

export { evolve, fold, next } from './turn/turn.ts'
export {
  decideCancel,
  decideExpire,
  decideFire,
  decideQueued,
  decideSend,
  type Decision,
  type Refusal,
  type Send,
  type TurnPlan,
  type WhileBusy,
} from './turn/decide.ts'
export {
  callStatus,
  decideResolve,
  type CallStatus,
  type Resolve,
  type ResolveAnswer,
  type ResolveDecision,
  type Verdict,
} from './turn/resolve.ts'
export { type Hold, type HoldKind, type OnExpire, type Resolution, type Resolved } from './turn/hold.ts'
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

export { defineAgent, type Agent, type AgentOptions, type OnToolError, type StopWhen } from './loop/agent.ts'
export { type OutputRequest } from './loop/output.ts'
export { type RetryPolicy } from './model/retry.ts'
export { type LiveStream, type StreamItem, type Watch } from './loop/live-stream.ts'
export { callsTo, type CallTo } from './loop/calls-to.ts'
export { type HeldCall, type StepResult, type StopReason, type TurnResult } from './loop/result.ts'
export { Session, type ChatResult, type SessionStatus } from './loop/session.ts'
export type { Content, OpenFrom, ResolveOptions, SendOptions } from './loop/session-options.ts'
export { type Begun } from './loop/begun.ts'
export { type CancelAnswer } from './loop/active-conversation.ts'
export { type SessionData } from './loop/session-data.ts'
export { chat, step, stream } from './loop/chat.ts'
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
export { type AuditOptions, type AuditRecord } from './audit/audit.ts'
export { type ExplainedStep, type Explanation, type LeftOut, type Seen } from './audit/explain.ts'
export {
  type CallAnswer,
  type CallContext,
  type CallHook,
  type HookContext,
  type Hooks,
  type MessageAnswer,
  type MessageContext,
  type MessageHook,
  type ParallelHooks,
  type ReplyAnswer,
  type ReplyContext,
  type ReplyHook,
  type StreamHook,
  type StreamTransform,
} from './hooks/hooks.ts'

export type { KnownCall } from './runtime/known-call.ts'
export { Runtime } from './runtime/runtime.ts'
export { checkRuntimeOptions } from './runtime/check-runtime.ts'
export type { CreateSpace, Posted, PostOptions, SpaceRow, Spaces } from './runtime/spaces.ts'
export type { AutonomousAgents, AutonomousAgentView, Trigger } from './runtime/autonomous-agents.ts'
export { type SpaceAnswer } from './runtime/space-writer.ts'
export type {
  Asker,
  ListedConversation,
  ListFilter,
  PendingFilter,
  NewHold,
  PendingHold,
  Problem,
  RuntimeOptions,
  RuntimeSendOptions,
} from './runtime/runtime-options.ts'
