/**
 * What is written about a space: who is in it, what was said, and the tool calls that are shown there. A space is a log
 * like a conversation's, kept by the same store and followed in the same way; only that no model answers in it.
 */
import type { Json, JsonObject } from '../json.ts'
import type { CallOutcome } from '../tool/outcome.ts'
import type { HoldKind } from '../turn/hold.ts'

/** What the row of a space has in place of an agent's name. No agent may be called so. */
export const SPACE = 'holdpoint.space'

/** Who takes part. An agent's id is its name; a person's is whatever the one who runs this knows people by. */
export interface Member {
  readonly kind: 'human' | 'agent'
  readonly id: string
}

/** An owner says who is in it, a member speaks, a reader listens. */
export type Role = 'owner' | 'member' | 'reader'

export type SpaceEvent =
  | {
      readonly type: 'space.opened'
      readonly name: string
      /** So many messages of agents in a row wake others; then a person has to say something. */
      readonly agentMessages: number
      readonly by?: string
    }
  | { readonly type: 'member.joined'; readonly member: Member; readonly role: Role; readonly by?: string }
  | { readonly type: 'member.left'; readonly member: Member; readonly by?: string }
  | {
      readonly type: 'message.posted'
      readonly from: Member
      readonly text: string
      /** The seq of the message that it answers. */
      readonly replyTo?: number
      /** It wakes no agent: agents have exchanged as many messages in a row as they may. */
      readonly quiet?: true
    }
  /** A member has read everything up to this seq. */
  | { readonly type: 'messages.read'; readonly member: Member; readonly upTo: number }
  /** An agent works here at the moment, or no longer does. */
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
  /** It waits for another answer than before, or for none; `input` is the input it continues with. */
  | {
      readonly type: 'tool.changed'
      readonly agent: string
      readonly toolCallId: string
      readonly input: Json
      readonly status: 'running' | 'requires_action'
      readonly hold?: ShownHold
    }
  /** It has a result; `input` when it ran with another one than was shown. */
  | {
      readonly type: 'tool.done'
      readonly agent: string
      readonly toolCallId: string
      readonly output: Json
      readonly input?: Json
    }
  | { readonly type: 'tool.error'; readonly agent: string; readonly toolCallId: string; readonly error: ToolFailure }

/**
 * What a call waits for, and which of its holds that is, from 1. The rest is for what the people in the space may answer
 * (`elicitation`, `client`): how long it waits, what is asked, what an answer must look like, and where it is given instead.
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

/** Those that an agent's own conversation sends here. */
export type ShownEvent = Extract<
  SpaceEvent,
  { readonly type: 'agent.activated' | 'agent.rested' | 'tool.started' | 'tool.changed' | 'tool.done' | 'tool.error' }
>

const SPACE_EVENTS: Readonly<Record<SpaceEvent['type'], true>> = {
  'space.opened': true,
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
