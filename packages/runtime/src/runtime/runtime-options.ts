/** The options of a runtime, and the types of its queries and results. */
import type { Address, ConversationRow, ConversationStatus, Store } from '@holdpoint/core/internal/log/store'
import type { Agent } from '@holdpoint/core/internal/agent/agent'
import type { Duration } from '@holdpoint/core/internal/duration'
import type { Signer } from '@holdpoint/core/internal/log/signed-head'
import type { HeldCall } from '../session/result.ts'
import type { RuleEvaluator } from '@holdpoint/core/internal/rule/rule-evaluator'
import type { SendOptions } from '../session/session-options.ts'
import type { Ports } from '@holdpoint/core/internal/ports'
import type { Observer } from '../drive/observer.ts'
import type { FileLimits } from '../files/file-refused.ts'
import type { EraseAfter } from '../node/retention.ts'
import type { QuotaReached, Quotas } from '../node/tenant-quotas.ts'
import type { Scope } from '@holdpoint/core/internal/tool/context'
import type { Endorsement, HoldKind } from '@holdpoint/core/internal/turn/hold'
import type { HoldRights } from '@holdpoint/core/internal/turn/hold-rights'
import type { Principal } from '@holdpoint/core/internal/principal'
import type { HoldView } from './visible-holds.ts'

export interface RuntimeOptions {
  readonly store: Store
  readonly agents?: readonly Agent[]
  /**
   * For agents that are not known when the runtime opens; instead of `agents`, or in addition. It is called each time that an
   * idle conversation is used. Return the same object until the definition of the agent changes.
   */
  readonly agentFor?: (tenant: string, name: string) => Promise<Agent | undefined>
  readonly ports: Ports
  /**
   * Makes the scope that tools get from the author of a turn. It is called in each process that continues the turn, so tools
   * get the same scope in the process that runs an approved call next week.
   */
  readonly scope?: (asker: Asker) => Scope
  /** `false`: this process accepts messages and answers, and other processes drive. */
  readonly drive?: boolean
  /**
   * Writes news of holds and turns into the store's outbox, for channels and webhooks. It applies to turns that begin in this
   * process. Something must read the outbox: see `@holdpoint/channels`. Default: false.
   */
  readonly news?: boolean
  /** How long a lease lasts. Other processes take over from a process that has not renewed its lease for so long. Default: 15 s. */
  readonly leaseMs?: number
  /** How often this process looks for work without an owner. Default: every second. Deadlines do not depend on it. */
  readonly lookMs?: number
  /** How many idle conversations stay in memory, and for how long. Default: 100, and 30 s. */
  readonly keepIdle?: number
  readonly idleMs?: number
  /**
   * The shortest time between two firings of a cron line. Firings then move to the next full minute. Default: none;
   * `holdpoint()` sets one minute.
   */
  readonly planEveryMs?: number
  /**
   * What each tenant may store and use; with a function, by tenant. Default: no quotas. A message over a quota is refused
   * with `quota-exceeded`, and a model call over the quota waits for the next minute.
   */
  readonly quotas?: Quotas | ((tenant: string) => Quotas | undefined)
  /** Called each time that something is refused or delayed at a quota. Count it, to see it in your monitoring. */
  readonly onQuotaReached?: (reached: QuotaReached) => void
  /**
   * Conversations in which nothing happened for so long are erased: for all, or by tenant and agent. When the agent has an
   * `eraseAfter` too, the shorter time counts. Default: they stay.
   */
  readonly eraseAfter?: EraseAfter
  /** Which files are accepted in messages, and how long unused ones are kept. They count for the quota `storedBytes`. */
  readonly files?: FileLimits
  /**
   * Consults the rules of `runtime.rules` about each call: it may run, a person is asked, or it is denied. Each process of a store
   * must have the same setting. With an evaluator, such as `cedarEvaluator()`, it judges the rules instead of the built-in one. Default:
   * false, and rules cannot be saved.
   */
  readonly rules?: boolean | RuleEvaluator
  /**
   * The key of the installation, which signs the heads of logs: at intervals, and when a log is exported with its hashes. `every`:
   * 10 minutes by default. See `signingKey`. Default: no head is signed.
   */
  readonly signing?: { readonly key: Signer; readonly every?: Duration }
  /** Whether `close()` closes the store too. */
  readonly closeStore?: boolean
  /** How long `close()` waits for work under way. Default: 10 s. */
  readonly graceMs?: number
  /**
   * Called with errors that no caller gets: of work that is retried, or of a model, with the vendor's error as its `cause`.
   * Users read only that the model could not answer.
   */
  readonly onProblem?: (problem: Problem) => void
  /** Sees what this process writes. `@holdpoint/telemetry` makes one for OpenTelemetry. */
  readonly observer?: Observer
}

export interface Asker {
  readonly tenant: string
  readonly conversationId: string
  /** The author of the turn. */
  readonly by: string | undefined
  /** Set for an autonomous agent: a cycle may have many authors, so its tools get the agent's own scope. */
  readonly agent?: string
}

export interface Problem {
  readonly error: unknown
  readonly conversation?: Address
}

/**
 * Any process may continue the turn, so its tools and policies come with the agent, and its scope from the runtime's `scope`.
 * To watch a turn, use `subscribe`.
 */
export interface RuntimeSendOptions extends Omit<
  SendOptions,
  'scope' | 'watch' | 'requestId' | 'tools' | 'onToolError' | 'onProblem'
> {
  /** The agent of a new conversation. Default: the only one of `agents`. */
  readonly agent?: string
  /** For an agent with a `sender`, which refuses messages without it. */
  readonly sender?: symbol
}

export interface EraseOptions {
  readonly by?: string | Principal
  /** At most 1000 characters. It stays in the tombstone. */
  readonly reason?: string
  /** Erase although a turn is in progress or a call is held. */
  readonly cancel?: boolean
}

export interface PendingFilter {
  readonly conversationId?: string
  /** For a caller that knows the id of a call, but not its conversation. */
  readonly callId?: string
  readonly agent?: string
  readonly tool?: string
  readonly kind?: HoldKind
  /** Only holds with a deadline before this time. */
  readonly expiresBefore?: number
  /** `mine`: holds that `by` may resolve. `asked`: those of calls that `by` asked for. Default: all that `by` may see. */
  readonly view?: HoldView
  /** The caller. Without it, every hold. */
  readonly by?: string | Principal
  /** The kinds of hold that the caller may resolve, as for `resolve()`. Without it, every kind. */
  readonly kinds?: readonly HoldKind[]
  /** `next` of an earlier page. */
  readonly after?: string
  /** Default: 50. At most 1000. */
  readonly limit?: number
}

export interface ListFilter {
  readonly agent?: string
  /** Only conversations that this person owns or takes part in. */
  readonly participant?: string
  readonly status?: ConversationStatus
  readonly after?: string
  readonly limit?: number
}

/** A conversation in a list. */
export interface ListedConversation extends ConversationRow {
  /** The beginning of the first message; left out while there is none. */
  readonly firstMessage?: string
}

export interface PendingHold extends HeldCall {
  readonly conversationId: string
  readonly agent: string
  readonly heldAt: number
  /** The approvals of exactly this input, and on whose behalf. */
  readonly endorsed: readonly Endorsement[]
  /** How many more people must approve or answer. */
  readonly missing: number
  /** What the caller may do with it. Only in an answer to a caller. */
  readonly may?: HoldRights
}

/** A hold that was just made, in any tenant. */
export interface NewHold extends PendingHold {
  readonly tenant: string
}
