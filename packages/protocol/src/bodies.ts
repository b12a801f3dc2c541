/** What is sent and what comes back. The gateway checks what it is sent against schemas of the same shape. */
import type {
  Executor,
  HoldKind,
  Json,
  JsonObject,
  LifeView,
  Member,
  ResolveAnswer,
  Resolution,
  Role,
  TurnResult,
  UserPart,
  WhileBusy,
} from '@holdpoint/core'

/** `next` is what to ask on with, as `after`; not there on the last page. */
export interface ListOf<T> {
  readonly items: readonly T[]
  readonly next?: string
}

export type Scope = 'admin' | 'agent' | 'worker' | 'resolver' | 'reader'

/** An agent as plain JSON: what it is, without any code. */
export interface AgentBody {
  readonly name: string
  readonly [setting: string]: Json
}

export interface AgentRow {
  readonly name: string
  /** `code`: part of the program, and not to be changed from outside. */
  readonly source: 'code' | 'config'
  /** Counts the changes; give it as `version` with an update to change only what you saw. */
  readonly version?: number
  readonly config?: JsonObject
  /** What it is made of: of those that are code, and of one that is asked for by its name. */
  readonly model?: string
  readonly instructions?: string
  readonly tools?: readonly ToolRow[]
  /** What exactly the model is sent is kept for a while. */
  readonly audited?: true
}

export interface ToolRow {
  readonly name: string
  readonly description: string
  readonly executor: Executor
  /** Whether somebody may have to agree before it runs; independent of who runs it. */
  readonly approval: 'auto' | 'gated'
  readonly timeoutMs: number
  readonly async: boolean
  readonly streaming: boolean
  readonly visible: boolean
  readonly input: JsonObject
}

/** A worker that was heard of lately. */
export interface WorkerRow {
  readonly id: string
  /** Whose credential it has. */
  readonly by: string
  readonly tools: readonly string[]
  /** When this gateway first heard of it. */
  readonly since: number
  readonly seenAt: number
}

export interface CreateConversation {
  readonly id?: string
  readonly agent?: string
  readonly by?: string
}

export interface SendMessage {
  readonly content: string | readonly UserPart[]
  readonly agent?: string
  readonly by?: string
  readonly whileBusy?: WhileBusy
  readonly maxSteps?: number
}

/** The message is durable. `turnId` is there once it has a turn, `result` when it was waited for and came in time. */
export interface Sent {
  readonly turnId?: string
  readonly repeated?: true
  readonly result?: SentResult
}

/** JSON has no `undefined`: what is not there is left out. */
export type SentResult = Omit<TurnResult, 'message' | 'output'> & { readonly message?: string; readonly output?: Json }

export type ResolveBody = Resolution & {
  /** Which of the call's holds is meant. */
  readonly hold?: number
  readonly by?: string
}

/** Only `accepted` and `duplicate`; every other verdict is a problem. */
export type Resolved = ResolveAnswer

export interface HoldsQuery {
  readonly conversationId?: string
  readonly callId?: string
  readonly agent?: string
  readonly tool?: string
  readonly kind?: HoldKind
  readonly expiresBefore?: number
  readonly after?: string
  readonly limit?: number
}

/** The conversation is needed only for a call that no longer waits, or that nobody here can find by its id. */
export type ToolResult = { readonly callId: string; readonly conversationId?: string; readonly by?: string } & (
  | { readonly result: Json }
  | { readonly error: string }
)

export interface ClaimBody {
  readonly tools: readonly string[]
  /** 1 unless said, 100 at most. */
  readonly max?: number
  /** How long the claim lasts without a word; a minute unless said. */
  readonly ttlMs?: number
  /** Seconds to wait for a call when there is none, 30 at most. */
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
  /** To be given with progress, result and release. */
  readonly claim: string
  /** When the claim ends unless something is heard of it. */
  readonly claimedUntil: number
}

export interface ProgressBody {
  readonly claim: string
  readonly value?: Json
  readonly ttlMs?: number
}

export type CallResultBody = { readonly claim: string } & ({ readonly result: Json } | { readonly error: string })

export interface CreateKey {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Milliseconds from now; for good unless said. */
  readonly ttlMs?: number
}

export interface KeyRow {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly createdAt: number
  readonly expiresAt?: number
}

/** `key` is shown this once. */
export interface CreatedKey extends KeyRow {
  readonly key?: string
}

export interface CreateSpaceBody {
  readonly id?: string
  readonly name: string
  /** So many messages of agents in a row wake others; 12 unless said. */
  readonly agentMessages?: number
  readonly members?: readonly { readonly member: Member; readonly role?: Role }[]
  /** The person who makes it, and is its first owner. */
  readonly by?: string
}

export interface PostBody {
  readonly text: string
  /** Whoever says it; the owner of the token unless said. */
  readonly from?: Member
  /** The seq of the message that it answers. */
  readonly replyTo?: number
}

/** The message is durable. `quiet`: it woke nobody. */
export interface PostedBody {
  readonly seq: number
  readonly quiet: boolean
  readonly repeated?: true
}

export interface JoinBody {
  /** `member` unless said. */
  readonly role?: Role
  /** The owner who wants it; whoever runs the system unless said. */
  readonly by?: string
}

export interface ReadBody {
  readonly upTo: number
  readonly member?: Member
}

/** The answer to a call that is shown in a space, from somebody who is in it. */
export type SpaceResultBody = { readonly callId: string; readonly from?: Member } & (
  | { readonly result: Json }
  | { readonly error: string }
)

export interface TriggerBody {
  /** Tells it from every other one, so that it is handled once. */
  readonly id?: string
  readonly name: string
  readonly data?: Json
  readonly by?: string
}

export interface Triggered {
  readonly id: string
  readonly repeated?: true
}

/** `inbox` has the oldest of what waits, `waiting` says how much that is in all. */
export interface LifeBody extends LifeView {
  readonly waiting: number
}

/** An MCP server that agents use. `new`: nobody has needed it yet. */
export interface McpServerRow {
  readonly name: string
  /** Its address, or the command that it is started with. */
  readonly at: string
  readonly transport: 'http' | 'stdio'
  readonly health: 'new' | 'ready' | 'away'
  readonly era?: 'modern' | 'legacy'
  readonly version?: string
  readonly lastError?: string
  readonly tools: readonly McpToolRow[]
  /** Tools of the server that are not offered, and why. */
  readonly refused: readonly { readonly name: string; readonly why: string }[]
}

export interface McpToolRow {
  /** As the model knows it, and as the server does. */
  readonly name: string
  readonly tool: string
  readonly description: string
  readonly fingerprint: string
  /** The server says something else of it than what was allowed: calls are held until that is accepted. */
  readonly changed?: {
    readonly fingerprint: string
    readonly changes: readonly { readonly field: string; readonly before: Json; readonly after: Json }[]
  }
}
