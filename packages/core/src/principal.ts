/** A caller as authentication identified it. What a caller writes into a request never changes it. */
export interface Principal {
  /** Unique in its tenant: `ada`, `key:billing`. */
  readonly id: string
  readonly kind: 'person' | 'program' | 'agent'
  /** Without the prefix: `finance`, where a rule says `group:finance`. */
  readonly groups?: readonly string[]
  /** The name that people read. */
  readonly name?: string
  /** The key that acts for this person. The log records both. */
  readonly via?: string
  /**
   * `own`: this principal reads and writes only conversations that it owns or takes part in. The gateway sets it for
   * people without a wider right. Default: every conversation of the tenant.
   */
  readonly access?: 'own' | 'all'
  /** How the caller proved who they are. The log records it with each decision. */
  readonly auth?: Authentication
  /** People who let this one decide in their place. */
  readonly delegations?: readonly Delegation[]
}

/**
 * `token`: a JWT. `session`: a sign-in with OpenID Connect. `application`: the application's own login. `channel`: a message or a link
 * at an address of the person.
 */
export type Authentication = 'key' | 'token' | 'session' | 'application' | 'channel'

export interface Delegation {
  readonly from: Pick<Principal, 'id' | 'groups'>
  readonly until: number
}

/** Who did something, as the log records it. */
export interface Actor {
  readonly by?: string
  /** The key that acted for `by`. */
  readonly via?: string
  /** The person in whose place `by` decided, by delegation. */
  readonly onBehalfOf?: string
}

/** Who decided about a hold, and how they were authenticated. */
export interface Decider extends Actor {
  readonly auth?: Authentication
}

export function principalOf(by: string | Principal | undefined): Principal | undefined {
  return typeof by === 'string' ? { id: by, kind: 'person' } : by
}

export function actorOf(principal: Principal | undefined, onBehalfOf?: string): Actor {
  if (!principal) return {}
  const { id, via } = principal
  return { by: id, ...(via !== undefined && { via }), ...(onBehalfOf !== undefined && { onBehalfOf }) }
}

export function deciderOf(principal: Principal | undefined, onBehalfOf?: string): Decider {
  return { ...actorOf(principal, onBehalfOf), ...(principal?.auth && { auth: principal.auth }) }
}

const GROUP = 'group:'

/** Whether an id looks like a group. In a list of approvers, such an id never means a person. */
export function isGroupId(id: string): boolean {
  return id.startsWith(GROUP)
}

/** Whether a list such as `['ada', 'group:finance']` names this principal. A person whose id looks like a group is never named by it. */
export function isNamedIn(names: readonly string[], { id, groups = [] }: Pick<Principal, 'id' | 'groups'>): boolean {
  return (!isGroupId(id) && names.includes(id)) || groups.some((group) => names.includes(GROUP + group))
}

/** The actor of an event, without its other fields. */
export function doneBy({ by, via, onBehalfOf }: Actor): Actor {
  return {
    ...(by !== undefined && { by }),
    ...(via !== undefined && { via }),
    ...(onBehalfOf !== undefined && { onBehalfOf }),
  }
}
