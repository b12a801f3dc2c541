/** The caller: a program with a key or a person with a token, always in one tenant. */
import type { Scope } from '@holdpoint/protocol'

export interface Principal {
  readonly kind: 'key' | 'user'
  readonly tenant: string
  /** Identifies the credential within the tenant. */
  readonly id: string
  /** The default author of a message or an answer. A key may name another author. */
  readonly by: string
  readonly scopes: readonly Scope[]
  /** When the credential expires. */
  readonly expiresAt?: number
}

export const SCOPES: readonly [Scope, ...Scope[]] = ['admin', 'agent', 'worker', 'resolver', 'reader']

export function isAdmin({ scopes }: Principal): boolean {
  return scopes.includes('admin')
}

/** Whether the caller has one of these scopes, or `admin`. */
export function hasScope({ scopes }: Principal, needed: readonly Scope[]): boolean {
  return scopes.includes('admin') || needed.some((scope) => scopes.includes(scope))
}

export function isScope(value: unknown): value is Scope {
  return SCOPES.some((scope) => scope === value)
}
