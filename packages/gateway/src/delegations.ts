/** A person lets another decide in their place until a time. */
import type { Delegation } from '@holdpoint/core'
import type { DelegationRow } from '@holdpoint/protocol'
import { find, list, remove, type DocumentStore } from './document-store.ts'
import type { PeopleDirectory } from './people-directory.ts'

/** One document per delegation, by the person who may decide. The gateway reads it for each decision. */
const DELEGATION = 'gateway.delegation'
/** One document per delegation, by the person who delegated. Used only for lists; the delegation may have ended. */
const GIVEN = 'gateway.delegation-given'
/** One person has at most this many delegations from others. */
const MOST = 100

export class Delegations {
  readonly #documents: DocumentStore
  readonly #now: () => number

  constructor(documents: DocumentStore, now: () => number) {
    this.#documents = documents
    this.#now = now
  }

  /** False when the person has as many as possible from others. */
  async put(tenant: string, delegation: DelegationRow): Promise<boolean> {
    const { from, to, until } = delegation
    const known = await this.rowsTo(tenant, to)
    if (known.length >= MOST && !known.some((each) => each.from === from)) return false
    const ttlMs = Math.max(1, until - this.#now())
    await this.#documents.put({ tenant, kind: GIVEN, id: idOf(from, to), data: { to }, ttlMs })
    await this.#documents.put({ tenant, kind: DELEGATION, id: idOf(to, from), data: { ...delegation }, ttlMs })
    return true
  }

  async remove(tenant: string, from: string, to: string): Promise<void> {
    await remove(this.#documents, { tenant, kind: DELEGATION, id: idOf(to, from) })
    await remove(this.#documents, { tenant, kind: GIVEN, id: idOf(from, to) })
  }

  /** Ends the delegations that this person made. */
  async removeFrom(tenant: string, from: string): Promise<void> {
    const given = { tenant, kind: GIVEN, prefix: idOf(from, ''), limit: MOST }
    let after: string | undefined
    do {
      const { items, next } = await list(this.#documents, { ...given, ...(after !== undefined && { after }) })
      for (const { data } of items) await this.remove(tenant, from, (data as { readonly to: string }).to)
      after = next
    } while (after !== undefined)
  }

  /** The delegations to this person, with the groups that each delegator has now. */
  async to(tenant: string, person: string, people: PeopleDirectory): Promise<readonly Delegation[]> {
    const rows = await this.rowsTo(tenant, person)
    return Promise.all(
      rows.map(async ({ from, groups, until }) => {
        const listed = await people.find(tenant, from)
        return { from: { id: from, groups: listed ? (listed.groups ?? []) : (groups ?? []) }, until }
      }),
    )
  }

  async rowsTo(tenant: string, person: string): Promise<readonly DelegationRow[]> {
    const rows: DelegationRow[] = []
    let after: string | undefined
    do {
      const query = { tenant, kind: DELEGATION, prefix: idOf(person, ''), limit: MOST }
      const { items, next } = await list(this.#documents, { ...query, ...(after !== undefined && { after }) })
      rows.push(...items.map(({ data }) => data as unknown as DelegationRow))
      // A page is short when delegations on it have ended.
      after = next
    } while (after !== undefined && rows.length < MOST)
    return rows
  }

  /** The delegations that this person made. */
  async rowsFrom(tenant: string, person: string): Promise<readonly DelegationRow[]> {
    const given = await list(this.#documents, { tenant, kind: GIVEN, prefix: idOf(person, ''), limit: MOST })
    const rows = await Promise.all(
      given.items.map(async ({ data }) => {
        const { to } = data as { readonly to: string }
        return find(this.#documents, tenant, DELEGATION, idOf(to, person))
      }),
    )
    return rows.flatMap((row) => (row ? [row.data as unknown as DelegationRow] : []))
  }
}

/** Encoded, so that no name contains the separator. */
function idOf(first: string, second: string): string {
  return `${encodeURIComponent(first)}/${encodeURIComponent(second)}`
}
