/** The caller of a request: a program with a key, or a person whom a token or the application identified. */
import type { Authentication, Principal } from '@holdpoint/core'
import type { Scope } from '@holdpoint/protocol'

export interface Caller {
  readonly kind: 'program' | 'person'
  readonly tenant: string
  /** The tenants that the caller may choose from, its own first. Default: only its own. */
  readonly tenants?: readonly string[]
  /** Identifies the credential within the tenant. */
  readonly id: string
  /** The id of the program or person: the author of its messages and answers. */
  readonly by: string
  /** The name that people read. */
  readonly name?: string
  readonly groups?: readonly string[]
  /** The people that a key may act for: their ids, or `true` for all. Without it, none. */
  readonly mayActFor?: true | readonly string[]
  readonly scopes: readonly Scope[]
  /** The tools whose calls a worker may see and resolve. Default: all. */
  readonly tools?: readonly string[]
  /** When the credential expires. */
  readonly expiresAt?: number
  /** The id of the person's session, when its cookie authenticated the request. It is no secret. */
  readonly session?: string
  /** The application's own login identified the person. */
  readonly application?: true
}

export const SCOPES: readonly [Scope, ...Scope[]] = [
  'admin',
  'agent',
  'worker',
  'resolver',
  'reader',
  'conversations:read-all',
]

/** The principal that the runtime gets. A person who is not an admin reads and writes only their own conversations. */
export function principalOf(caller: Caller): Principal {
  const { kind, by, name, groups } = caller
  const auth = authenticationOf(caller)
  const access = kind === 'person' && !isAdmin(caller) && ({ access: 'own' } as const)
  return { id: by, kind, ...(name !== undefined && { name }), ...(groups && { groups }), auth, ...access }
}

export function authenticationOf({ kind, session, application }: Caller): Authentication {
  if (kind === 'program') return 'key'
  if (session !== undefined) return 'session'
  return application ? 'application' : 'token'
}

export function mayActFor({ mayActFor: people }: Caller, person: string): boolean {
  return people === true || (people?.includes(person) ?? false)
}

/** The tenants that the caller may choose from, its own first. */
export function tenantsOf({ tenant, tenants = [tenant] }: Caller): readonly string[] {
  return tenants
}

/**
 * The caller in another of its tenants, or undefined when that is not one of them. Its credential gets a
 * different id there, because a person of that tenant may have the same id.
 */
export function callerIn(caller: Caller, tenant: string): Caller | undefined {
  if (tenant === caller.tenant) return caller
  if (!tenantsOf(caller).includes(tenant)) return undefined
  return { ...caller, tenant, id: JSON.stringify([caller.tenant, caller.id]) }
}

/** Whether the caller's key may claim and resolve calls of this tool. */
export function mayWorkOn({ tools }: Caller, tool: string): boolean {
  return tools === undefined || tools.includes(tool)
}

/** The tenant that the id of the caller belongs to, also when the request chose another. */
export function ownTenantOf(caller: Caller): string {
  return tenantsOf(caller)[0] ?? caller.tenant
}

/** Whether both callers may see and do the same. */
export function hasSameRights(a: Caller, b: Caller): boolean {
  return rightsOf(a) === rightsOf(b)
}

function rightsOf({ tenant, kind, by, scopes, groups = [], tools }: Caller): string {
  return JSON.stringify([tenant, kind, by, scopes.toSorted(), groups.toSorted(), tools ?? null])
}

/** A key that is limited to tools sees only calls of these tools that are for workers. */
export function seesCall(caller: Caller, { name, kind }: { readonly name: string; readonly kind: string }): boolean {
  return caller.tools === undefined || (kind === 'external' && mayWorkOn(caller, name))
}

export function isAdmin({ scopes }: Caller): boolean {
  return scopes.includes('admin')
}

/** Whether the caller has one of these scopes, or `admin`. */
export function hasScope({ scopes }: Caller, needed: readonly Scope[]): boolean {
  return scopes.includes('admin') || needed.some((scope) => scopes.includes(scope))
}

export function isScope(value: unknown): value is Scope {
  return SCOPES.some((scope) => scope === value)
}
