/**
 * What comes into a conversation from outside: a person's words, an answer that arrived after its turn had gone on, or
 * something that happened and that an agent is to know of. What waits for rest is the agent's inbox.
 */
import type { Json } from '../json.ts'
import type { FileData } from '../model/model.ts'
import type { Member } from '../space/space-event.ts'
import type { CallOutcome } from '../tool/outcome.ts'

export type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly mediaType: string; readonly file: FileData; readonly filename?: string }

export interface UserMessage {
  readonly parts: readonly UserPart[]
  /** Who said it, where that matters. */
  readonly by?: string
}

/** One thing a turn is about. A turn may take several at once, when they waited together. */
export type Inbound =
  | { readonly kind: 'message'; readonly message: UserMessage }
  | { readonly kind: 'answer'; readonly callId: string; readonly name: string; readonly outcome: CallOutcome }
  /** `id` tells it from every other one: it is handled once, however often it is told. */
  | { readonly kind: 'event'; readonly id: string; readonly at: number; readonly event: InboxEvent }

export type InboxEvent =
  | {
      readonly type: 'space.message'
      readonly space: string
      readonly name: string
      readonly seq: number
      readonly from: Member
      readonly text: string
      readonly replyTo?: number
    }
  | {
      readonly type: 'plan.fired'
      readonly planId: string
      readonly what: string
      readonly due: number
      /** How many times before it were missed. */
      readonly missed?: number
    }
  /** A service says that something happened. */
  | { readonly type: 'trigger'; readonly name: string; readonly data: Json; readonly by?: string }

export type InboxItem = Extract<Inbound, { readonly kind: 'event' }>

/** Each due time of a plan is news of its own, under an id that only this time of this plan has. */
export function firedItems(fired: {
  readonly planId: string
  readonly what: string
  readonly due: readonly number[]
  readonly missed: number
}): readonly InboxItem[] {
  const { planId, what, missed } = fired
  return fired.due.map((due) => ({
    kind: 'event',
    id: `plan:${planId}:${due}`,
    at: due,
    event: { type: 'plan.fired', planId, what, due, ...(missed > 0 && { missed }) },
  }))
}

export function userMessage(content: string | readonly UserPart[], by?: string): UserMessage {
  const parts: readonly UserPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return by === undefined ? { parts } : { parts, by }
}
