export { type LiveStream, type StreamItem, type Watch } from './session/live-stream.ts'
export { type ItemStream } from './subscribe/subscription.ts'
export { callsTo, type CallTo } from './session/calls-to.ts'
export { type HeldCall, type StepResult, type StopReason, type TurnResult } from './session/result.ts'
export { Session, type ChatResult, type SessionStatus } from './session/session.ts'
export type {
  AssignOptions,
  Content,
  HoldOptions,
  OpenSessionOptions,
  ResolveOptions,
  SendOptions,
} from './session/session-options.ts'
export { type MessageTaken, type TurnOfMessage } from './conversation/turn-of-message.ts'
export { type CancelResult } from './conversation/active-conversation.ts'
export { type SessionData } from './session/session-data.ts'
export { chat, step, stream } from './session/chat.ts'
export type { HandOverOptions, HandOverResult } from './runtime/hand-over.ts'
export type { KnownCall } from './runtime/known-call.ts'
export { QuotaExceeded, type QuotaName, type QuotaReached, type Quotas, type QuotaUsage } from './node/tenant-quotas.ts'
export { checkRuntimeOptions } from './runtime/check-runtime.ts'
export { readNews, removeNews, type NewsItem } from './node/put-news.ts'
export { Rules, type RevokeRuleOptions, type RuleFilter, type SaveRuleOptions } from './runtime/rules.ts'
export type { RuleRefusal, RuleResult } from './rules/rule-store.ts'
export type { BacktestDifference, BacktestOptions, BacktestResult } from './runtime/backtest.ts'
export type { ChainBody } from './runtime/export-chain.ts'
export type { SigningKey } from './node/head-signer.ts'
export { listDocument } from './runtime/erase.ts'
export { markRestored, type MarkedRestored } from './runtime/mark-restored.ts'
export { type Comparison, type Difference } from './replay/compare-turns.ts'
export { replayReport, type ReplayReport } from './replay/replay-report.ts'
export type { ReplayedTurn } from './replay/replay-turn.ts'
export type { FoundConversation, FoundEntry, SearchFilter, SearchOptions, SearchPage } from './runtime/search.ts'
export type { UsageFilter, UsagePage, UsageReportOptions } from './runtime/usage-report.ts'
export type { ModelUsage, PriceOf, ToolUsage } from './scan/log-usage.ts'
export type { RuntimeStatus } from './runtime/conversation-queries.ts'
export { CALL_STATES, type CallState } from './scan/log-entries.ts'
export type { DecidedCall, DecidedStep, TurnDecisions } from './replay/turn-decisions.ts'
export type { ReplayOptions } from './runtime/replay.ts'
export type { ObservedRun, Observer } from './drive/observer.ts'
export type { StoredFile } from './files/files.ts'
export { FileRefused, type FileLimits } from './files/file-refused.ts'
export { RuntimeFiles, type UploadOptions } from './runtime/runtime-files.ts'
export type { ForkOptions, ForkResult } from './runtime/fork.ts'
export type { ImportOptions, ImportResult } from './runtime/import-conversations.ts'
export type { RuntimeCallback, RuntimeEvents } from './runtime/callbacks.ts'
export type {
  Asker,
  EraseOptions,
  ListedConversation,
  ListFilter,
  PendingFilter,
  NewHold,
  PendingHold,
  Problem,
  RuntimeOptions,
  RuntimeSendOptions,
} from './runtime/runtime-options.ts'
