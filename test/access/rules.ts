/** The rules of access, written once more, as a person would explain them. The oracle compares the system with them. */
import type { Client } from '@holdpoint/client'

export const TENANTS = ['acme', 'umbrella'] as const
export const IDS = ['ada', 'ben', 'cy', 'dee'] as const
export const CONVERSATIONS = ['c1', 'c2', 'c3'] as const
export const SCOPES = ['resolver', 'conversations:read-all', 'admin'] as const
export type Tenant = (typeof TENANTS)[number]

/** What the routes of a walk name: groups and people. */
export const NAMES = ['group:finance', 'group:board', 'dee'] as const
/** How long a call of `settle` waits before more people are asked. */
export const ESCALATE_MS = 60_000

/** A person of one tenant. The same name in the other tenant is another person. */
export interface Person {
  readonly tenant: Tenant
  readonly id: string
  groups: readonly string[]
  readonly scopes: ReadonlySet<string>
  token: string
  /** People of the same tenant who let this one decide in their place, with the groups that they had then. */
  readonly deputyOf: Map<string, Deputy>
  sdk: Client
}

interface Deputy {
  readonly id: string
  readonly groups: readonly string[]
  readonly until: number
}

export type Kind = 'refund' | 'settle' | 'pay' | 'ask'

/** Who approves a call: how many of the people in `anyOf`, and after a time also those in `later`. */
export interface ApprovalRoute {
  readonly anyOf: readonly string[]
  readonly later: readonly string[]
  readonly count: number
  readonly notRequester: boolean
}

export interface Held {
  readonly callId: string
  readonly kind: Kind
  /** None for a call that is not for named people. */
  readonly route: ApprovalRoute | undefined
  readonly at: number
  readonly asker: string
  /** The people whom each approval counts: the approver, and the person in whose place they approved. */
  readonly endorsed: (readonly string[])[]
}

export interface Talk {
  owner: string
  readonly participants: Set<string>
  held: Held | undefined
}

export type Role = 'owner' | 'member' | 'reader'

/** A space: its people by their ids. */
export type Room = Map<string, Role>

/** The rules, as a person would explain them, at a time. */
export const rules = {
  takesPart: ({ owner, participants }: Talk, { id }: Person): boolean => owner === id || participants.has(id),
  readsAll: ({ scopes }: Person): boolean => scopes.has('admin') || scopes.has('conversations:read-all'),
  resolvesAll: ({ scopes }: Person): boolean => scopes.has('admin') || scopes.has('resolver'),
  escalated: ({ route, at }: Held, now: number): boolean =>
    route !== undefined && route.later.length > 0 && now >= at + ESCALATE_MS,
  /** Whether the call asks for this person by name or group. After an escalation, it asks for more people. */
  named: (held: Held, { id, groups }: Pick<Person, 'id' | 'groups'>, now: number): boolean => {
    const { anyOf = [], later = [] } = held.route ?? {}
    const asked = rules.escalated(held, now) ? [...anyOf, ...later] : anyOf
    return asked.some((name) => name === id || groups.some((group) => name === `group:${group}`))
  },
  standsInFor: ({ deputyOf }: Person, now: number): readonly Deputy[] =>
    [...deputyOf.values()].filter(({ until }) => until > now).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  /** A question is for the person who asked, while they take part. */
  decides: (talk: Talk, held: Held, person: Person, now: number): boolean => {
    if (held.route) return [person, ...rules.standsInFor(person, now)].some((each) => rules.named(held, each, now))
    const { kind, asker } = held
    return rules.resolvesAll(person) || (kind === 'ask' && asker === person.id && rules.takesPart(talk, person))
  },
  approves: (talk: Talk, held: Held, person: Person, now: number): boolean => {
    if (!held.route) return rules.decides(talk, held, person, now)
    const counted = rules.countedFor(held, person, now)
    return counted !== undefined && !rules.approvedBy(held, counted)
  },
  /** Whom an approval would count. A requester who is excluded approves neither alone nor through a deputy. */
  countedFor: (held: Held, person: Person, now: number): readonly string[] | undefined => {
    const excluded = held.route?.notRequester === true ? held.asker : undefined
    if (person.id === excluded) return undefined
    if (rules.named(held, person, now)) return [person.id]
    const from = rules.standsInFor(person, now).find((each) => each.id !== excluded && rules.named(held, each, now))
    return from === undefined ? undefined : [person.id, from.id]
  },
  approvedBy: ({ endorsed }: Held, names: readonly string[]): boolean =>
    endorsed.some((each) => each.some((name) => names.includes(name))),
  erases: ({ owner }: Talk, { id, scopes }: Person): boolean => scopes.has('admin') || owner === id,
  reads: (talk: Talk, person: Person, now: number): boolean =>
    rules.readsAll(person) ||
    rules.takesPart(talk, person) ||
    (talk.held !== undefined && rules.decides(talk, talk.held, person, now)),
  writes: (talk: Talk, person: Person): boolean => person.scopes.has('admin') || rules.takesPart(talk, person),
  seesHold: (talk: Talk, person: Person, now: number): boolean =>
    rules.reads(talk, person, now) || rules.resolvesAll(person),
  readsRoom: (room: Room, person: Person): boolean => rules.readsAll(person) || room.has(person.id),
  /** A person speaks only as themselves, so the scope admin is not enough. */
  postsIn: (room: Room, { id }: Person): boolean => room.has(id) && room.get(id) !== 'reader',
  manages: (room: Room, { id, scopes }: Person): boolean => scopes.has('admin') || room.get(id) === 'owner',
  lastOwner: (room: Room, id: string): boolean =>
    room.get(id) === 'owner' && [...room.values()].filter((role) => role === 'owner').length === 1,
}

export function randomly(seed: number): {
  below(n: number): number
  pick<T>(from: readonly T[]): T
  chance(p: number): boolean
} {
  let state = seed * 2_654_435_761
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (n: number): number => Math.floor(next() * n)
  return { below, pick: (from) => from[below(from.length)]!, chance: (p) => next() < p }
}
