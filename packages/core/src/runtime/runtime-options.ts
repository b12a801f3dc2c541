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
  /** How long the others wait before they take over from a process that fell silent; 15 s unless said. */
  readonly leaseMs?: number
  /** How often it looks for work that nobody is at; every second unless said. Deadlines are met at their time anyway. */
  readonly lookMs?: number
  /** How many conversations stay in memory although nothing happens there, and for how long; 100, and 30 s, unless said. */
  readonly keepIdle?: number
  readonly idleMs?: number
  /** Whether `close()` closes the store too. */
  readonly closeStore?: boolean
  /** How long `close()` waits for what is under way; 10 s unless said. */
  readonly graceMs?: number
  /** Something went wrong that nobody waits for: it is tried again, but somebody should know. */
  readonly onProblem?: (problem: Problem) => void
}

export interface Asker {
  readonly tenant: string
  readonly conversationId: string
  /** Whoever said what the turn is about. */
  readonly by: string | undefined
}

export interface Problem {
  readonly error: unknown
  readonly conversation?: Address
}

/** The tools' scope is the runtime's to make, and what happens is followed with `subscribe`. */
export interface RuntimeSendOptions extends Omit<SendOptions, 'scope' | 'watch' | 'requestId'> {
  /** Whose conversation it is, for the first message. Needed only where there are several agents. */
  readonly agent?: string
}

export interface PendingFilter {
  readonly conversationId?: string
  /** For whoever knows a call, and not where it waits. */
  readonly callId?: string
  readonly agent?: string
  readonly tool?: string
  readonly kind?: HoldKind
  /** Those whose deadline comes before. */
  readonly expiresBefore?: number
  /** `next` of an earlier page. */
  readonly after?: string
  /** 50 unless said, 1000 at most. */
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
  /** What somebody said first, cut short; left out where nobody has yet. */
  readonly firstWords?: string
}

export interface PendingHold extends HeldCall {
  readonly conversationId: string
  readonly agent: string
  readonly heldAt: number
}
