/** Sign-in by OpenID Connect, from the environment. */
import { HoldpointError, parseJson, type Json } from '@holdpoint/core'
import { isScope, SCOPES } from './auth/caller.ts'
import type { OpenIdOptions } from './auth/openid-options.ts'

type Env = Readonly<Record<string, string | undefined>>

const PREFIX = 'HOLDPOINT_OPENID_'

export const OPENID_SETTING_NAMES: readonly string[] = [
  'ISSUER',
  'CLIENT_ID',
  'CLIENT_SECRET',
  'URL',
  'NAME',
  'SCOPES',
  'TENANT',
  'TENANT_CLAIM',
  'GROUPS_CLAIM',
  'SCOPES_BY_GROUP',
  'SESSION_MS',
  'GROUPS_MAX_AGE_MS',
].map((name) => PREFIX + name)

export function openIdFromEnv(env: Env): OpenIdOptions | undefined {
  const given = (name: string): string | undefined => env[PREFIX + name] || undefined
  const [issuer, clientId, byGroup] = [given('ISSUER'), given('CLIENT_ID'), given('SCOPES_BY_GROUP')]
  if (issuer === undefined) {
    const other = OPENID_SETTING_NAMES.find((name) => env[name])
    if (other !== undefined)
      throw invalid(`${other} is set, but ${PREFIX}ISSUER is not. Set it to the URL of the provider`)
    return undefined
  }
  if (clientId === undefined)
    throw invalid(`${PREFIX}CLIENT_ID is not set. The provider assigns it when you register the gateway`)
  const [clientSecret, url, name] = [given('CLIENT_SECRET'), given('URL'), given('NAME')]
  const [tenant, tenantClaim, groupsClaim] = [given('TENANT'), given('TENANT_CLAIM'), given('GROUPS_CLAIM')]
  const scopes = given('SCOPES')
    ?.split(/[\s,]+/)
    .filter(Boolean)
  const [sessionMs, groupsMaxAgeMs] = [msOf('SESSION_MS', given), msOf('GROUPS_MAX_AGE_MS', given)]
  if (tenant !== undefined && tenantClaim !== undefined)
    throw invalid(`Set ${PREFIX}TENANT or ${PREFIX}TENANT_CLAIM, not both`)
  return {
    issuer,
    clientId,
    scopesByGroup: scopesByGroup(byGroup),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(url !== undefined && { url }),
    ...(name !== undefined && { name }),
    ...(scopes && { scopes }),
    ...(tenant !== undefined && { tenant }),
    ...(tenantClaim !== undefined && { tenant: { claim: tenantClaim } }),
    ...(groupsClaim !== undefined && { groupsClaim }),
    ...(sessionMs !== undefined && { sessionMs }),
    ...(groupsMaxAgeMs !== undefined && { groupsMaxAgeMs }),
  }
}

function msOf(name: string, given: (name: string) => string | undefined): number | undefined {
  const text = given(name)
  if (text === undefined || /^\d{1,12}$/.test(text)) return text === undefined ? undefined : Number(text)
  throw invalid(`${PREFIX}${name} must be a number of milliseconds, not "${text}"`)
}

function scopesByGroup(text: string | undefined): OpenIdOptions['scopesByGroup'] {
  const json = parseJson(text ?? '')
  if (json.ok && isScopesByGroup(json.value)) return json.value
  throw invalid(
    `${PREFIX}SCOPES_BY_GROUP must be a JSON object such as {"*":["reader"],"finance":["resolver","reader"]}. ` +
      `The scopes are ${SCOPES.join(', ')}`,
  )
}

function isScopesByGroup(value: Json): value is OpenIdOptions['scopesByGroup'] & Json {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((scopes) => Array.isArray(scopes) && scopes.every(isScope))
  )
}

function invalid(what: string): HoldpointError {
  return new HoldpointError('config-invalid', `${what}.`)
}
