/** What a runtime is made of, and what can be asked of it. */
import type { Address, ConversationRow, ConversationStatus, Store } from '../log/store.ts'
import type { Agent } from '../loop/agent.ts'
import type { HeldCall } from '../loop/result.ts'
import type { SendOptions } from '../loop/session-options.ts'
import type { Ports } from '../ports.ts'
import type { Scope } from '../tool/context.ts'
import type { HoldKind } from '../turn/hold.ts'

export interface RuntimeOptions {
  readonly store: Store
  readonly agents?: readonly Agent[]
  /**
   * For agents that are not known when the runtime opens: asked for one whenever a conversation of it is used that is not
   * at work, so it should keep what it made, and give the same one until the definition changes. In place of `agents`, or
   * beside them.
   */
  readonly agentFor?: (tenant: string, name: string) => Promise<Agent | undefined>
  readonly ports: Ports
  /**
   * Who is asking, for the tools of a turn, made from what the log knows. Asked wherever the turn goes on, so the process
   * that runs an approved call next week gives its tools the same.
   */
  readonly scope?: (asker: Asker) => Scope
  /** `false`: takes messages and answers, and leaves the driving to other processes. */
  readonly drive?: boolean
  /** How long other processes wait before they take over from one that stopped renewing its lease. Default: 15 s. */
  readonly leaseMs?: number
  /** How often it looks for work without an owner. Default: every second. Deadlines are met on time in any case. */
  readonly lookMs?: number
  /** How many idle conversations stay in memory, and for how long. Default: 100, and 30 s. */
  readonly keepIdle?: number
  readonly idleMs?: number
  /**
   * How far apart the times of a plan's cron line are at least; they are met at full minutes then. `holdpoint()` says a
   * minute, a bare runtime nothing.
   */
  readonly planEveryMs?: number
  /** Whether `close()` closes the store too. */
  readonly closeStore?: boolean
  /** How long `close()` waits for work under way. Default: 10 s. */
  readonly graceMs?: number
  /**
   * Something went wrong that no caller is told of: work that is tried again, or a model that failed, with the vendor's
   * error as its `cause`. Users read only that the model could not answer.
   */
  readonly onProblem?: (problem: Problem) => void
  /**
   * Called when a call starts to wait for an answer from outside, once for each hold, in the process that wrote it. That
   * is usually the process that drives the conversation. A hold that is open when the process starts, or that another
   * process made, is in `pending()`. An error here is a problem for `onProblem`, and changes nothing for the call.
   */
  readonly onHeld?: (hold: NewHold) => void | Promise<void>
}

export interface Asker {
  readonly tenant: string
  readonly conversationId: string
  /** The author of what the turn is about, of whom every turn of a conversation has one. */
  readonly by: string | undefined
  /** Set for an autonomous agent, whose tools have a scope of its own: a cycle may be about what many people said. */
  readonly agent?: string
}

export interface Problem {
  readonly error: unknown
  readonly conversation?: Address
}

/**
 * The tools' scope is the runtime's to make, and what happens is followed with `subscribe`. Any process may go on with the
 * turn, so tools and policies come with the agent.
 */
export interface RuntimeSendOptions extends Omit<
  SendOptions,
  'scope' | 'watch' | 'requestId' | 'tools' | 'onToolError' | 'onProblem'
> {
  /** Whose conversation it is, for the first message. Default: the only one of `agents`. */
  readonly agent?: string
  /** For an agent that has one: without it, the agent takes nothing. */
  readonly sender?: symbol
}

export interface PendingFilter {
  readonly conversationId?: string
  /** For callers that know the id of a call, but not its conversation. */
  readonly callId?: string
  readonly agent?: string
  readonly tool?: string
  readonly kind?: HoldKind
  /** Those whose deadline comes before. */
  readonly expiresBefore?: number
  /** `next` of an earlier page. */
  readonly after?: string
  /** Default: 50. At most 1000. */
  readonly limit?: number
}

export interface ListFilter {
  readonly agent?: string
  readonly status?: ConversationStatus
  readonly after?: string
  readonly limit?: number
}

/** A conversation in a list. */
export interface ListedConversation extends ConversationRow {
  /** The beginning of the first message; left out while there is none. */
  readonly firstWords?: string
}

export interface PendingHold extends HeldCall {
  readonly conversationId: string
  readonly agent: string
  readonly heldAt: number
}

/** A hold that was just made, in any tenant. */
export interface NewHold extends PendingHold {
  readonly tenant: string
}
