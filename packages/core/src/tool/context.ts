/** What a handler is handed besides its input. */
import type { Agent } from '../agent/agent.ts'
import type { Json } from '../json.ts'
import type { Author } from '../log/message.ts'
import type { PlanAccess } from '../plan/plan-access.ts'
import type { Services } from '../plugin/services.ts'
import type { StateAccess } from '../plugin/state.ts'
import type { Resolution } from '../turn/hold.ts'

/**
 * Who is asking, and what they may use: the signed-in user, a database handle. Given with each entry call, handed to
 * tools, never stored.
 */
export interface Scope {
  readonly [key: string]: unknown
}

/** For work that no person asked for. */
export const systemScope: Scope = Object.freeze({ system: true })

/** For work of a caller who gave neither a name nor a scope. */
export const noScope: Scope = Object.freeze({})

/** The scope of a turn where the application makes none. */
export function scopeOf(by: string | undefined, askedBy: readonly Author[]): Scope {
  if (by !== undefined) return { by }
  return askedBy.some(({ via }) => via === 'message' || via === 'space') ? noScope : systemScope
}

/** What a call goes on with that returned `ask` or `later`. The same at every attempt until it returns the next one. */
export interface Resumption {
  /** What the handler gave to be kept. */
  readonly state: Json | undefined
  /** What was said to the question: an answer, a no, or why there is none. Undefined after `later`. */
  readonly answer: Exclude<Resolution, { readonly kind: 'approve' }> | undefined
  readonly by: string | undefined
}

export interface ToolContext<Input = unknown> {
  /** Checked against the tool's schema. */
  readonly input: Input
  readonly call: {
    /** The same at every attempt: hand it on as the idempotency key. */
    readonly id: string
    readonly name: string
    /** What the model wrote, before the schema's defaults and transforms. */
    readonly args: Json
    readonly attempt: number
    /** The tool's, as it was when the call was let through by its gate or by a person. */
    readonly fingerprint?: string
  }
  /** Set when the handler ran before and asked for this: it goes on where it left off. */
  readonly resumed: Resumption | undefined
  /** `tenant` is whose conversation it is; '' where there are none. */
  readonly conversation: { readonly tenant: string; readonly id: string; readonly turnId: string }
  readonly scope: Scope
  /** The authors of what the turn is about: one name in a conversation, of many in the cycle of an autonomous agent. */
  readonly askedBy: readonly Author[]
  readonly services: Services
  readonly state: StateAccess
  /** What the agent is to be woken for later. */
  readonly plans: PlanAccess
  /** The agent this call belongs to, for a handler that wants to ask its model something. */
  readonly agent: Agent
  /** Given with the entry call, or made for it: the same for all its calls. */
  readonly requestId: string
  /** Aborts when the turn is cancelled or the call's time is up. */
  readonly signal: AbortSignal
  /**
   * Tells those who watch how far it got. Live only; a session keeps the newest while the call runs. For tools with
   * `streaming: true`: for others nothing is shown, and `onProblem` is told once.
   */
  progress(value: Json): void
}
