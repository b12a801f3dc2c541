/**
 * The display names of people, for screens. A name gives no right, so it is cached for a while: a list is read again with
 * each change in the tenant, and would read a document for each person.
 */
import type { PersonRow } from '@holdpoint/protocol'

export interface NamesSource {
  find(tenant: string, id: string): Promise<PersonRow | undefined>
}

/** By id. A person without a display name is in it with their id, so that a screen can tell who has the same name. */
export type NamesById = Readonly<Record<string, string>>

const KEEP_MS = 30_000
const MOST = 10_000

export class PeopleNames {
  readonly #people: NamesSource
  readonly #now: () => number
  readonly #cached = new Map<string, { readonly name: string | undefined; readonly until: number }>()

  constructor(people: NamesSource, now: () => number) {
    this.#people = people
    this.#now = now
  }

  /** Undefined when none of them has a display name. */
  async of(tenant: string, ids: Iterable<string | undefined>): Promise<NamesById | undefined> {
    const people = [...new Set(ids)].filter((id) => id !== undefined).filter((id) => !isNotAPerson(id))
    const found = await Promise.all(people.map(async (id) => [id, await this.#nameOf(tenant, id)] as const))
    if (found.every(([, name]) => name === undefined)) return undefined
    return Object.fromEntries(found.map(([id, name]) => [id, name ?? id]))
  }

  /** Other processes show a changed name within the time that a name is cached. */
  forget(tenant: string, id: string): void {
    this.#cached.delete(keyOf(tenant, id))
  }

  async #nameOf(tenant: string, id: string): Promise<string | undefined> {
    const key = keyOf(tenant, id)
    const cached = this.#cached.get(key)
    if (cached && cached.until > this.#now()) return cached.name
    const { name } = (await this.#people.find(tenant, id)) ?? {}
    this.#cached.delete(key)
    this.#cached.set(key, { name, until: this.#now() + KEEP_MS })
    const [oldest] = this.#cached.keys()
    if (this.#cached.size > MOST && oldest !== undefined) this.#cached.delete(oldest)
    return name
  }
}

function isNotAPerson(id: string): boolean {
  return id.startsWith('key:') || id.startsWith('group:')
}

function keyOf(tenant: string, id: string): string {
  return JSON.stringify([tenant, id])
}
