/** Who is asking: a key of a program or a token of a person, always of one tenant. */
import type { Scope } from '@holdpoint/protocol'

export interface Principal {
  readonly kind: 'key' | 'user'
  readonly tenant: string
  /** Tells it from every other credential of the tenant. */
  readonly id: string
  /** Who a message or an answer comes from, unless a key says for whom it speaks. */
  readonly by: string
  readonly scopes: readonly Scope[]
  /** When it is over by itself. */
  readonly expiresAt?: number
}

export const SCOPES: readonly [Scope, ...Scope[]] = ['admin', 'agent', 'worker', 'resolver', 'reader']

export function may({ scopes }: Principal, needed: readonly Scope[]): boolean {
  return scopes.includes('admin') || needed.some((scope) => scopes.includes(scope))
}

export function isScope(value: unknown): value is Scope {
  return SCOPES.some((scope) => scope === value)
}
