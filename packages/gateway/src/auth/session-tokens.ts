/**
 * What the gateway keeps from the provider for a session: the ID token for the sign-out, and what reads the groups again.
 * These are credentials at the provider, so a copy of the store must not give them away. They are encrypted with a key
 * made from the cookie, and the store has only a hash of the cookie.
 */
import { hkdfSync } from 'node:crypto'
import { compactDecrypt, CompactEncrypt } from 'jose'

/** What asks the provider about the person again. */
export type Renewal =
  | { readonly by: 'refresh-token'; readonly token: string }
  /** The userinfo endpoint has the groups. `until`: when the access token expires, if the provider says so. */
  | { readonly by: 'userinfo'; readonly token: string; readonly until?: number }

export interface SessionTokens {
  readonly idToken?: string
  readonly renewal?: Renewal
}

const ENCRYPTION = 'A256GCM'

export async function sealTokens(cookie: string, tokens: SessionTokens): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(tokens)))
    .setProtectedHeader({ alg: 'dir', enc: ENCRYPTION })
    .encrypt(keyOf(cookie))
}

export async function openTokens(cookie: string, sealed: string): Promise<SessionTokens> {
  const options = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: [ENCRYPTION] }
  const { plaintext } = await compactDecrypt(sealed, keyOf(cookie), options)
  return JSON.parse(new TextDecoder().decode(plaintext)) as SessionTokens
}

function keyOf(cookie: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', cookie, '', 'holdpoint session tokens', 32))
}
