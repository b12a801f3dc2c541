/** The options of a session's methods. */
import type { UserPart } from '@holdpoint/core/internal/log/message'
import type { Store } from '@holdpoint/core/internal/log/store'
import type { Scope } from '@holdpoint/core/internal/tool/context'
import type { StandardSchema } from '@holdpoint/core/internal/tool/schema'
import type { Principal } from '@holdpoint/core/internal/principal'
import type { Tool } from '@holdpoint/core/internal/tool/tool'
import type { WhileBusy } from '@holdpoint/core/internal/turn/decide'
import type { HoldKind } from '@holdpoint/core/internal/turn/hold'
import type { OnToolError } from '@holdpoint/core/internal/agent/agent'
import type { Watch } from './live-stream.ts'
import type { OutputRequest } from '@holdpoint/core/internal/agent/output'

export interface SendOptions {
  readonly scope?: Scope
  /** The `traceparent` header of the request that brings the message. The turn's spans continue that trace. */
  readonly trace?: string
  /** Passed to tools. Default: a new id. */
  readonly requestId?: string
  readonly signal?: AbortSignal
  /** The author of the message: the id of a person, or a principal from authentication. */
  readonly by?: string | Principal
  /** An idempotency key, unique in the conversation: a message that is sent again with the same key is accepted once. */
  readonly key?: string
  /** `answer`: the message answers the open question of a tool. If there is none, the agent's `whileBusy` applies. */
  readonly whileBusy?: WhileBusy | 'answer'
  /**
   * More tools for this turn, in addition to those of the agent. The session keeps them until the next message. A session
   * that is opened again needs them in `Session.open`.
   */
  readonly tools?: readonly Tool[]
  /** For this turn, instead of the agent's. */
  readonly onToolError?: OnToolError
  readonly maxSteps?: number
  readonly output?: StandardSchema | OutputRequest
  readonly structuredFinalize?: boolean
  /** Called with each frame and event of the turn, as it happens. */
  readonly watch?: Watch
  /** Called with errors that are not in the log, such as the cause of a failed model call. Default: `ports.problem`. */
  readonly onProblem?: (error: unknown) => void
}

/** Options to assign a hold or to comment on it. */
export interface HoldOptions {
  readonly by: string | Principal
  /** The number of the hold (`nth`). Default: the open one. */
  readonly hold?: number
}

export interface AssignOptions extends HoldOptions {
  /** The kinds of hold that the caller may resolve: it may assign no other. Default: all kinds. */
  readonly kinds?: readonly HoldKind[]
}

export interface ResolveOptions {
  /** The number of the hold (`nth`), to resolve a call again that was held again. Default: the open one. */
  readonly hold?: number
  /** The person who answers: an id, or a principal with its groups, for holds that are for a group. */
  readonly by?: string | Principal
  /** The kinds of hold that the caller may resolve. The verdict on any other kind is `not-allowed`. Default: all kinds. */
  readonly kinds?: readonly HoldKind[]
  /** For plugins whose tools depend on the scope: an answer is checked against its tool. */
  readonly scope?: Scope
}

export type Content = string | readonly UserPart[]

/** Saved data, as returned by `JSON.parse`; or a store, with the id of a conversation in it. */
export type OpenSessionOptions = (
  | { readonly data?: unknown; readonly store?: never; readonly id?: string }
  | { readonly data?: never; readonly store: Store; readonly id: string }
) & {
  /** The tools that were given with the message of the open turn. */
  readonly tools?: readonly Tool[]
}
