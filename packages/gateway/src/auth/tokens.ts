/**
 * Tokens of people: JWTs from an external issuer, with the claims `tenant` or `tenants`, `sub` and `scope`, and
 * optionally `groups` and `name`. The settings alone decide which algorithms are accepted: a public key is never used
 * as a shared secret.
 */
import { createRemoteJWKSet, jwtVerify, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions } from 'jose'
import { HoldpointError, messageOf } from '@holdpoint/core'
import { isLoopbackHost } from '../http/host-and-origin.ts'
import { id, tenantList, tenantName } from '../schemas.ts'
import { isScope, type Caller } from './caller.ts'
import { isReservedName } from './reserved-names.ts'

export type TokenOptions = {
  /** A token that expires later than this from now is refused. Default: one day. */
  readonly maxLifeMs?: number
} & (
  | {
      /** The URL of the issuer's public keys: https, or http on loopback. */
      readonly jwks: string
      readonly issuer: string
      readonly audience: string
      readonly secret?: never
    }
  | {
      /** At least 32 characters. */
      readonly secret: string
      readonly issuer?: string
      readonly audience?: string
      readonly jwks?: never
    }
)

export type VerifyToken = (token: string) => Promise<Caller | undefined>

/** Why a credential was refused. Only the operator sees the reason, because it would help a caller who guesses. */
export interface RefusedCredential {
  /** Machine-readable: `token-expired`. */
  readonly reason: string
  readonly message: string
}

const SIGNED_BY_KEY = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA']
const LONGEST = 16_000
const DAY_MS = 86_400_000

/** `refused` receives the reason when a token is refused. */
export function tokenVerifier(
  options: TokenOptions,
  now: () => number,
  refused: (why: RefusedCredential) => void = () => {},
): VerifyToken {
  const { maxLifeMs = DAY_MS } = options
  const shared: JWTVerifyOptions = {
    requiredClaims: ['exp', 'sub'],
    ...(options.issuer !== undefined && { issuer: options.issuer }),
    ...(options.audience !== undefined && { audience: options.audience }),
  }
  const verify = verifierOf(options)
  return async (token) => {
    try {
      if (token.length > LONGEST) throw new RefusedToken('token-too-large', `it is longer than ${LONGEST} characters`)
      return callerOf(await verify(token, { ...shared, currentDate: new Date(now()) }), now() + maxLifeMs)
    } catch (error) {
      const reason = reasonOf(error)
      refused({ reason, message: `A token was refused (${reason}): ${messageOf(error)}` })
      return undefined
    }
  }
}

/** A warning for the operator when an optional check is not configured. */
export function tokenWarning({ issuer, audience }: TokenOptions): string | undefined {
  const missing = [issuer === undefined && '`issuer`', audience === undefined && '`audience`'].filter(Boolean)
  if (missing.length === 0) return undefined
  return (
    `Tokens are accepted without a check of their ${missing.join(' and ')}: any token that was signed ` +
    `with the same secret, for any service, is accepted. Set ${missing.join(' and ')} (HOLDPOINT_ISSUER, HOLDPOINT_AUDIENCE).`
  )
}

/** A token with a valid signature and claims that we refuse. */
class RefusedToken extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'token-expired',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'token-signature',
  ERR_JOSE_ALG_NOT_ALLOWED: 'token-algorithm',
  ERR_JWS_INVALID: 'token-malformed',
  ERR_JWT_INVALID: 'token-malformed',
  ERR_JWKS_NO_MATCHING_KEY: 'token-signer-unknown',
}

function reasonOf(error: unknown): string {
  if (error instanceof RefusedToken) return error.code
  const { code, claim } = error as { readonly code?: unknown; readonly claim?: unknown }
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED')
    return claim === 'iss' ? 'token-issuer' : claim === 'aud' ? 'token-audience' : 'token-claims'
  // The token may be valid: the issuer's public keys could not be fetched.
  return (typeof code === 'string' ? REASONS[code] : undefined) ?? 'jwks-unreachable'
}

function verifierOf(options: TokenOptions): (token: string, check: JWTVerifyOptions) => Promise<JWTPayload> {
  if (options.jwks !== undefined) {
    const keys: JWTVerifyGetKey = createRemoteJWKSet(jwksUrl(options), { timeoutDuration: 5000 })
    return async (token, check) => (await jwtVerify(token, keys, { ...check, algorithms: SIGNED_BY_KEY })).payload
  }
  if (options.secret.length < 32)
    throw new HoldpointError('config-invalid', 'The token secret must have at least 32 characters.')
  const secret = new TextEncoder().encode(options.secret)
  return async (token, check) => (await jwtVerify(token, secret, { ...check, algorithms: ['HS256'] })).payload
}

/**
 * An attacker who can change the response with the public keys can sign any token, so https is required. An issuer
 * signs for many services, so `issuer` and `audience` are required.
 */
function jwksUrl({ jwks, issuer, audience }: { jwks: string; issuer?: string; audience?: string }): URL {
  const url = URL.canParse(jwks) ? new URL(jwks) : undefined
  if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.host))))
    throw new HoldpointError(
      'config-invalid',
      '`jwks` must be the https URL of public keys; http is allowed only on loopback.',
    )
  if (!issuer || !audience)
    throw new HoldpointError(
      'config-invalid',
      'With `jwks`, set `issuer` and `audience`, so that only tokens for this gateway are accepted ' +
        '(HOLDPOINT_ISSUER, HOLDPOINT_AUDIENCE).',
    )
  return url
}

function callerOf({ sub, exp, tenant: given, tenants, scope, groups, name }: JWTPayload, latest: number): Caller {
  if (typeof sub !== 'string' || !id.safeParse(sub).success || exp === undefined)
    throw new RefusedToken('token-claims', '"sub" is not a valid name')
  if (isReservedName(sub))
    throw new RefusedToken(
      'token-sub-reserved',
      `its sub is "${sub}", and names that start with "key:" are reserved for keys`,
    )
  const { tenant, all } = tenantsFrom(given, tenants)
  if (exp * 1000 > latest)
    throw new RefusedToken('token-life', 'it expires later than `maxLifeMs` allows (HOLDPOINT_TOKEN_LIFE_MS)')
  if (scope !== undefined && typeof scope !== 'string')
    throw new RefusedToken(
      'token-claims',
      '"scope" must be text with spaces between the scopes, such as "agent reader"',
    )
  if (groups !== undefined && !isNames(groups))
    throw new RefusedToken('token-claims', '"groups" must be a list of names')
  const scopes = (scope ?? '').split(' ').filter(isScope)
  return {
    kind: 'person',
    tenant,
    ...(all && { tenants: all }),
    id: `user:${sub}`,
    by: sub,
    scopes,
    expiresAt: exp * 1000,
    ...(isNames(groups) && { groups }),
    ...(typeof name === 'string' && name !== '' && { name }),
  }
}

/** `tenants` is for staff of several tenants: their own is first. */
function tenantsFrom(tenant: unknown, tenants: unknown): { readonly tenant: string; readonly all?: readonly string[] } {
  if (tenant === undefined && tenants === undefined)
    throw new RefusedToken('token-claims', 'missing required "tenant" claim')
  const own = tenantName.optional().safeParse(tenant)
  if (!own.success) throw new RefusedToken('token-claims', '"tenant" is not a valid name')
  if (tenants === undefined) return { tenant: own.data ?? '' }
  const all = tenantList.safeParse(tenants)
  if (!all.success)
    throw new RefusedToken('token-claims', '"tenants" must be an array of 1 to 100 names, and not one text')
  const [first = ''] = all.data
  if (own.data !== undefined && own.data !== first)
    throw new RefusedToken('token-claims', '"tenant" must be the first of "tenants", or left out')
  return { tenant: first, all: all.data }
}

const MAX_GROUPS = 1000

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= MAX_GROUPS && value.every((each) => id.safeParse(each).success)
}
