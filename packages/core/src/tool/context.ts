/** What a handler gets besides its input. */
import type { Agent } from '../agent/agent.ts'
import type { Json } from '../json.ts'
import type { Author } from '../log/message.ts'
import type { PlanAccess } from '../plan/plan-access.ts'
import type { Services } from '../plugin/services.ts'
import type { StateAccess } from '../plugin/state.ts'
import type { Resolution } from '../turn/hold.ts'

/**
 * The application's object for the author of the turn, such as the signed-in user or a database handle. Passed with each request,
 * given to tools, never stored.
 */
export interface Scope {
  readonly [key: string]: unknown
}

/** The scope of work that no person asked for. */
export const systemScope: Scope = Object.freeze({ system: true })

/** The scope of a caller without a name or a scope. */
export const noScope: Scope = Object.freeze({})

/** The scope of a turn if the application does not create one. */
export function scopeOf(by: string | undefined, askedBy: readonly Author[]): Scope {
  if (by !== undefined) return { by }
  return askedBy.some(({ via }) => via === 'message' || via === 'space') ? noScope : systemScope
}

/** What a call that returned `ask` or `later` continues with. It is the same at every attempt, until the next `ask` or `later`. */
export interface Resumption {
  /** The state that the handler returned with `ask` or `later`. */
  readonly state: Json | undefined
  /** The resolution of the question: an answer, a rejection or an expiry. Undefined after `later`. */
  readonly answer: Exclude<Resolution, { readonly kind: 'approve' }> | undefined
  readonly by: string | undefined
}

export interface ToolContext<Input = unknown> {
  /** Validated against the tool's schema. */
  readonly input: Input
  readonly call: {
    /** The same at every attempt: use it as the idempotency key. */
    readonly id: string
    readonly name: string
    /** The input that the model wrote, before the schema's defaults and transforms. */
    readonly args: Json
    readonly attempt: number
    /** The `traceparent` header for requests of this run, if the runtime has an observer (W3C Trace Context). */
    readonly traceparent?: string
    /** The fingerprint of the tool when the gate or a person approved the call. */
    readonly fingerprint?: string
  }
  /** Set if an earlier run of the handler returned `ask` or `later`. */
  readonly resumed: Resumption | undefined
  /** `tenant` is '' for an application without tenants. */
  readonly conversation: { readonly tenant: string; readonly id: string; readonly turnId: string }
  readonly scope: Scope
  /** The authors of the turn: one in a conversation, several in a cycle of an autonomous agent. */
  readonly askedBy: readonly Author[]
  readonly services: Services
  readonly state: StateAccess
  /** The plans that wake the agent later. */
  readonly plans: PlanAccess
  /** The agent that made the call, for a handler that wants to use its model. */
  readonly agent: Agent
  /** The id of the request that the turn belongs to, from the caller or generated. */
  readonly requestId: string
  /** Aborts when the turn is cancelled or the call times out. */
  readonly signal: AbortSignal
  /**
   * Shows progress to subscribers. It is live and not stored; a session keeps the newest value while the call runs. Only for
   * tools with `streaming: true`. For other tools nothing is shown, and `onProblem` is called once.
   */
  progress(value: Json): void
}
