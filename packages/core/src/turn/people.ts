/**
 * The people of a conversation: its owner, who began it, and its participants, whom the owner added. A right to write is
 * checked here, on the state that is written to: a check before the decision could be about people who have left since.
 */
import type { EventBody, LogEvent } from '../log/log-event.ts'
import { authorIdOf } from '../log/message.ts'
import { actorOf, type Principal } from '../principal.ts'
import type { Decision } from './decision.ts'
import type { Hold } from './hold.ts'
import type { Conversation } from './turn-state.ts'

export interface People {
  /** The author of the first event. Undefined where the log names none: then only callers with access to all get in. */
  readonly owner: string | undefined
  readonly participants: readonly string[]
}

export const NO_PEOPLE: People = { owner: undefined, participants: [] }
const MOST_PARTICIPANTS = 1000

export function isParticipant({ owner, participants }: People, id: string): boolean {
  return owner === id || participants.includes(id)
}

/** Why the principal may not write here; undefined when it may. An empty conversation belongs to its first author. */
export function refuseStranger(
  { seq, people }: Conversation,
  by: Principal | undefined,
): Extract<Decision, { ok: false }> | undefined {
  if (seq === 0 || by?.access !== 'own' || isParticipant(people, by.id)) return undefined
  return { ok: false, refusal: 'not-allowed', message: `${by.id} is not a participant of this conversation.` }
}

export function evolvePeople(people: People, event: LogEvent): People {
  if (event.type === 'participants.changed') {
    const { owner = people.owner, add, remove } = event
    const kept = people.participants.filter((id) => !remove.includes(id) && !add.includes(id))
    return { owner, participants: [...kept, ...add].filter((id) => id !== owner) }
  }
  if (event.seq !== 1) return people
  const owner = firstAuthor(event)
  return owner === undefined ? people : { ...people, owner }
}

function firstAuthor(event: LogEvent): string | undefined {
  if (event.type === 'conversation.opened') return event.by
  if (event.type === 'turn.started') return event.items[0] && authorIdOf(event.items[0])
  return event.type === 'message.queued' ? authorIdOf(event.item) : undefined
}

export interface ChangeParticipants {
  readonly by: Principal | undefined
  readonly add: readonly string[]
  readonly remove: readonly string[]
  /** The new owner. The old owner stays as a participant. */
  readonly owner?: string
}

/** A principal with access to its own conversations only must be the owner, or remove only itself. */
export function decideParticipants(state: Conversation, { by, add, remove, owner }: ChangeParticipants): Decision {
  const { people } = state
  if (state.seq === 0) return { ok: false, refusal: 'not-allowed', message: 'The conversation does not exist.' }
  const leaves = add.length === 0 && owner === undefined && remove.every((id) => id === by?.id)
  if (by?.access === 'own' && people.owner !== by.id && !(leaves && isParticipant(people, by.id)))
    return { ok: false, refusal: 'not-allowed', message: 'Only the owner of a conversation changes its participants.' }
  const nextOwner = owner ?? people.owner
  const old = owner !== undefined && people.owner !== undefined && people.owner !== owner ? [people.owner] : []
  const added = [...new Set([...add, ...old])].filter(
    (id) => id !== nextOwner && !people.participants.includes(id) && !remove.includes(id),
  )
  // The old owner leaves with the same event, so that it ends their streams.
  const removed = [...new Set(remove)].filter((id) => people.participants.includes(id) || old.includes(id))
  const left = people.participants.filter((id) => !removed.includes(id))
  if (left.length + added.length > MOST_PARTICIPANTS)
    return {
      ok: false,
      refusal: 'limit-reached',
      message: `A conversation has at most ${MOST_PARTICIPANTS} participants.`,
    }
  if (added.length === 0 && removed.length === 0 && nextOwner === people.owner) return { ok: true, events: [] }
  const event: EventBody = {
    type: 'participants.changed',
    add: added,
    remove: removed,
    ...(owner !== undefined && { owner }),
    ...actorOf(by),
  }
  return { ok: true, events: [event] }
}

/** The labels of a conversation's row: a list for a person asks the store for theirs. */
export function conversationLabels({ owner, participants }: People): readonly string[] {
  return [...(owner === undefined ? [] : [owner]), ...participants].map(personLabel)
}

export function personLabel(id: string): string {
  return `person:${id}`
}

/**
 * The labels of an open hold's row: who may resolve it (`to:`), whom it asks because they asked (`asks:`), who asked for the
 * call (`asked:`). A delegate decides for people that a hold names, and answers no question for them: so `asks:` is not `to:`.
 */
export function holdLabels({ to, kind, askedBy = [] }: Hold): readonly string[] {
  const asked = askedBy.flatMap(({ by, kind: author }) => (by === undefined || author === 'agent' ? [] : [by]))
  // A question without addressees is for the people who caused it; anything else is for each resolver.
  const questioned = to === undefined && kind === 'elicitation' ? asked : []
  const names = to ?? [EACH_RESOLVER]
  return [...new Set([...names.map(decideLabel), ...questioned.map(questionLabel), ...asked.map(askedLabel)])]
}

/** In a label, every caller with the right to resolve holds. No person has this id. */
export const EACH_RESOLVER = '*'

/** `name` is a person, or a group as `group:finance`. */
export function decideLabel(name: string): string {
  return `to:${name}`
}

export function questionLabel(id: string): string {
  return `asks:${id}`
}

export function askedLabel(id: string): string {
  return `asked:${id}`
}
