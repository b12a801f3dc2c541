/**
 * Keys of programs. A key is 256 bits of chance, shown once when it is made; what is kept is its SHA-256, which is
 * enough to know it again and no use to whoever reads the store. It is found by that hash, and says whose tenant it is.
 */
import { createHash, randomBytes } from 'node:crypto'
import { HoldpointError, type Json, type JsonObject, type Page } from '@holdpoint/core'
import type { CreatedKey, KeyRow, Scope } from '@holdpoint/protocol'
import { find, list, remove, type Documents } from '../documents.ts'
import { isScope, type Principal } from './principal.ts'

export interface NewKey {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly ttlMs?: number
}

/** By the key's hash, over all tenants: whose it is. Nothing lists these. */
const BY_HASH = 'gateway.key-hash'
const KEY = 'gateway.key'
const FORM = /^hp_[A-Za-z0-9_-]{43}$/
/** How long a key is taken for valid without another look: as long as a revoked one may be of use on other nodes. */
const TRUST_MS = 5000
const MOST_TRUSTED = 10_000

export class Keys {
  readonly #documents: Documents
  readonly #now: () => number
  readonly #trusted = new Map<string, { readonly principal: Principal | undefined; readonly until: number }>()
  readonly #fixed = new Map<string, Principal>()

  constructor(documents: Documents, now: () => number) {
    this.#documents = documents
    this.#now = now
  }

  /** A key from the settings, not kept anywhere. */
  fix(key: string, { tenant, scopes }: { readonly tenant: string; readonly scopes: readonly Scope[] }): void {
    if (!/^[\x21-\x7e]{32,200}$/.test(key))
      throw new HoldpointError('config-invalid', 'A key in the settings is 32 to 200 ASCII characters without spaces.')
    const hash = hashOf(key)
    const id = `fixed-${hash.slice(0, 8)}`
    this.#fixed.set(hash, { kind: 'key', tenant, id, by: `key:${id}`, scopes })
  }

  async create(tenant: string, { name, scopes, ttlMs }: NewKey): Promise<CreatedKey & { readonly key: string }> {
    const key = `hp_${randomBytes(32).toString('base64url')}`
    const id = randomBytes(9).toString('base64url')
    const createdAt = this.#now()
    const row: KeyRow = { id, name, scopes, createdAt, ...(ttlMs !== undefined && { expiresAt: createdAt + ttlMs }) }
    const data: JsonObject = { ...row, scopes: [...scopes], hash: hashOf(key) }
    const life = ttlMs === undefined ? {} : { ttlMs }
    // First where it is listed: a key that works and that nobody can find could not be revoked.
    await this.#documents.put({ tenant, kind: KEY, id, data, ...life })
    await this.#documents.put({ tenant: '', kind: BY_HASH, id: hashOf(key), data: { ...data, tenant }, ...life })
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

  /** Whether there was one. */
  async revoke(tenant: string, id: string): Promise<boolean> {
    const doc = await find(this.#documents, tenant, KEY, id)
    if (!doc) return false
    const hash = (doc.data as JsonObject)['hash']
    if (typeof hash === 'string') {
      await remove(this.#documents, { tenant: '', kind: BY_HASH, id: hash })
      this.#trusted.delete(hash)
    }
    await remove(this.#documents, { tenant, kind: KEY, id })
    return true
  }

  async find(key: string): Promise<Principal | undefined> {
    const hash = hashOf(key)
    const fixed = this.#fixed.get(hash)
    if (fixed) return fixed
    if (!FORM.test(key)) return undefined
    const now = this.#now()
    const known = this.#trusted.get(hash)
    if (known && known.until > now) return valid(known.principal, now)
    const doc = await find(this.#documents, '', BY_HASH, hash)
    const principal = doc && principalOf(doc.data)
    if (this.#trusted.size >= MOST_TRUSTED) this.#trusted.clear()
    // A stranger's guesses are not worth remembering.
    if (principal) this.#trusted.set(hash, { principal, until: now + TRUST_MS })
    else this.#trusted.delete(hash)
    return valid(principal, now)
  }
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
