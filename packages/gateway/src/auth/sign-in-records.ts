/**
 * What the gateway must remember between the redirect to the provider and the callback. It is encrypted and kept in a
 * cookie, because a record in the store would let strangers fill the store. The key is in the store, so that the callback
 * may reach another process. A browser can only present a record that it got here itself.
 */
import { randomBytes } from 'node:crypto'
import { EncryptJWT, jwtDecrypt } from 'jose'
import type { JsonObject } from '@holdpoint/core'
import { create, find, type DocumentStore } from '../document-store.ts'

export interface SignInRecord {
  readonly state: string
  readonly nonce: string
  /** The PKCE code verifier. */
  readonly verifier: string
  /** The page to open after the sign-in. */
  readonly returnTo: string
}

/** How long a person may take to sign in at the provider. */
export const SIGN_IN_MS = 600_000

const KIND = 'gateway.sign-in-key'
const ID = 'current'
const ENCRYPTION = 'A256GCM'

export class SignInRecords {
  readonly #documents: DocumentStore
  readonly #now: () => number
  #key: Uint8Array | undefined

  constructor(documents: DocumentStore, now: () => number) {
    this.#documents = documents
    this.#now = now
  }

  async seal(record: SignInRecord): Promise<string> {
    return new EncryptJWT({ ...record })
      .setProtectedHeader({ alg: 'dir', enc: ENCRYPTION })
      .setExpirationTime(new Date(this.#now() + SIGN_IN_MS))
      .encrypt(await this.#keyOf())
  }

  /** Returns undefined for a record that is expired or was not sealed here. */
  async open(sealed: string): Promise<SignInRecord | undefined> {
    const key = await this.#keyOf()
    const options = {
      currentDate: new Date(this.#now()),
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: [ENCRYPTION],
      requiredClaims: ['exp'],
    }
    try {
      return (await jwtDecrypt<SignInRecord>(sealed, key, options)).payload
    } catch {
      return undefined
    }
  }

  /** The first process creates the key, and all others read it. */
  async #keyOf(): Promise<Uint8Array> {
    if (this.#key) return this.#key
    const fresh = randomBytes(32).toString('base64url')
    const doc = await find(this.#documents, '', KIND, ID)
    const made = doc ?? (await create(this.#documents, { tenant: '', kind: KIND, id: ID, data: { key: fresh } }))
    if ('result' in made && made.result === 'conflict') return this.#keyOf()
    const key = 'data' in made ? (made.data as JsonObject)['key'] : fresh
    this.#key = Buffer.from(typeof key === 'string' ? key : fresh, 'base64url')
    return this.#key
  }
}
