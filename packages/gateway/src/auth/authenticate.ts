/** From the `Authorization` header to who is asking. One header, one place; there is no other way in, not from loopback either. */
import type { Keys } from './keys.ts'
import type { Principal } from './principal.ts'
import type { VerifyToken } from './tokens.ts'

export type Authenticate = (authorization: string | null) => Promise<Principal | undefined>

const BEARER = /^Bearer ([\x21-\x7e]+)$/i

export function authenticator(keys: Keys, verifyToken: VerifyToken | undefined): Authenticate {
  return async (authorization) => {
    const credential = BEARER.exec(authorization ?? '')?.[1]
    if (credential === undefined) return undefined
    const key = await keys.find(credential)
    return key ?? (credential.startsWith('hp_') ? undefined : verifyToken?.(credential))
  }
}
