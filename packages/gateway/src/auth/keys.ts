/**
 * API keys of programs. A key is 256 random bits and is shown once, when it is created. The store keeps its SHA-256, so
 * that a reader of the store cannot use it. A lookup by that hash gives the tenant and the scopes.
 */
import { createHash, randomBytes } from 'node:crypto'
import { HoldpointError, type Json, type JsonObject, type Page } from '@holdpoint/core'
import type { CreatedKey, KeyRow, Scope } from '@holdpoint/protocol'
import { find, list, remove, type DocumentStore } from '../document-store.ts'
import { CappedIds } from '../capped-ids.ts'
import { isScope, type Caller } from './caller.ts'

export interface NewKey {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly ttlMs?: number
  /** The people that the key may act for: their ids, or `true` for all. Default: none. */
  readonly mayActFor?: true | readonly string[]
  /** With the scope `worker` alone: the tools whose calls the key may see, claim and resolve. Default: all. */
  readonly tools?: readonly string[]
  /** The tenants that a request with the key may choose from, the key's own first. Default: only its own. */
  readonly tenants?: readonly string[]
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
  readonly #documents: DocumentStore
  readonly #now: () => number
  /** The ids of keys created over HTTP. */
  readonly #createdIds: CappedIds
  readonly #cache = new Map<string, { readonly principal: Caller | undefined; readonly until: number }>()
  readonly #configured = new Map<string, Caller>()

  constructor(documents: DocumentStore, now: () => number) {
    this.#documents = documents
    this.#now = now
    this.#createdIds = new CappedIds(documents, KEY, now)
  }

  /** Adds a key from the settings. It is not stored. */
  addConfigured(
    key: string,
    {
      tenant,
      scopes,
      mayActFor,
      tools,
      tenants,
    }: Pick<Caller, 'tenant' | 'scopes' | 'mayActFor' | 'tools' | 'tenants'>,
  ): void {
    checkKey(tenant, { scopes, tools, tenants })
    if (!/^[\x21-\x7e]{32,200}$/.test(key))
      throw new HoldpointError(
        'config-invalid',
        'A key in the settings must have 32 to 200 ASCII characters and no spaces.',
      )
    const hash = hashOf(key)
    const id = `fixed-${hash.slice(0, 8)}`
    this.#configured.set(hash, {
      kind: 'program',
      tenant,
      id,
      by: `key:${id}`,
      scopes,
      ...(mayActFor && { mayActFor }),
      ...(tools && { tools }),
      ...(tenants && { tenants }),
    })
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
    checkKey(tenant, key)
    const id = newId()
    const until = key.ttlMs === undefined ? {} : { until: this.#now() + key.ttlMs }
    return (await this.#createdIds.add(tenant, { id, ...until }, most)) ? this.#create(tenant, id, key) : undefined
  }

  async #create(
    tenant: string,
    id: string,
    { name, scopes, ttlMs, mayActFor, tools, tenants }: NewKey,
  ): Promise<CreatedKey & { readonly key: string }> {
    checkKey(tenant, { scopes, tools, tenants })
    const key = `hp_${randomBytes(32).toString('base64url')}`
    const createdAt = this.#now()
    const row: KeyRow = {
      id,
      name,
      scopes,
      createdAt,
      ...(ttlMs !== undefined && { expiresAt: createdAt + ttlMs }),
      ...(mayActFor && { mayActFor }),
      ...(tools && { tools }),
      ...(tenants && { tenants }),
    }
    const data = { ...row, hash: hashOf(key) } as unknown as JsonObject
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

  async find(key: string): Promise<Caller | undefined> {
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

function valid(principal: Caller | undefined, now: number): Caller | undefined {
  return principal && (principal.expiresAt ?? Infinity) > now ? principal : undefined
}

function rowOf(data: Json): KeyRow {
  const { hash: _hash, tenant: _tenant, ...row } = data as JsonObject
  return row as unknown as KeyRow
}

function principalOf(data: Json): Caller {
  const { id, name, scopes, expiresAt, tenant, ...rights } = data as unknown as KeyRow & { readonly tenant: string }
  const { mayActFor, tools, tenants } = rights
  return {
    kind: 'program',
    tenant,
    id,
    by: `key:${name}`,
    scopes: scopes.filter(isScope),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(mayActFor && { mayActFor }),
    ...(tools && { tools }),
    ...(tenants && { tenants }),
  }
}

interface Limited {
  readonly scopes: readonly Scope[]
  readonly tools?: readonly string[] | undefined
  readonly tenants?: readonly string[] | undefined
}

/** Any other scope reaches calls of other tools, so the limit would mean nothing. */
function checkKey(tenant: string, { scopes, tools, tenants = [tenant] }: Limited): void {
  if (tools && scopes.some((scope) => scope !== 'worker'))
    throw new HoldpointError(
      'config-invalid',
      'A key with "tools" has only the scope worker. Create another key for other scopes.',
    )
  if (tools?.length === 0)
    throw new HoldpointError('config-invalid', 'A key with "tools" must name at least one. Leave "tools" out for all.')
  if (tenants[0] !== tenant)
    throw new HoldpointError('config-invalid', `The "tenants" of a key must begin with its own tenant, "${tenant}".`)
}
