/** The tombstone of an erased conversation or space, and the refusal of later commands. */
import type { LogEvent } from '../log/log-event.ts'
import { doneBy, type Actor } from '../principal.ts'
import type { Decision } from './decision.ts'
import { emptyConversation, type Conversation } from './turn-state.ts'

/** What is known of the erasure of a conversation. */
export interface Erasure extends Actor {
  readonly at: number
  readonly reason?: string
  /** It was erased because it was older than its agent or tenant keeps conversations. */
  readonly policy?: 'retention'
}

/** Why a command for an erased conversation is refused; undefined for any other conversation. */
export function refuseErased({ erased }: Conversation): Extract<Decision, { ok: false }> | undefined {
  return erased && { ok: false, refusal: 'erased', message: 'The conversation was erased. Use another id.' }
}

/** It follows any event: the store has none of those that came before. */
export function evolveErased(event: Extract<LogEvent, { type: 'conversation.erased' }>): Conversation {
  return { ...emptyConversation, seq: event.seq, agent: event.agent, erased: erasureOf(event) }
}

type Tombstone = Extract<LogEvent, { type: 'conversation.erased' | 'space.erased' }>

export function erasureOf(event: Tombstone): Erasure {
  const { at, reason } = event
  const policy = event.type === 'conversation.erased' ? event.policy : undefined
  return { at, ...(reason !== undefined && { reason }), ...(policy && { policy }), ...doneBy(event) }
}

/** Whether the event is all that is left of its log. It follows any event. */
export function isTombstone(event: { readonly type: string }): boolean {
  return event.type === 'conversation.erased' || event.type === 'space.erased'
}
