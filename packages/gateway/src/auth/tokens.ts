/**
 * Tokens of people: JWTs that somebody else signed, with `tenant`, `sub` and `scope` in them. Which algorithms are taken
 * follows from the settings alone: a public key is never used as a shared secret.
 */
import { createRemoteJWKSet, jwtVerify, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions } from 'jose'
import { HoldpointError } from '@holdpoint/core'
import { id } from '../schemas.ts'
import { isScope, type Principal } from './principal.ts'

export type TokenOptions = {
  readonly issuer?: string
  readonly audience?: string
} & (
  | { readonly jwks: string; readonly secret?: never }
  /** At least 32 characters. */
  | { readonly secret: string; readonly jwks?: never }
)

export type VerifyToken = (token: string) => Promise<Principal | undefined>

const SIGNED_BY_KEY = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA']
const LONGEST = 16_000

export function tokenVerifier(options: TokenOptions): VerifyToken {
  const shared: JWTVerifyOptions = {
    requiredClaims: ['exp', 'sub', 'tenant'],
    ...(options.issuer !== undefined && { issuer: options.issuer }),
    ...(options.audience !== undefined && { audience: options.audience }),
  }
  const verify = verifierOf(options, shared)
  return async (token) => {
    if (token.length > LONGEST) return undefined
    // Why a token is not good is nobody's business but its issuer's.
    const payload = await verify(token).catch(() => undefined)
    return payload && principalOf(payload)
  }
}

function verifierOf(options: TokenOptions, shared: JWTVerifyOptions): (token: string) => Promise<JWTPayload> {
  if (options.jwks !== undefined) {
    const keys: JWTVerifyGetKey = createRemoteJWKSet(new URL(options.jwks), { timeoutDuration: 5000 })
    return async (token) => (await jwtVerify(token, keys, { ...shared, algorithms: SIGNED_BY_KEY })).payload
  }
  if (options.secret.length < 32)
    throw new HoldpointError('config-invalid', 'The secret of tokens has at least 32 characters.')
  const secret = new TextEncoder().encode(options.secret)
  return async (token) => (await jwtVerify(token, secret, { ...shared, algorithms: ['HS256'] })).payload
}

function principalOf({ sub, exp, tenant, scope }: JWTPayload): Principal | undefined {
  if (!id.safeParse(sub).success || typeof sub !== 'string' || exp === undefined) return undefined
  if (typeof tenant !== 'string' || (tenant !== '' && !id.safeParse(tenant).success)) return undefined
  const scopes = typeof scope === 'string' ? scope.split(' ').filter(isScope) : []
  return { kind: 'user', tenant, id: `user:${sub}`, by: sub, scopes, expiresAt: exp * 1000 }
}
