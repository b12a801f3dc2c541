export { connect, type Client } from './connect.ts'
export { type ConnectOptions, type Fetch, type RequestOptions } from './http.ts'
export { HoldpointHttpError } from './http-error.ts'
export { type Refused } from './answers.ts'
export { type Agents } from './agents.ts'
export { type Conversations, type SendAnswer, type SendOptions } from './conversations.ts'
export { type FollowOptions } from './follow.ts'
export { type Holds, type ResolveOptions } from './holds.ts'
export { type Keys } from './keys.ts'
export { type Mcp } from './mcp.ts'
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
export { type ClientCall, type ClientTool, type ClientToolContext, type ToolsOfClient } from './client-tools.ts'
export { type Calls, type ClaimLost } from './calls.ts'
export { worker, type Worker, type WorkerOptions } from './worker.ts'
export { type WorkerContext, type WorkerTool } from './worker-tool.ts'
export { firstWordsOf, holdsOf, isSpaceEvent, messagesOf, turnsOf } from '@holdpoint/core/view'
export type {
  SpaceMessage,
  SpaceView,
  SpaceWriting,
  StreamingPart,
  ToolMessage,
  View,
  ViewCall,
  ViewHold,
  ViewMessage,
  ViewPart,
  ViewStep,
  ViewTurn,
} from '@holdpoint/core/view'
export type {
  CallOutcome,
  Explanation,
  HoldKind,
  InboxEvent,
  Json,
  JsonObject,
  ListedConversation,
  LogEvent,
  Member,
  PendingHold,
  Plan,
  Resolution,
  ResolveAnswer,
  SpaceMember,
  SpaceRow,
} from '@holdpoint/core'
export type {
  AgentRow,
  HoldsQuery,
  CallerRow,
  KeyRow,
  AutonomousAgentBody,
  ListOf,
  McpServerRow,
  McpToolRow,
  Scope,
  ToolRow,
  WorkerRow,
} from '@holdpoint/protocol'
