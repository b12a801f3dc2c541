/**
 * Reads the `Authorization` header and finds the caller. Every request authenticates this way, requests from loopback
 * too.
 */
import type { Keys } from './keys.ts'
import type { Caller } from './caller.ts'
import type { RefusedCredential, VerifyToken } from './tokens.ts'

export type Authenticate = (authorization: string | null) => Promise<Caller | undefined>

const BEARER = /^Bearer ([\x21-\x7e]+)$/i

/** `refused` receives the reason when a credential is refused. */
export function authenticator(
  keys: Keys,
  verifyToken: VerifyToken | undefined,
  refused: (why: RefusedCredential) => void,
): Authenticate {
  return async (authorization) => {
    if (authorization === null) return undefined
    const credential = BEARER.exec(authorization)?.[1]
    if (credential === undefined) {
      refused({
        reason: 'not-bearer',
        message: 'A request was refused (not-bearer): its Authorization header is not `Bearer …`',
      })
      return undefined
    }
    const key = await keys.find(credential)
    if (key) return key
    if (verifyToken && !credential.startsWith('hp_')) return verifyToken(credential)
    refused(credential.startsWith('hp_') ? UNKNOWN_KEY : NO_TOKENS)
    return undefined
  }
}

const UNKNOWN_KEY: RefusedCredential = {
  reason: 'key-unknown',
  message: 'A key was refused (key-unknown): it is unknown, revoked or expired',
}

const NO_TOKENS: RefusedCredential = {
  reason: 'tokens-off',
  message: 'A token was refused (tokens-off): neither `jwks` nor `secret` is configured',
}
