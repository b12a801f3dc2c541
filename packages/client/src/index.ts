export type { Files, UploadedFile, UploadLimits, UploadOptions } from './files.ts'
export { connect, type Client } from './connect.ts'
export { type ConnectOptions, type Fetch, type RequestOptions } from './http.ts'
export { HoldpointHttpError } from './http-error.ts'
export { type Refused } from './answers.ts'
export { type Agents } from './agents.ts'
export { type Conversations, type SendResult, type SendOptions } from './conversations.ts'
export { type EraseOptions } from './erase.ts'
export { type FollowOptions } from './follow.ts'
export {
  type HoldChanged,
  type HoldRow,
  type Holds,
  type HoldsFilter,
  type ResolvedOne,
  type ResolveOne,
  type ResolveOptions,
} from './holds.ts'
export { type Delegations, type People, type PersonSessions } from './people.ts'
export { type Keys } from './keys.ts'
export { type Channels, type Webhooks } from './channels.ts'
export { type Rules } from './rules.ts'
export { type AdminLog, type AdminLogCheck, type SigningKeys } from './admin-log.ts'
export { type Mcp } from './mcp.ts'
export { type Backlog, type NodeReport, type System, type SystemHealth } from './system.ts'
export { type ReplayedOne, type Replays, type ReplaysOptions } from './replays.ts'
export { replayReport, type ReplayReport } from '@holdpoint/runtime/internal/replay/replay-report'
export { type Usage, type UsageReport } from './usage.ts'
export { type PageQuery } from './page-query.ts'
export { type Connection } from './connection.ts'
export { LiveConversation, type LiveOptions } from './live-conversation.ts'
export { type Changes } from './changes.ts'
export { type Watched, type WatchedState } from './watched.ts'
export { LiveSpace, type LiveSpaceOptions } from './live-space.ts'
export {
  type PostOptions,
  type RefusedBySpace,
  type SpaceAnswerOptions,
  type SpaceChanged,
  type SpacePage,
  type Spaces,
} from './spaces.ts'
export { type ClientCall, type ClientTool, type ClientToolContext, type ClientToolSet } from './client-tools.ts'
export { type Calls, type ClaimLost } from './calls.ts'
export { worker, type Worker, type WorkerOptions } from './worker.ts'
export { type WorkerContext, type WorkerTool } from './worker-tool.ts'
export { isLookAlikeName, ruleWords, toPointer } from '@holdpoint/core'
export { firstMessageOf, holdsOf, isSpaceEvent, messagesOf, peopleInView, turnsOf } from '@holdpoint/core/view'
export type {
  StreamingPart,
  View,
  ViewCall,
  ViewHold,
  ViewMessage,
  ViewPart,
  ViewStep,
  ViewTurn,
} from '@holdpoint/core/view'
export type { SpaceMessage, SpaceView, SpaceWriting, ToolMessage } from '@holdpoint/spaces/view'
export type {
  CallOutcome,
  Endorsement,
  Evidence,
  EvidenceAnswer,
  EvidenceHold,
  Explanation,
  FileData,
  HoldKind,
  InboxEvent,
  Json,
  JsonObject,
  LogEvent,
  HoldRights,
  Member,
  Plan,
  Resolution,
  ResolveResult,
  Condition,
  RuleDecision,
  RuleText,
  UserPart,
} from '@holdpoint/core'
export type {
  BacktestDifference,
  BacktestResult,
  CallState,
  FoundConversation,
  FoundEntry,
  ListedConversation,
  ModelUsage,
  PendingHold,
  ReplayedTurn,
  SearchFilter,
  SearchPage,
  ToolUsage,
  UsageFilter,
  UsagePage,
} from '@holdpoint/runtime'
export type { SpaceMember, SpaceRow } from '@holdpoint/spaces'
export type {
  AgentRow,
  ChannelDeliveryRow,
  ChannelPreferencesBody,
  DevicesRow,
  PersonChannelsRow,
  WebhookDeliveryRow,
  WebhookRow,
  DelegationRow,
  HoldsQuery,
  CallerRow,
  ChangeParticipants,
  ConversationRights,
  CreateKey,
  KeyRow,
  AutonomousAgentBody,
  ListOf,
  McpServerRow,
  McpToolRow,
  Participants,
  ExportLine,
  PersonErased,
  PersonRow,
  PersonSessionRow,
  AdminEntry,
  RuleRow,
  SaveRule,
  Scope,
  ToolRow,
  WorkerRow,
} from '@holdpoint/protocol'
