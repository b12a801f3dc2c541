/** Checks the option `by`: the id of a person, or a principal. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { isObject } from '@holdpoint/core/internal/json'
import type { Principal } from '@holdpoint/core/internal/principal'

const AUTHENTICATIONS: readonly unknown[] = ['key', 'token', 'session', 'application', 'channel']
const KINDS: readonly unknown[] = ['person', 'program', 'agent']

export const PRINCIPAL_INVALID = '"by" must be the id of a person, or a principal: { id, kind, groups? }.'

export function isPrincipalOrId(by: unknown): by is string | Principal | undefined {
  if (by === undefined || typeof by === 'string') return true
  if (!isObject(by)) return false
  const {
    id,
    kind,
    groups = [],
    name = '',
    via = '',
    auth = 'key',
    access = 'all',
    delegations = [],
  } = by as Readonly<Record<string, unknown>>
  return (
    typeof id === 'string' &&
    KINDS.includes(kind) &&
    isTexts(groups) &&
    typeof name === 'string' &&
    typeof via === 'string' &&
    AUTHENTICATIONS.includes(auth) &&
    (access === 'own' || access === 'all') &&
    Array.isArray(delegations) &&
    delegations.every(isDelegation)
  )
}

export function checkPrincipal(by: unknown): string | Principal | undefined {
  if (!isPrincipalOrId(by)) throw new HoldpointError('config-invalid', PRINCIPAL_INVALID)
  return by
}

function isDelegation(value: unknown): boolean {
  if (!isObject(value)) return false
  const { from, until } = value as Readonly<Record<string, unknown>>
  if (!isObject(from) || typeof until !== 'number') return false
  const { id, groups = [] } = from as Readonly<Record<string, unknown>>
  return typeof id === 'string' && isTexts(groups)
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
