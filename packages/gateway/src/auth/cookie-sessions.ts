/**
 * The sessions of people who signed in. The cookie has 256 random bits. The store keeps its SHA-256, so that a reader of
 * the store cannot use it. A session is read for each request and never cached, so its end holds in all processes at once.
 *
 * Each session also has an id that is no secret, by which its person or an admin ends it. A person's sessions are listed
 * in their own tenant, so an admin of another tenant does not find them.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { JsonObject, Page } from '@holdpoint/core'
import type { PersonSessionRow } from '@holdpoint/protocol'
import { find, list, remove, type DocumentStore } from '../document-store.ts'
import { isScope, type Caller } from './caller.ts'
import type { SignedInPerson } from './openid-claims.ts'

/** By the hash of the cookie, across all tenants. These documents are never listed. */
const SESSION = 'gateway.session'
/** By person and id, in the person's own tenant. */
const OF_PERSON = 'gateway.session-of'
const FORM = /^[\w-]{43}$/
const MAX_BROWSER_LENGTH = 200
const PAGE = 100

export interface CookieSession {
  readonly id: string
  readonly person: SignedInPerson
  readonly createdAt: number
  readonly expiresAt: number
  /** The `User-Agent` header of the sign-in. */
  readonly browser?: string
  /** When the provider last confirmed the person and the groups. Undefined when it cannot be asked again. */
  readonly confirmedAt?: number
  /** A process asks the provider until then. `failed`: it did not answer, and is asked again after that time. */
  readonly attempt?: { readonly until: number; readonly failed?: true }
  /** From `sealTokens`. */
  readonly tokens?: string
}

export interface FoundSession {
  readonly session: CookieSession
  /** For `replace`. */
  readonly version: number
}

export type NewSession = Omit<CookieSession, 'id' | 'createdAt' | 'attempt'>

export class CookieSessions {
  readonly #documents: DocumentStore
  readonly #now: () => number
  readonly #ended: (id: string) => void

  /** `ended`: called when a session was ended in this process. */
  constructor(documents: DocumentStore, now: () => number, ended: (id: string) => void = () => {}) {
    this.#documents = documents
    this.#now = now
    this.#ended = ended
  }

  /** Stores the session of a new cookie. */
  async create(cookie: string, { browser = '', ...more }: NewSession): Promise<void> {
    const { person, expiresAt } = more
    const createdAt = this.#now()
    const id = randomBytes(12).toString('base64url')
    const shown = browser.slice(0, MAX_BROWSER_LENGTH).toWellFormed()
    const session: CookieSession = { ...more, id, createdAt, ...(shown !== '' && { browser: shown }) }
    const ttlMs = expiresAt - createdAt
    // Write the listed document first: a working session that is not listed could not be ended.
    await this.#documents.put({ ...listed(person.tenant, person.id, id), data: { hash: hashOf(cookie) }, ttlMs })
    await this.#documents.put({ ...stored(hashOf(cookie)), data: jsonOf(session), ttlMs })
  }

  async find(cookie: string): Promise<FoundSession | undefined> {
    return FORM.test(cookie) ? this.#read(hashOf(cookie)) : undefined
  }

  /**
   * An end must not be undone by a slower write: returns undefined when the session has ended or changed since. Otherwise
   * the new version.
   */
  async replace(cookie: string, session: CookieSession, version: number): Promise<number | undefined> {
    const ttlMs = Math.max(1, session.expiresAt - this.#now())
    const put = { ...stored(hashOf(cookie)), data: jsonOf(session), expected: version, ttlMs }
    const written = await this.#documents.put(put)
    return written.result === 'ok' ? written.version : undefined
  }

  /** Returns the session that ended. */
  async end(cookie: string): Promise<CookieSession | undefined> {
    const found = await this.find(cookie)
    if (found) await this.#end(hashOf(cookie), found.session)
    return found?.session
  }

  /** The sessions of a person who signs in to this tenant. */
  async list(
    tenant: string,
    person: string,
    { after, limit }: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<Page<CookieSession>> {
    const prefix = idOf(person, '')
    const query = { tenant, kind: OF_PERSON, prefix, limit, ...(after !== undefined && { after }) }
    const { items, next } = await list(this.#documents, query)
    const found = await Promise.all(items.map(({ data }) => this.#read(hashIn(data as JsonObject))))
    return { items: found.flatMap((each) => (each ? [each.session] : [])), next }
  }

  /** Ends a session of this person. An id of another person's session ends nothing. */
  async endOne(tenant: string, person: string, id: string): Promise<void> {
    const doc = await find(this.#documents, tenant, OF_PERSON, idOf(person, id))
    const hash = doc && hashIn(doc.data as JsonObject)
    const found = hash === undefined ? undefined : await this.#read(hash)
    if (hash !== undefined && found) await this.#end(hash, found.session)
  }

  /** Ends all sessions of this person. `except`: the id of one that stays. */
  async endAll(tenant: string, person: string, except?: string): Promise<void> {
    for (let after: string | undefined; ;) {
      const { items, next } = await this.list(tenant, person, { after, limit: PAGE })
      for (const { id } of items) if (id !== except) await this.endOne(tenant, person, id)
      if (next === undefined) return
      after = next
    }
  }

  async #read(hash: string): Promise<FoundSession | undefined> {
    const { tenant, kind, id } = stored(hash)
    const doc = await find(this.#documents, tenant, kind, id)
    const session = doc && (doc.data as unknown as CookieSession)
    return session && session.expiresAt > this.#now() ? { session, version: doc.version } : undefined
  }

  /** The session first: one that is only listed does nothing. */
  async #end(hash: string, { id, person }: CookieSession): Promise<void> {
    await remove(this.#documents, stored(hash))
    await remove(this.#documents, listed(person.tenant, person.id, id))
    this.#ended(id)
  }
}

export function newCookie(): string {
  return randomBytes(32).toString('base64url')
}

export function callerOfSession({ id, person, expiresAt }: CookieSession): Caller {
  return {
    kind: 'person',
    tenant: person.tenant,
    ...(person.tenants && { tenants: person.tenants }),
    id: `user:${person.id}`,
    by: person.id,
    scopes: person.scopes.filter(isScope),
    groups: person.groups,
    expiresAt,
    session: id,
    ...(person.name !== undefined && { name: person.name }),
  }
}

/** Without anything that opens the session. */
export function rowOfSession({ id, createdAt, expiresAt, browser }: CookieSession, current?: string): PersonSessionRow {
  return {
    id,
    createdAt,
    expiresAt,
    ...(browser !== undefined && { browser }),
    ...(id === current && { current: true }),
  }
}

function hashOf(cookie: string): string {
  return createHash('sha256').update(cookie).digest('hex')
}

function hashIn({ hash }: JsonObject): string {
  return typeof hash === 'string' ? hash : ''
}

function stored(hash: string): { readonly tenant: string; readonly kind: string; readonly id: string } {
  return { tenant: '', kind: SESSION, id: hash }
}

function listed(
  tenant: string,
  person: string,
  session: string,
): { readonly tenant: string; readonly kind: string; readonly id: string } {
  return { tenant, kind: OF_PERSON, id: idOf(person, session) }
}

/** Encoded, so that no name contains the separator. */
function idOf(person: string, session: string): string {
  return `${encodeURIComponent(person)}/${session}`
}

function jsonOf(session: CookieSession): JsonObject {
  return session as unknown as JsonObject
}
