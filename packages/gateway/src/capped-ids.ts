/**
 * Limits how many objects of one kind a tenant creates over HTTP. Their ids are in one document that changes by
 * compare-and-set. So the limit also holds for concurrent requests, and counting reads one document.
 */
import type { Json } from '@holdpoint/core'
import type { DocumentStore } from './document-store.ts'

const CAPPED_IDS = 'gateway.roster'
/** Only other gateways cause conflicts: this one changes a document sequentially. */
const ATTEMPTS = 50

interface Entry {
  readonly id: string
  /** When it expires. */
  readonly until?: number
}

export class CappedIds {
  readonly #documents: DocumentStore
  readonly #kind: string
  readonly #now: () => number
  /** By tenant: the last change in progress. The next one waits for it. */
  readonly #changes = new Map<string, Promise<unknown>>()

  constructor(documents: DocumentStore, kind: string, now: () => number) {
    this.#documents = documents
    this.#kind = kind
    this.#now = now
  }

  /** Call before creating the object. Returns false when the tenant already has `most`. */
  add(tenant: string, entry: Entry, most: number): Promise<boolean> {
    return this.#change(tenant, (entries) => {
      if (entries.some(({ id }) => id === entry.id)) return entries
      return entries.length < most ? [...entries, entry] : undefined
    })
  }

  /** Call after removing the object. */
  async remove(tenant: string, id: string): Promise<void> {
    await this.#change(tenant, (entries) => entries.filter((each) => each.id !== id))
  }

  #change(tenant: string, change: (entries: readonly Entry[]) => readonly Entry[] | undefined): Promise<boolean> {
    const before = this.#changes.get(tenant) ?? Promise.resolve()
    const mine = before.then(() => this.#tryToChange(tenant, change))
    const over = mine.catch(() => {}).finally(() => this.#changes.get(tenant) === over && this.#changes.delete(tenant))
    this.#changes.set(tenant, over)
    return mine
  }

  async #tryToChange(
    tenant: string,
    change: (entries: readonly Entry[]) => readonly Entry[] | undefined,
  ): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const doc = await this.#documents.get(tenant, CAPPED_IDS, this.#kind)
      const all = (doc?.data ?? []) as unknown as readonly Entry[]
      const entries = all.filter(({ until = Infinity }) => until > this.#now())
      const changed = change(entries)
      if (!changed) return false
      if (changed === entries) return true
      const data = changed as unknown as Json
      const put = await this.#documents.put({
        tenant,
        kind: CAPPED_IDS,
        id: this.#kind,
        data,
        expected: doc?.version ?? 0,
      })
      if (put.result === 'ok') return true
    }
    throw new Error(`Too many conflicts while changing the ${this.#kind} ids of tenant "${tenant}".`)
  }
}
