/**
 * The sessions of people who signed in. A session's id is 256 random bits, in a cookie. The store keeps its SHA-256, so
 * that a reader of the store cannot use it. A session is read for each request and never cached, so a sign-out ends it in
 * all processes at once.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { JsonObject } from '@holdpoint/core'
import { find, remove, type Documents } from '../documents.ts'
import { isScope, type Caller } from './caller.ts'
import type { SignedInPerson } from './openid-claims.ts'

const KIND = 'gateway.session'
const FORM = /^[\w-]{43}$/
/** A longer ID token would not fit into the URL of the provider's sign-out page. */
const MAX_ID_TOKEN = 4000

interface StoredSession {
  readonly person: SignedInPerson
  readonly expiresAt: number
  readonly idToken?: string
}

export class CookieSessions {
  readonly #documents: Documents
  readonly #now: () => number

  constructor(documents: Documents, now: () => number) {
    this.#documents = documents
    this.#now = now
  }

  /** Returns the value of the cookie. `idToken`: for the sign-out at the provider. */
  async create(person: SignedInPerson, ttlMs: number, idToken: string | undefined): Promise<string> {
    const value = randomBytes(32).toString('base64url')
    const session: StoredSession = {
      person,
      expiresAt: this.#now() + ttlMs,
      ...(idToken !== undefined && idToken.length <= MAX_ID_TOKEN && { idToken }),
    }
    const data = session as unknown as JsonObject
    await this.#documents.put({ tenant: '', kind: KIND, id: hashOf(value), data, ttlMs })
    return value
  }

  async find(value: string): Promise<Caller | undefined> {
    const session = await this.#read(value)
    if (!session) return undefined
    const { person, expiresAt } = session
    return {
      kind: 'person',
      tenant: person.tenant,
      ...(person.tenants && { tenants: person.tenants }),
      id: `user:${person.id}`,
      by: person.id,
      scopes: person.scopes.filter(isScope),
      groups: person.groups,
      expiresAt,
      ...(person.name !== undefined && { name: person.name }),
    }
  }

  /** Returns the ID token of the session that ended. */
  async end(value: string): Promise<{ readonly idToken?: string } | undefined> {
    const session = await this.#read(value)
    if (!session) return undefined
    await remove(this.#documents, { tenant: '', kind: KIND, id: hashOf(value) })
    return { ...(session.idToken !== undefined && { idToken: session.idToken }) }
  }

  async #read(value: string): Promise<StoredSession | undefined> {
    if (!FORM.test(value)) return undefined
    const doc = await find(this.#documents, '', KIND, hashOf(value))
    const session = doc && (doc.data as unknown as StoredSession)
    return session && session.expiresAt > this.#now() ? session : undefined
  }
}

function hashOf(value: string): string {
  return createHash('sha256').update(value).digest('hex')
}
