/** The tombstone of an erased conversation, and the refusal of later commands. */
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

export function erasureOf(event: Extract<LogEvent, { type: 'conversation.erased' }>): Erasure {
  const { at, reason, policy } = event
  return { at, ...(reason !== undefined && { reason }), ...(policy && { policy }), ...doneBy(event) }
}
