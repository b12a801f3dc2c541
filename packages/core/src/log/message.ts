/**
 * What comes into a conversation from outside: a person's words, an answer that arrived after its turn had gone on, or
 * something that happened and that an agent is to know of. What waits for rest is the agent's inbox.
 */
import type { Json } from '../json.ts'
import type { FileData } from '../model/model.ts'
import type { Member } from './space-event.ts'
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
  | {
      readonly kind: 'answer'
      readonly callId: string
      readonly name: string
      readonly outcome: CallOutcome
      /** The authors of what the call's turn was about. */
      readonly askedBy?: readonly Author[]
      /** Its call is silent: people are not shown it. */
      readonly silent?: true
    }
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
      /** The authors of what the turn was about that made the plan. */
      readonly askedBy?: readonly Author[]
    }
  /** A service says that something happened. */
  | { readonly type: 'trigger'; readonly name: string; readonly data: Json; readonly by?: string }

export type InboxItem = Extract<Inbound, { readonly kind: 'event' }>

/** The author of something that a turn is about. */
export interface Author {
  /** A message to the agent, a message in a space, a service's trigger, or a plan that no turn made. */
  readonly via: 'message' | 'space' | 'trigger' | 'plan'
  /** Left out where the sender gave no name. */
  readonly by?: string
  /** The author of a message in a space is a person or an agent. */
  readonly kind?: Member['kind']
  readonly space?: string
}

/** The author of what an older log says nothing about. */
export const UNKNOWN_AUTHOR: readonly Author[] = [{ via: 'message' }]

function authorsOf(item: Inbound): readonly Author[] {
  switch (item.kind) {
    case 'message':
      return [{ via: 'message', ...named(item.message.by) }]
    case 'answer':
      return item.askedBy ?? UNKNOWN_AUTHOR
    case 'event':
      return authorsOfEvent(item.event)
  }
}

function authorsOfEvent(event: InboxEvent): readonly Author[] {
  switch (event.type) {
    case 'space.message':
      return [{ via: 'space', by: event.from.id, kind: event.from.kind, space: event.space }]
    case 'plan.fired':
      return event.askedBy ?? [{ via: 'plan' }]
    case 'trigger':
      return [{ via: 'trigger', ...named(event.by) }]
  }
}

/** The authors of all of them, each once. */
export function authorsOfAll(items: readonly Inbound[]): readonly Author[] {
  const [only] = items
  if (only && items.length === 1) return authorsOf(only)
  const keyOf = ({ via, by, kind, space }: Author): string => JSON.stringify([via, by, kind, space])
  return [...new Map(items.flatMap(authorsOf).map((author) => [keyOf(author), author])).values()]
}

/** The space that all of them spoke in; undefined when one of them spoke elsewhere. */
export function onlySpaceOf(authors: readonly Author[]): string | undefined {
  const [first, ...others] = authors.map(({ space }) => space)
  return others.every((space) => space === first) ? first : undefined
}

/** Who asks for a turn about this. In a conversation all of its authors have one name. */
export function askerOf(item: Inbound): string | undefined {
  return authorsOf(item)[0]?.by
}

function named(by: string | undefined): { readonly by?: string } {
  return by === undefined ? {} : { by }
}

/** Where authors are kept for what follows. */
interface Asked {
  readonly askedBy?: readonly Author[]
}

/** The authors of what led to a hold or a plan, for what follows from it. */
export function askedFor({ askedBy }: Asked): Asked {
  return askedBy ? { askedBy } : {}
}

/** Each due time of a plan is news of its own, under an id that only this time of this plan has. */
export function firedItems(
  fired: Asked & {
    readonly planId: string
    readonly what: string
    readonly due: readonly number[]
    readonly missed: number
  },
): readonly InboxItem[] {
  const { planId, what, missed, askedBy } = fired
  return fired.due.map((due) => ({
    kind: 'event',
    id: `plan:${planId}:${due}`,
    at: due,
    event: { type: 'plan.fired', planId, what, due, ...(missed > 0 && { missed }), ...(askedBy && { askedBy }) },
  }))
}

/** An answer that came after its call's outcome is news for the agent. */
export function arrivedItem(
  arrived: Asked & {
    readonly callId: string
    readonly name: string
    readonly outcome: CallOutcome
    readonly silent?: true
  },
): Inbound {
  const { callId, name, outcome, silent } = arrived
  return { kind: 'answer', callId, name, outcome, ...askedFor(arrived), ...(silent && { silent }) }
}

export function userMessage(content: string | readonly UserPart[], by?: string): UserMessage {
  const parts: readonly UserPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return by === undefined ? { parts } : { parts, by }
}
