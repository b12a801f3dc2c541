/**
 * An agent's life: one conversation of its own, which lasts. It sleeps until something is in its inbox, wakes once for
 * everything that is there, and works on it in one turn, which is called a cycle. Everything else about it, leases and
 * holds and recovery, is what every conversation has.
 */
import type { Member } from '../space/space-event.ts'
import type { SpaceMessage } from '../space/space-view.ts'

const LIFE = 'agent:'

/** The conversation that is an agent's life. */
export function lifeId(agent: string): string {
  return LIFE + agent
}

/** Whose life it is; undefined for any other conversation. */
export function agentOfLife(id: string): string | undefined {
  return id.startsWith(LIFE) ? id.slice(LIFE.length) : undefined
}

/** What an agent can do in spaces. Bound to its name and tenant: it can do nothing in the name of others. */
export interface Life {
  /** Whether it may be in this space. */
  isMember(space: string): Promise<boolean>
  /** The space that a call of it was made in, if it was made in one. */
  placeOf(callId: string): string | undefined
  /** Under the id of the call, so that it is said once however often the call is run. */
  post(space: string, text: string, callId: string, replyTo?: number): Promise<Said>
  /** The newest messages, after leaving out as many as `offset`. It has read them then. */
  messages(space: string, offset: number, limit: number): Promise<Heard>
}

export type Said =
  | { readonly ok: true; readonly seq: number; readonly quiet: boolean }
  | { readonly ok: false; readonly message: string }

export type Heard =
  | {
      readonly ok: true
      readonly name: string
      readonly members: readonly Member[]
      readonly messages: readonly SpaceMessage[]
    }
  | { readonly ok: false; readonly message: string }
