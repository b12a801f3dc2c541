/**
 * Checks the authors of every turn. It computes them from the inputs of people, spaces, services and plans, and compares them with
 * the authors that the code under test recorded.
 */
import {
  canonical,
  type Author,
  type Inbound,
  type InboxEvent,
  type Json,
  type LogEvent,
  type Scope,
} from '@holdpoint/core'
import type { ConversationRecord } from './conversation-record.ts'
import type { Judge } from './violation.ts'

type Authors = readonly Author[]

/** The authors that a tool was given, and the author of its scope. */
interface GivenAuthors {
  readonly conversation: { readonly id: string; readonly turnId: string }
  readonly askedBy: Authors
}

export class AuthorChecks {
  readonly #judge: Judge
  readonly #logs = new Map<string, Askers>()
  /** By turn: the authors that gates were given before the turn was written. */
  readonly #early = new Map<string, Authors>()

  constructor(judge: Judge) {
    this.#judge = judge
  }

  follow({ id }: ConversationRecord, events: readonly LogEvent[]): void {
    const askers = this.#askers(id)
    const byTool = events.some(({ type }) => type === 'call.settled' || type === 'call.held')
    for (const event of events) this.#event(id, askers, event, byTool)
  }

  #event(id: string, askers: Askers, event: LogEvent, byTool: boolean): void {
    if (event.type === 'turn.started') this.#turn(id, askers, event)
    if (event.type === 'model.replied')
      for (const part of event.reply.parts) if (part.type === 'call') askers.calls.set(part.callId, askers.turn)
    if (event.type === 'message.queued') askers.arrive(askers.authorsOf(event.item))
    if (event.type === 'call.held') {
      this.#previewed(id, askers, event.hold.askedBy)
      this.#same(`${id}, hold of ${event.callId}`, event.hold.askedBy, askers.calls.get(event.callId))
    }
    if (event.type === 'answer.arrived')
      this.#same(`${id}, answer to ${event.callId}`, event.askedBy, askers.calls.get(event.callId))
    if (event.type === 'message.posted' && event.from.kind === 'agent') this.#posted(event)
    if (event.type === 'plan.set') {
      // A tool's plan is in the same write as its result; a visitor's plan is a write of its own.
      const authors = byTool ? askers.turn : visitor(event.plan.what)
      this.#previewed(id, askers, event.plan.askedBy)
      this.#same(`${id}, plan ${event.plan.id}`, event.plan.askedBy, authors)
      askers.plans.set(event.plan.id, event.plan.askedBy ?? [])
    }
    if (event.type === 'plan.fired') {
      const authors = askers.plans.get(event.planId) ?? []
      this.#same(`${id}, plan ${event.planId}`, event.askedBy, authors)
      askers.arrive(authors)
      for (const due of event.due) askers.fired.set(`plan:${event.planId}:${due}`, authors)
    }
  }

  /** Otherwise a person could approve what they asked for through two agents. */
  #posted({ from, requesters = [], seq }: Extract<LogEvent, { type: 'message.posted' }>): void {
    const missing = peopleIn(this.#askers(`agent:${from.id}`).turn).find((name) => !requesters.includes(name))
    const say = (): string => `message ${seq} of ${from.id} does not say that ${missing} asked for it`
    this.#judge.require(requesters === 'many' || missing === undefined, 'one-asker', say)
  }

  #turn(id: string, askers: Askers, event: Extract<LogEvent, { type: 'turn.started' }>): void {
    const authors = askers.begin(event)
    this.#checkTurn(id, event, authors)
    const early = this.#early.get(event.turnId)
    if (early) this.#same(`${id}, turn ${event.turnId}`, early, authors)
  }

  /** A turn of a conversation has one author. A cycle of an autonomous agent has many, and acts for none of them. */
  #checkTurn(id: string, { seq, cycle }: Extract<LogEvent, { type: 'turn.started' }>, authors: Authors): void {
    const names = new Set(authors.map(({ by }) => by))
    const fair = isLife(id) ? cycle === true : cycle === undefined && names.size === 1
    this.#judge.require(fair, 'one-asker', () => `${id}: event ${seq} is a turn for ${[...names].join()}`)
  }

  /** A gate is asked. If its turn is not written yet, the check runs as soon as it is. */
  gate({ conversation: { id, turnId }, askedBy }: GivenAuthors): void {
    const authors = this.#askers(id).turns.get(turnId)
    if (authors) this.#same(`${id}, gate in turn ${turnId}`, askedBy, authors)
    else this.#early.set(turnId, askedBy)
  }

  /** A tool's handler starts. */
  begins({ conversation: { id, turnId }, askedBy }: GivenAuthors, callId: string, scope: Scope): void {
    const authors = this.#askers(id).calls.get(callId)
    this.#same(`${id}, call ${callId} in turn ${turnId}`, askedBy, authors)
    const asker = isLife(id) ? undefined : authors?.[0]?.by
    const say = (): string => `${id}: call ${callId} runs with the rights of ${String(scope['by'])}, not of ${asker}`
    this.#judge.require(scope['by'] === asker, 'one-asker', say)
  }

  /** Requesters beside the authors of the turn wrote something that waited in the inbox. */
  #previewed(id: string, { arrived }: Askers, authors: Authors = []): void {
    const names = peopleIn(authors.filter((author) => !isOfTurn(author)))
    const stranger = names.find((name) => !arrived.has(name))
    const say = (): string => `${id}: ${stranger} is named as a requester, and wrote nothing`
    this.#judge.require(stranger === undefined, 'one-asker', say)
  }

  #same(what: string, is: Authors | undefined, should: Authors | undefined): void {
    const [a, b] = [is, should].map((authors) => canonical((authors?.filter(isOfTurn) ?? null) as unknown as Json))
    this.#judge.require(a === b, 'one-asker', () => `${what}: for ${a}, not ${b}`)
  }

  #askers(id: string): Askers {
    const known = this.#logs.get(id) ?? new Askers()
    this.#logs.set(id, known)
    return known
  }
}

/** The authors in one log. */
class Askers {
  /** Of the turn in progress, or of the last one. */
  turn: Authors = []
  /** The people whose messages ever were in the inbox. A call of an agent that read of them names them as requesters. */
  readonly arrived = new Set<string>()
  readonly turns = new Map<string, Authors>()
  readonly calls = new Map<string, Authors>()
  readonly plans = new Map<string, Authors>()
  /** By the id of the inbox item of a plan. */
  readonly fired = new Map<string, Authors>()

  begin({ turnId, items }: Extract<LogEvent, { type: 'turn.started' }>): Authors {
    if (items.length > 0) this.turn = distinct(items.flatMap((item) => this.authorsOf(item)))
    this.turns.set(turnId, this.turn)
    return this.turn
  }

  arrive(authors: Authors): void {
    for (const name of peopleIn(authors)) this.arrived.add(name)
  }

  authorsOf(item: Inbound): Authors {
    if (item.kind === 'answer') return this.calls.get(item.callId) ?? []
    if (item.kind === 'event') return this.#authorsOfEvent(item.id, item.event)
    const { by } = item.message
    return [{ via: 'message', ...(by !== undefined && { by }) }]
  }

  #authorsOfEvent(id: string, event: InboxEvent): Authors {
    if (event.type === 'plan.fired') return this.fired.get(id) ?? []
    const { requesters } = event
    const carried = requesters ? { requesters } : {}
    if (event.type === 'trigger')
      return [{ via: 'trigger', ...(event.by !== undefined && { by: event.by }), ...carried }]
    return [{ via: 'space', by: event.from.id, kind: event.from.kind, space: event.space, ...carried }]
  }
}

/** The text of a plan that a visitor makes for an agent. */
export function planOf(visitor: string): string {
  return `${VISITED}${visitor}`
}

const VISITED = 'look, says '

function visitor(what: string): Authors {
  return [{ via: 'plan', by: what.slice(VISITED.length) }]
}

function peopleIn(authors: Authors): readonly string[] {
  return authors.flatMap(({ by, kind, requesters = [] }) => [
    ...(by === undefined || kind === 'agent' ? [] : [by]),
    ...(requesters === 'many' ? [] : requesters),
  ])
}

function distinct(authors: Authors): Authors {
  return [...new Map(authors.map((author) => [textOf(author), author])).values()]
}

/** Not an entry for people whose messages the prompt of a cycle previewed. */
function isOfTurn({ via }: Author): boolean {
  return via !== 'inbox'
}

function textOf(author: Author): string {
  return canonical(author as unknown as Json)
}

function isLife(id: string): boolean {
  return id.startsWith('agent:')
}
