/**
 * What a turn is about: a message, an answer that arrived after its turn, or an event for an autonomous agent. Items that
 * arrive during a turn wait in the queue, which is the agent's inbox.
 */
import type { Json } from '../json.ts'
import type { FileData } from '../model/model.ts'
import { actorOf, principalOf, type Principal } from '../principal.ts'
import type { Member } from './space-event.ts'
import type { CallOutcome } from '../tool/outcome.ts'

export type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly mediaType: string; readonly file: FileData; readonly filename?: string }

export interface UserMessage {
  readonly parts: readonly UserPart[]
  /** The author. */
  readonly by?: string
  /** The API key that sent the message for `by`. */
  readonly via?: string
  /** The `traceparent` of the request that brought the message (W3C Trace Context). */
  readonly trace?: string
}

/** One item of a turn. A turn may take several items from the queue. */
export type Inbound =
  | { readonly kind: 'message'; readonly message: UserMessage }
  | {
      readonly kind: 'answer'
      readonly callId: string
      readonly name: string
      readonly outcome: CallOutcome
      /** The authors of what the call's turn was about. */
      readonly askedBy?: readonly Author[]
      /** The call is silent: people do not see it. */
      readonly silent?: true
    }
  /** `id` is unique, so that an event which is delivered twice is handled once. */
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
      readonly requesters?: Requesters
    }
  | {
      readonly type: 'plan.fired'
      readonly planId: string
      readonly what: string
      readonly due: number
      /** How many due times before this one were skipped. */
      readonly missed?: number
      /** The authors of the turn that made the plan. */
      readonly askedBy?: readonly Author[]
    }
  /** A service reports that something happened. */
  | {
      readonly type: 'trigger'
      readonly name: string
      readonly data: Json
      readonly by?: string
      readonly requesters?: Requesters
    }

export type InboxItem = Extract<Inbound, { readonly kind: 'event' }>

/** The author of an item. */
export interface Author {
  /**
   * A message to the agent, a message in a space, a service's trigger, or a plan that no turn made. `inbox`: no author of the
   * turn, but `requesters` wrote what the prompt previewed.
   */
  readonly via: 'message' | 'space' | 'trigger' | 'plan' | 'inbox'
  /** Left out when the sender gave no name. */
  readonly by?: string
  /** The author of a message in a space is a person or an agent. */
  readonly kind?: Member['kind']
  readonly space?: string
  readonly requesters?: Requesters
}

/**
 * The people on whose behalf an agent wrote a message, set a plan or sent a trigger: those who asked for its turn. Without
 * them, a person who asks an agent to ask another agent could approve their own request. `many`: more than `MOST_REQUESTERS`.
 */
export type Requesters = readonly string[] | 'many'

export const MOST_REQUESTERS = 32

/** The people who asked, directly or through agents, each once. Agents cannot approve, so they are left out. */
export function requestersOf(authors: readonly Author[]): Requesters {
  const carried = authors.flatMap(({ requesters = [] }) => requesters)
  if (authors.some(({ requesters }) => requesters === 'many')) return 'many'
  const direct = authors.flatMap(({ by, kind }) => (by === undefined || kind === 'agent' ? [] : [by]))
  return [...new Set([...direct, ...carried])]
}

/** The requesters as an event carries them to another log: limited, and left out when there are none. */
export function carriedRequesters(authors: readonly Author[]): { readonly requesters?: Requesters } {
  const requesters = requestersOf(authors)
  if (requesters.length === 0) return {}
  return { requesters: requesters.length > MOST_REQUESTERS ? 'many' : requesters }
}

/** For items of older logs, which name no author. */
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
      return [{ via: 'space', by: event.from.id, kind: event.from.kind, space: event.space, ...carried(event) }]
    case 'plan.fired':
      return event.askedBy ?? [{ via: 'plan' }]
    case 'trigger':
      return [{ via: 'trigger', ...named(event.by), ...carried(event) }]
  }
}

/** The authors of all items, each once. */
export function authorsOfAll(items: readonly Inbound[]): readonly Author[] {
  const [only] = items
  if (only && items.length === 1) return authorsOf(only)
  const keyOf = ({ via, by, kind, space, requesters }: Author): string =>
    JSON.stringify([via, by, kind, space, requesters])
  return [...new Map(items.flatMap(authorsOf).map((author) => [keyOf(author), author])).values()]
}

/** How many events of its inbox the prompt of a cycle previews, oldest first. */
export const MOST_PREVIEWED = 10

/**
 * The authors of what the model may have read in a cycle. A call or a plan may come of an event that the next cycle is
 * about. Its people are requesters only: a question is not for them.
 */
export function withPreview(
  authors: readonly Author[],
  queue: readonly { readonly item: Inbound }[],
): readonly Author[] {
  const events = queue.filter(({ item }) => item.kind === 'event').slice(0, MOST_PREVIEWED)
  const carries = carriedRequesters(events.flatMap(({ item }) => authorsOf(item)))
  return carries.requesters ? [...authors, { via: 'inbox', ...carries }] : authors
}

/** The space that all of these authors wrote in; undefined when they wrote in several, or elsewhere. */
export function onlySpaceOf(authors: readonly Author[]): string | undefined {
  const [first, ...others] = authors.filter(({ via }) => via !== 'inbox').map(({ space }) => space)
  return others.every((space) => space === first) ? first : undefined
}

/** The person for whom a turn about this item acts. In a conversation, all authors of an item are one person. */
export function authorIdOf(item: Inbound): string | undefined {
  return authorsOf(item)[0]?.by
}

function named(by: string | undefined): { readonly by?: string } {
  return by === undefined ? {} : { by }
}

function carried({ requesters }: { readonly requesters?: Requesters }): { readonly requesters?: Requesters } {
  return requesters === undefined ? {} : { requesters }
}

/** A value with the authors of its turn. */
interface Asked {
  readonly askedBy?: readonly Author[]
}

/** Copies the authors of a hold or a plan to what follows from it. */
export function askedFor({ askedBy }: Asked): Asked {
  return askedBy ? { askedBy } : {}
}

/** One item for each due time of a plan, with an id that only this due time has. */
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

/** The item for an answer that arrived after its call was settled. */
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

export function userMessage(
  content: string | readonly UserPart[],
  by?: string | Principal,
  trace?: string,
): UserMessage {
  const parts: readonly UserPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return { parts, ...actorOf(principalOf(by)), ...(trace !== undefined && { trace }) }
}
