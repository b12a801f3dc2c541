/**
 * API keys of programs. A key is 256 random bits and is shown once, when it is created. The store keeps its SHA-256, so
 * that a reader of the store cannot use it. A lookup by that hash gives the tenant and the scopes.
 */
import { createHash, randomBytes } from 'node:crypto'
import { HoldpointError, type Json, type JsonObject, type Page } from '@holdpoint/core'
import type { CreatedKey, KeyRow, Scope } from '@holdpoint/protocol'
import { find, list, remove, type Documents } from '../documents.ts'
import { CappedIds } from '../capped-ids.ts'
import { isScope, type Principal } from './principal.ts'

export interface NewKey {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly ttlMs?: number
}

/** By the key's hash, across all tenants. These documents are never listed. */
const BY_HASH = 'gateway.key-hash'
/** By the key's id, in its tenant. */
const KEY = 'gateway.key'
const FORM = /^hp_[A-Za-z0-9_-]{43}$/
/** How long a key is cached. Other nodes accept a revoked key for this long. */
const CACHE_MS = 5000
const MAX_CACHED = 10_000

export class Keys {
  readonly #documents: Documents
  readonly #now: () => number
  /** The ids of keys created over HTTP. */
  readonly #createdIds: CappedIds
  readonly #cache = new Map<string, { readonly principal: Principal | undefined; readonly until: number }>()
  readonly #configured = new Map<string, Principal>()

  constructor(documents: Documents, now: () => number) {
    this.#documents = documents
    this.#now = now
    this.#createdIds = new CappedIds(documents, KEY, now)
  }

  /** Adds a key from the settings. It is not stored. */
  addConfigured(key: string, { tenant, scopes }: { readonly tenant: string; readonly scopes: readonly Scope[] }): void {
    if (!/^[\x21-\x7e]{32,200}$/.test(key))
      throw new HoldpointError(
        'config-invalid',
        'A key in the settings must have 32 to 200 ASCII characters and no spaces.',
      )
    const hash = hashOf(key)
    const id = `fixed-${hash.slice(0, 8)}`
    this.#configured.set(hash, { kind: 'key', tenant, id, by: `key:${id}`, scopes })
  }

  /** For programs: no limit on the number of keys. */
  create(tenant: string, key: NewKey): Promise<CreatedKey & { readonly key: string }> {
    return this.#create(tenant, newId(), key)
  }

  /** Returns undefined when the tenant already has `most` keys that were created this way. */
  async createUpTo(
    most: number,
    tenant: string,
    key: NewKey,
  ): Promise<(CreatedKey & { readonly key: string }) | undefined> {
    const id = newId()
    const until = key.ttlMs === undefined ? {} : { until: this.#now() + key.ttlMs }
    return (await this.#createdIds.add(tenant, { id, ...until }, most)) ? this.#create(tenant, id, key) : undefined
  }

  async #create(
    tenant: string,
    id: string,
    { name, scopes, ttlMs }: NewKey,
  ): Promise<CreatedKey & { readonly key: string }> {
    const key = `hp_${randomBytes(32).toString('base64url')}`
    const createdAt = this.#now()
    const row: KeyRow = { id, name, scopes, createdAt, ...(ttlMs !== undefined && { expiresAt: createdAt + ttlMs }) }
    const data: JsonObject = { ...row, scopes: [...scopes], hash: hashOf(key) }
    const expiry = ttlMs === undefined ? {} : { ttlMs }
    // Write the listed document first: a working key that is not listed could not be revoked.
    await this.#documents.put({ tenant, kind: KEY, id, data, ...expiry })
    await this.#documents.put({ tenant: '', kind: BY_HASH, id: hashOf(key), data: { ...data, tenant }, ...expiry })
    return { ...row, key }
  }

  async list(tenant: string, after: string | undefined, limit: number): Promise<Page<KeyRow>> {
    const { items, next } = await list(this.#documents, {
      tenant,
      kind: KEY,
      limit,
      ...(after !== undefined && { after }),
    })
    return { items: items.map(({ data }) => rowOf(data)), next }
  }

  /** Returns false when there is no such key. */
  async revoke(tenant: string, id: string): Promise<boolean> {
    const doc = await find(this.#documents, tenant, KEY, id)
    if (!doc) return false
    const hash = (doc.data as JsonObject)['hash']
    if (typeof hash === 'string') {
      await remove(this.#documents, { tenant: '', kind: BY_HASH, id: hash })
      this.#cache.delete(hash)
    }
    await remove(this.#documents, { tenant, kind: KEY, id })
    await this.#createdIds.remove(tenant, id)
    return true
  }

  async find(key: string): Promise<Principal | undefined> {
    const hash = hashOf(key)
    const configured = this.#configured.get(hash)
    if (configured) return configured
    if (!FORM.test(key)) return undefined
    const now = this.#now()
    const known = this.#cache.get(hash)
    if (known && known.until > now) return valid(known.principal, now)
    const doc = await find(this.#documents, '', BY_HASH, hash)
    const principal = doc && principalOf(doc.data)
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear()
    // Do not cache unknown keys: guesses would fill the cache.
    if (principal) this.#cache.set(hash, { principal, until: now + CACHE_MS })
    else this.#cache.delete(hash)
    return valid(principal, now)
  }
}

function newId(): string {
  return randomBytes(9).toString('base64url')
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

function valid(principal: Principal | undefined, now: number): Principal | undefined {
  return principal && (principal.expiresAt ?? Infinity) > now ? principal : undefined
}

function rowOf(data: Json): KeyRow {
  const { hash: _hash, tenant: _tenant, ...row } = data as JsonObject
  return row as unknown as KeyRow
}

function principalOf(data: Json): Principal {
  const { id, name, scopes, expiresAt, tenant } = data as unknown as KeyRow & { readonly tenant: string }
  return {
    kind: 'key',
    tenant,
    id,
    by: `key:${name}`,
    scopes: scopes.filter(isScope),
    ...(expiresAt !== undefined && { expiresAt }),
  }
}
