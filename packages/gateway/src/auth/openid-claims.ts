/** Reads the claims of a person who signed in: the id, the tenant, the groups and the scopes that follow from them. */
import type { Scope } from '@holdpoint/protocol'
import { id } from '../schemas.ts'
import type { OpenIdSettings } from './openid-options.ts'
import { RefusedSignIn } from './refused-sign-in.ts'
import { isReservedName } from './reserved-names.ts'

export type Claims = Readonly<Record<string, unknown>>

export interface SignedInPerson {
  readonly tenant: string
  /** When the claim names several: the tenants that the person may choose from. */
  readonly tenants?: readonly string[]
  readonly id: string
  readonly name?: string
  readonly groups: readonly string[]
  readonly scopes: readonly Scope[]
}

const MAX_GROUPS = 1000
const MAX_TENANTS = 100
const MAX_NAME_LENGTH = 200
/** The key of `scopesByGroup` that stands for every person. */
const EVERYONE = '*'

export function personFrom(
  claims: Claims,
  settings: Pick<OpenIdSettings, 'tenant' | 'groupsClaim' | 'scopesByGroup'>,
): SignedInPerson {
  const sub = claims['sub']
  if (!isName(sub)) throw refused('"sub" is missing or not a valid name')
  if (isReservedName(sub)) throw refused(`its sub is "${sub}", and names that start with "key:" are reserved for keys`)
  const [tenant, ...more] = tenantsFrom(claims, settings)
  const tenants = more.length > 0 && { tenants: [tenant, ...more] }
  const groups = groupsFrom(claims, settings)
  const scopes = scopesOf(groups, settings.scopesByGroup)
  if (scopes.length === 0)
    throw new RefusedSignIn('openid-scope', `"${sub}" is in no group of \`scopesByGroup\` (groups: ${shown(groups)})`)
  const name = nameFrom(claims)
  return { tenant, ...tenants, id: sub, groups, scopes, ...(name !== undefined && { name }) }
}

/** Whether one of the claims that we use is missing. Providers may leave claims out of the ID token. */
export function isIncomplete(claims: Claims, { tenant, groupsClaim, scopesByGroup }: OpenIdSettings): boolean {
  const usesGroups = [...scopesByGroup.keys()].some((group) => group !== EVERYONE)
  return (
    claims['name'] === undefined ||
    (typeof tenant === 'object' && claims[tenant.claim] === undefined) ||
    (usesGroups && claims[groupsClaim] === undefined)
  )
}

/** The tenants of the person, their own first. */
function tenantsFrom(
  claims: Claims,
  { tenant }: Pick<OpenIdSettings, 'tenant'>,
): readonly [string, ...(readonly string[])] {
  if (typeof tenant === 'string') return [tenant]
  const value = claims[tenant.claim]
  if (value === undefined) throw refused(`the tenant claim "${tenant.claim}" is missing`)
  const [first, ...more] = Array.isArray(value) ? (value as readonly unknown[]) : [value]
  if (!isName(first) || more.length >= MAX_TENANTS || !more.every(isName))
    throw refused(`the tenant claim "${tenant.claim}" is not a valid name, or a list of at most ${MAX_TENANTS} of them`)
  return [first, ...more]
}

function groupsFrom(claims: Claims, { groupsClaim }: Pick<OpenIdSettings, 'groupsClaim'>): readonly string[] {
  const value = claims[groupsClaim]
  if (value === undefined && isInAnotherPlace(claims, groupsClaim))
    throw refused(`the provider sent a reference in place of "${groupsClaim}": this person is in too many groups`)
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > MAX_GROUPS || !value.every(isName))
    throw refused(`the groups claim "${groupsClaim}" must be an array of at most ${MAX_GROUPS} names`)
  return value
}

/** Distributed claims: `_claim_names` says where the value is. We do not follow it. */
function isInAnotherPlace({ _claim_names: names }: Claims, claim: string): boolean {
  return typeof names === 'object' && names !== null && Object.hasOwn(names, claim)
}

function scopesOf(groups: readonly string[], byGroup: ReadonlyMap<string, readonly Scope[]>): readonly Scope[] {
  return [...new Set([EVERYONE, ...groups].flatMap((group) => byGroup.get(group) ?? []))]
}

function nameFrom({ name, preferred_username: username, email }: Claims): string | undefined {
  const found = [name, username, email].find((each) => typeof each === 'string' && each.trim() !== '')
  return typeof found === 'string' ? found.slice(0, MAX_NAME_LENGTH).toWellFormed() : undefined
}

function isName(value: unknown): value is string {
  return id.safeParse(value).success
}

function shown(groups: readonly string[]): string {
  return groups.length === 0 ? 'none' : groups.slice(0, 20).join(', ')
}

function refused(why: string): RefusedSignIn {
  return new RefusedSignIn('openid-claims', why)
}
