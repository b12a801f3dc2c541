/** The rules of access, written once more, as a person would explain them. The oracle compares the system with them. */
import type { Client } from '@holdpoint/client'

export const TENANTS = ['acme', 'umbrella'] as const
export const IDS = ['ada', 'ben', 'cy', 'dee'] as const
export const CONVERSATIONS = ['c1', 'c2', 'c3'] as const
export const SCOPES = ['resolver', 'conversations:read-all', 'admin'] as const
export type Tenant = (typeof TENANTS)[number]

/** A person of one tenant. The same name in the other tenant is another person. */
export interface Person {
  readonly tenant: Tenant
  readonly id: string
  readonly finance: boolean
  readonly scopes: ReadonlySet<string>
  readonly token: string
  /** People of the same tenant who let this one decide in their place. */
  readonly deputyOf: Map<string, Person>
  readonly sdk: Client
}

export type Kind = 'refund' | 'pay' | 'ask'

export interface Held {
  readonly callId: string
  readonly kind: Kind
  readonly asker: string
  /** The people whom each approval counts: the approver, and the person in whose place they approved. */
  readonly endorsed: (readonly string[])[]
}

export interface Talk {
  owner: string
  readonly participants: Set<string>
  held: Held | undefined
}

/** The rules, as a person would explain them. */
export const rules = {
  takesPart: ({ owner, participants }: Talk, { id }: Person): boolean => owner === id || participants.has(id),
  readsAll: ({ scopes }: Person): boolean => scopes.has('admin') || scopes.has('conversations:read-all'),
  resolvesAll: ({ scopes }: Person): boolean => scopes.has('admin') || scopes.has('resolver'),
  /** A question is for the person who asked, while they take part. */
  decides: (talk: Talk, { kind, asker }: Held, person: Person): boolean => {
    if (kind === 'refund') return person.finance || [...person.deputyOf.values()].some(({ finance }) => finance)
    return rules.resolvesAll(person) || (kind === 'ask' && asker === person.id && rules.takesPart(talk, person))
  },
  approves: (talk: Talk, held: Held, person: Person): boolean => {
    if (held.kind !== 'refund') return rules.decides(talk, held, person)
    const counted = rules.countedFor(held, person)
    return counted !== undefined && !rules.approvedBy(held, counted)
  },
  /** Whom an approval would count. The requester approves neither alone nor through a deputy. */
  countedFor: ({ asker }: Held, { id, finance, deputyOf }: Person): readonly string[] | undefined => {
    if (id === asker) return undefined
    if (finance) return [id]
    const names = [...deputyOf.keys()].toSorted()
    const from = names.find((name) => name !== asker && deputyOf.get(name)?.finance)
    return from === undefined ? undefined : [id, from]
  },
  approvedBy: ({ endorsed }: Held, names: readonly string[]): boolean =>
    endorsed.some((each) => each.some((name) => names.includes(name))),
  erases: ({ owner }: Talk, { id, scopes }: Person): boolean => scopes.has('admin') || owner === id,
  reads: (talk: Talk, person: Person): boolean =>
    rules.readsAll(person) ||
    rules.takesPart(talk, person) ||
    (talk.held !== undefined && rules.decides(talk, talk.held, person)),
  writes: (talk: Talk, person: Person): boolean => person.scopes.has('admin') || rules.takesPart(talk, person),
  seesHold: (talk: Talk, person: Person): boolean => rules.reads(talk, person) || rules.resolvesAll(person),
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
