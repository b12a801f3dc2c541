/**
 * The events of a space's log: its members, its messages, and the tool calls that are shown there. A space is stored and
 * followed like a conversation, but no model answers in it.
 */
import type { Json, JsonObject } from '../json.ts'
import type { CallOutcome } from '../tool/outcome.ts'
import type { Requesters } from './message.ts'
import type { Actor } from '../principal.ts'
import type { HoldKind } from '../turn/hold.ts'

/** The agent's name in the row of a space. No agent may have it. */
export const SPACE = 'holdpoint.space'

/** A member of a space. An agent's id is its name. A person's id is the application's id of the person. */
export interface Member {
  readonly kind: 'human' | 'agent'
  readonly id: string
}

/** An owner manages members, a member reads and posts, a reader reads. */
export type Role = 'owner' | 'member' | 'reader'

export type SpaceEvent =
  | {
      readonly type: 'space.opened'
      readonly name: string
      /** How many messages of agents in a row wake other agents. After that, only a message of a person does. */
      readonly agentMessages: number
      readonly by?: string
    }
  /** All that is left of an erased space. Its seq follows that of the last event, and the store has no other. */
  | ({ readonly type: 'space.erased'; readonly reason?: string } & Omit<Actor, 'onBehalfOf'>)
  | { readonly type: 'member.joined'; readonly member: Member; readonly role: Role; readonly by?: string }
  | { readonly type: 'member.left'; readonly member: Member; readonly by?: string }
  | {
      readonly type: 'message.posted'
      readonly from: Member
      readonly text: string
      /** The seq of the message that it answers. */
      readonly replyTo?: number
      /** Of an agent's message. */
      readonly requesters?: Requesters
      /** The message wakes no agent: the limit `agentMessages` is reached. */
      readonly quiet?: true
    }
  /** A member has read everything up to this seq. */
  | { readonly type: 'messages.read'; readonly member: Member; readonly upTo: number }
  /** An agent came into the space to work, or left it. */
  | { readonly type: 'agent.activated'; readonly agent: string }
  | { readonly type: 'agent.rested'; readonly agent: string }
  | {
      readonly type: 'tool.started'
      readonly agent: string
      readonly toolCallId: string
      readonly name: string
      readonly input: Json
      /** `requires_action`: a person, client or service must answer it, as `hold` says. */
      readonly status: 'running' | 'requires_action'
      readonly hold?: ShownHold
      /** Its tool reports progress. */
      readonly streaming?: true
    }
  /** The call is held again, or continues. `input` is its current input. */
  | {
      readonly type: 'tool.changed'
      readonly agent: string
      readonly toolCallId: string
      readonly input: Json
      readonly status: 'running' | 'requires_action'
      readonly hold?: ShownHold
    }
  /** The call has a result. `input` is set if it differs from the one that was shown. */
  | {
      readonly type: 'tool.done'
      readonly agent: string
      readonly toolCallId: string
      readonly output: Json
      readonly input?: Json
    }
  | { readonly type: 'tool.error'; readonly agent: string; readonly toolCallId: string; readonly error: ToolFailure }

/**
 * The open hold of a call: its kind and its number among the call's holds, from 1. The other fields are set only for holds
 * that members of the space may answer (`elicitation`, `client`).
 */
export interface ShownHold {
  readonly kind: HoldKind
  readonly nth: number
  readonly expiresAt?: number
  readonly reason?: string
  readonly answerSchema?: JsonObject
  readonly url?: string
}

export type ToolFailure = Extract<CallOutcome, { readonly ok: false }>['error']

/** The events that come from the log of an agent. */
export type ShownEvent = Extract<
  SpaceEvent,
  { readonly type: 'agent.activated' | 'agent.rested' | 'tool.started' | 'tool.changed' | 'tool.done' | 'tool.error' }
>

const SPACE_EVENTS: Readonly<Record<SpaceEvent['type'], true>> = {
  'space.opened': true,
  'space.erased': true,
  'member.joined': true,
  'member.left': true,
  'message.posted': true,
  'messages.read': true,
  'agent.activated': true,
  'agent.rested': true,
  'tool.started': true,
  'tool.changed': true,
  'tool.done': true,
  'tool.error': true,
}

export function isSpaceEvent<T extends { readonly type: string }>(
  event: T,
): event is Extract<T, { readonly type: SpaceEvent['type'] }> {
  return Object.hasOwn(SPACE_EVENTS, event.type)
}

/** A person and an agent may have the same id. */
export function memberKey({ kind, id }: Member): string {
  return `${kind}:${id}`
}
