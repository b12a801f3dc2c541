/** What a handler is handed besides its input. */
import type { Agent } from '../loop/agent.ts'
import type { Json } from '../json.ts'
import type { PlanAccess } from '../plan/plan-access.ts'
import type { Services } from '../plugin/services.ts'
import type { StateAccess } from '../plugin/state.ts'

/**
 * Who is asking, and what they may use: the signed-in user, a database handle. Given with each entry call, handed to
 * tools, never stored. Work that nobody asked for at that moment (expiry, recovery) runs under `systemScope`.
 */
export interface Scope {
  readonly [key: string]: unknown
}

export const systemScope: Scope = Object.freeze({ system: true })

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
  }
  readonly conversation: { readonly id: string; readonly turnId: string }
  readonly scope: Scope
  readonly services: Services
  readonly state: StateAccess
  /** What the agent is to be woken for later. */
  readonly plans: PlanAccess
  /** The agent this call belongs to, for a handler that wants to ask its model something. */
  readonly agent: Agent
  readonly requestId: string | undefined
  /** Aborts when the turn is cancelled or the call's time is up. */
  readonly signal: AbortSignal
  /** Tells whoever watches how far it got. Live only; a session keeps the newest while the call runs. */
  progress(value: Json): void
}
