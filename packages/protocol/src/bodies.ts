/** The request and response bodies of the HTTP API. The gateway validates requests with schemas of the same shape. */
import type {
  CallStatus,
  Executor,
  HoldKind,
  Json,
  JsonObject,
  Member,
  ResolveResult,
  Resolution,
  Role,
  UserPart,
  WhileBusy,
} from '@holdpoint/core'
import type { TurnResult } from '@holdpoint/runtime'
import type { AutonomousAgentView } from '@holdpoint/spaces'

/** A page. `next` is the cursor for `after`; absent on the last page. */
export interface ListOf<T> {
  readonly items: readonly T[]
  readonly next?: string
}

export type Scope = 'admin' | 'agent' | 'worker' | 'resolver' | 'reader' | 'conversations:read-all'

/** The definition of an agent as JSON. */
export interface AgentBody {
  readonly name: string
  readonly [setting: string]: Json
}

export interface AgentRow {
  readonly name: string
  /** `code`: defined in the program, and not changeable over HTTP. */
  readonly source: 'code' | 'config'
  /** Increases with each change. Send it as `version` with an update to avoid overwriting a newer change. */
  readonly version?: number
  readonly config?: JsonObject
  /** The model and tools: for agents from code, and when one agent is requested by name. */
  readonly model?: string
  readonly instructions?: string
  readonly tools?: readonly ToolRow[]
  /** The runtime stores the exact prompts for a while. */
  readonly audited?: true
}

export interface ToolRow {
  readonly name: string
  readonly description: string
  readonly executor: Executor
  /** `gated`: calls may need approval before they run; independent of the executor. */
  readonly approval: 'auto' | 'gated'
  readonly timeoutMs: number
  readonly async: boolean
  readonly streaming: boolean
  readonly visible: boolean
  readonly input: JsonObject
}

/** A worker that was seen recently. */
export interface WorkerRow {
  readonly id: string
  /** The name of its credential. */
  readonly by: string
  readonly tools: readonly string[]
  /** When this gateway first saw it. */
  readonly since: number
  readonly seenAt: number
}

export interface CreateConversation {
  readonly id?: string
  readonly agent?: string
  readonly by?: string
}

/** The people of a conversation. */
export interface Participants {
  /** The author of the first message. Left out where the log names none. */
  readonly owner?: string
  readonly participants: readonly string[]
  /** What the caller may do in the conversation. */
  readonly may: ConversationRights
  /** Display names by id. Left out when no person has one. */
  readonly names?: Readonly<Record<string, string>>
}

export interface ConversationRights {
  /** Send messages, cancel, continue. */
  readonly write: boolean
  /** Change the participants, or the owner. */
  readonly share: boolean
  /** Stop being a participant. */
  readonly leave: boolean
  readonly erase: boolean
}

export interface ChangeParticipants {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
  /** The new owner. The old owner stays as a participant. */
  readonly owner?: string
  /** The person that a key acts for. */
  readonly by?: string
}

export interface SendMessage {
  readonly content: string | readonly UserPart[]
  readonly agent?: string
  readonly by?: string
  readonly whileBusy?: WhileBusy
  readonly maxSteps?: number
}

/**
 * The message is durable. `turnId` is present once its turn has started, `result` when the turn ended within `wait`.
 */
export interface Sent {
  readonly turnId?: string
  readonly repeated?: true
  readonly result?: SentResult
}

/** JSON has no `undefined`: absent fields are left out. */
export type SentResult = Omit<TurnResult, 'message' | 'output'> & { readonly message?: string; readonly output?: Json }

export type ResolveBody = Resolution & {
  /** Which of the call's holds to resolve, from 1. */
  readonly hold?: number
  readonly by?: string
}

/** Only `accepted` or `duplicate`: every other verdict is a problem document. */
export type Resolved = ResolveResult

export interface HoldsQuery {
  readonly conversationId?: string
  readonly callId?: string
  readonly agent?: string
  readonly tool?: string
  readonly kind?: HoldKind
  readonly expiresBefore?: number
  /** `mine`: the caller may resolve it. `asked`: the caller asked for it. Default: all that the caller sees. */
  readonly view?: 'mine' | 'asked' | 'all'
  /** The person that a key acts for: `may` is about them. */
  readonly by?: string
  /** One of the caller's tenants. Default: its own. */
  readonly tenant?: string
  /** `all`: the holds of all tenants of the caller, each row with its `tenant`. */
  readonly tenants?: 'all'
  readonly after?: string
  readonly limit?: number
}

/** Without `assignee`, the hold is assigned to the caller. `null` removes the assignee. */
export interface AssignBody {
  readonly assignee?: string | null
  readonly hold?: number
  readonly by?: string
}

export interface CommentBody {
  readonly text: string
  readonly hold?: number
  readonly by?: string
}

/** Resolved calls are listed only with a `conversationId`. */
export interface CallsQuery {
  readonly status?: CallStatus
  readonly conversationId?: string
  readonly tool?: string
  readonly after?: string
  readonly limit?: number
}

/** `conversationId` is needed only when several conversations have a call with this id. */
export type ToolResult = { readonly callId: string; readonly conversationId?: string; readonly by?: string } & (
  | { readonly result: Json }
  | { readonly error: string }
)

export interface ClaimBody {
  readonly tools: readonly string[]
  /** Default: 1. At most 100. */
  readonly max?: number
  /** The claim expires after this time unless the worker renews it. Default: one minute. */
  readonly ttlMs?: number
  /** Seconds to wait when no call is open. At most 30. */
  readonly wait?: number
}

export interface ClaimedCall {
  readonly callId: string
  readonly conversationId: string
  readonly runId: string
  readonly name: string
  readonly input: Json
  readonly agent: string
  /** When the call itself expires. */
  readonly expiresAt: number
  /** Send it with progress, result and release. */
  readonly claim: string
  /** When the claim expires unless the worker renews it. */
  readonly claimedUntil: number
}

export interface ProgressBody {
  readonly claim: string
  readonly value?: Json
  readonly ttlMs?: number
}

export type CallResultBody = { readonly claim: string } & ({ readonly result: Json } | { readonly error: string })

export interface CreateSpaceBody {
  readonly id?: string
  readonly name: string
  /** How many messages of agents in a row wake other agents. Default: 12. */
  readonly agentMessages?: number
  readonly members?: readonly { readonly member: Member; readonly role?: Role }[]
  /** The person who creates the space and is its first owner. */
  readonly by?: string
}

export interface PostBody {
  readonly text: string
  /** The author. Default: the person of the token. */
  readonly from?: Member
  /** The seq of the message that this one answers. */
  readonly replyTo?: number
}

/** The message is durable. `quiet`: it woke no agent. */
export interface PostedBody {
  readonly seq: number
  readonly quiet: boolean
  readonly repeated?: true
}

export interface JoinBody {
  /** Default: `member`. */
  readonly role?: Role
  /** The owner who makes the change. A key may leave it out. */
  readonly by?: string
}

export interface ReadBody {
  readonly upTo: number
  readonly member?: Member
}

/** The answer of a member to a call that is visible in a space. */
export type SpaceResultBody = { readonly callId: string; readonly from?: Member } & (
  | { readonly result: Json }
  | { readonly error: string }
)

export interface TriggerBody {
  /** A unique id: an event with the same id is handled once. */
  readonly id?: string
  readonly name: string
  readonly data?: Json
  readonly by?: string
}

export interface Triggered {
  readonly id: string
  readonly repeated?: true
}

/** `inbox` has the oldest events, `waiting` is the number of all events in it. */
export interface AutonomousAgentBody extends AutonomousAgentView {
  readonly waiting: number
}

/** An MCP server that agents use. `new`: no agent has used it yet. */
export interface McpServerRow {
  readonly name: string
  /** Its URL, or the command that starts it. */
  readonly at: string
  readonly transport: 'http' | 'stdio'
  readonly health: 'new' | 'ready' | 'away'
  readonly era?: 'modern' | 'legacy'
  readonly version?: string
  readonly lastError?: string
  readonly tools: readonly McpToolRow[]
  /** Tools of the server that agents cannot use, and why. */
  readonly refused: readonly { readonly name: string; readonly why: string }[]
}

export interface McpToolRow {
  /** The name for the model; `tool` is the name on the server. */
  readonly name: string
  readonly tool: string
  readonly description: string
  readonly fingerprint: string
  /** The server added the tool after it was first listed. Its whole definition is in `changed`. */
  readonly isNew?: true
  /** The definition differs from the allowed one. Calls are held until the change is accepted. */
  readonly changed?: {
    readonly fingerprint: string
    readonly changes: readonly { readonly field: string; readonly before: Json; readonly after: Json }[]
  }
}
