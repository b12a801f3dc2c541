/** The options of sign-in by OpenID Connect, checked at the start. */
import { HoldpointError } from '@holdpoint/core'
import type { Scope } from '@holdpoint/protocol'
import { isLoopbackHost } from '../http/host-and-origin.ts'
import { id } from '../schemas.ts'
import { isScope, SCOPES } from './caller.ts'

export interface OpenIdOptions {
  /** The provider: https, or http on loopback. */
  readonly issuer: string
  readonly clientId: string
  /** Without it, the gateway is a public client of the provider. */
  readonly clientSecret?: string
  /** The URL at which browsers open the gateway: `https://holdpoint.acme.test`. Required unless it is on loopback. */
  readonly url?: string
  /** The provider's name on the button. Default: the issuer's host. */
  readonly name?: string
  /** The scopes to request from the provider. Default: `['openid', 'profile']`. */
  readonly scopes?: readonly string[]
  /** The tenant of all who sign in, or the claim that names it. Default: the tenant without a name. */
  readonly tenant?: string | { readonly claim: string }
  /** Default: `groups`. */
  readonly groupsClaim?: string
  /** The gateway's scopes by group of the provider. `*`: everyone who can sign in at the provider. */
  readonly scopesByGroup: Readonly<Record<string, readonly Scope[]>>
  /** How long a session lasts. Default: 8 hours. */
  readonly sessionMs?: number
  /**
   * The largest age of the groups that a request is decided with. They are read again from half of it on. Without an answer
   * of the provider, requests are refused when it is over. Default: 10 minutes.
   */
  readonly groupsMaxAgeMs?: number
}

/** The options with their defaults. */
export interface OpenIdSettings {
  readonly issuer: URL
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly origin: string | undefined
  readonly name: string
  readonly scopes: readonly string[]
  readonly tenant: string | { readonly claim: string }
  readonly groupsClaim: string
  readonly scopesByGroup: ReadonlyMap<string, readonly Scope[]>
  readonly sessionMs: number
  readonly groupsMaxAgeMs: number
}

const HOUR_MS = 3_600_000
const LONGEST_SESSION_MS = 30 * 24 * HOUR_MS
const TEN_MINUTES_MS = 600_000

/** `hosts`: the names that the gateway serves. */
export function openIdSettings(options: OpenIdOptions, hosts: readonly string[]): OpenIdSettings {
  const { clientId, clientSecret, scopes = ['openid', 'profile'], tenant = '', sessionMs = 8 * HOUR_MS } = options
  const { groupsMaxAgeMs = TEN_MINUTES_MS } = options
  const issuer = secureUrl(options.issuer, 'issuer')
  if (clientId === '') throw invalid('`clientId` is empty. The provider assigns it when you register the gateway')
  if (clientSecret === '') throw invalid('`clientSecret` is empty. Leave it out for a public client')
  if (!scopes.includes('openid')) throw invalid('`scopes` must contain "openid"')
  if (typeof tenant === 'string' && tenant !== '' && !id.safeParse(tenant).success)
    throw invalid(`\`tenant\` is ${JSON.stringify(tenant)}, which is not a valid name`)
  if (!Number.isInteger(sessionMs) || sessionMs < 60_000 || sessionMs > LONGEST_SESSION_MS)
    throw invalid('`sessionMs` must be a number of milliseconds from a minute to 30 days')
  if (!Number.isInteger(groupsMaxAgeMs) || groupsMaxAgeMs < 20_000 || groupsMaxAgeMs > LONGEST_SESSION_MS)
    throw invalid('`groupsMaxAgeMs` must be a number of milliseconds from 20 seconds to 30 days')
  return {
    issuer,
    clientId,
    clientSecret,
    origin: originOf(options.url, hosts),
    name: options.name ?? issuer.host,
    scopes,
    tenant,
    groupsClaim: options.groupsClaim ?? 'groups',
    scopesByGroup: checkedScopes(options.scopesByGroup),
    sessionMs,
    groupsMaxAgeMs,
  }
}

/** The Host header is chosen by the client, so the address that the provider redirects to must come from the operator. */
function originOf(url: string | undefined, hosts: readonly string[]): string | undefined {
  if (url === undefined) {
    if (hosts.every(isLoopbackHost)) return undefined
    throw invalid('`url` is missing: set it to the URL at which browsers open the gateway (HOLDPOINT_OPENID_URL)')
  }
  const { origin, pathname, search, hash } = secureUrl(url, 'url')
  if (pathname !== '/' || search !== '' || hash !== '')
    throw invalid('`url` must have no path: https://holdpoint.acme.test')
  return origin
}

function secureUrl(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.host))))
    throw invalid(`\`${what}\` must be an https URL; http is allowed only on loopback`)
  return url
}

/** At least one entry is required: with none, no person could sign in; with a default, every account of the provider could. */
function checkedScopes(byGroup: OpenIdOptions['scopesByGroup']): ReadonlyMap<string, readonly Scope[]> {
  const entries = Object.entries(byGroup)
  if (entries.length === 0)
    throw invalid(
      '`scopesByGroup` is empty. Name the groups that may sign in, such as {"finance":["resolver","reader"]}',
    )
  for (const [group, scopes] of entries)
    if (!Array.isArray(scopes) || scopes.length === 0 || !scopes.every(isScope))
      throw invalid(`\`scopesByGroup\` needs a list of scopes for "${group}". The scopes are ${SCOPES.join(', ')}`)
  return new Map(entries)
}

function invalid(what: string): HoldpointError {
  return new HoldpointError('config-invalid', `OpenID Connect: ${what}.`)
}
