/**
 * The people of a tenant and their groups, for callers that act for a person: a key, or a delegate. A document is read for
 * each decision and never cached, so a person who left a group loses its rights at once.
 */
import type { JsonObject, Page, Principal } from '@holdpoint/core'
import type { PersonRow } from '@holdpoint/protocol'
import { find, list, remove, type DocumentStore } from './document-store.ts'

const PERSON = 'gateway.person'

export class PeopleDirectory {
  readonly #documents: DocumentStore

  constructor(documents: DocumentStore) {
    this.#documents = documents
  }

  async put(tenant: string, person: PersonRow): Promise<void> {
    const data = { ...person } as unknown as JsonObject
    await this.#documents.put({ tenant, kind: PERSON, id: person.id, data })
  }

  async find(tenant: string, id: string): Promise<PersonRow | undefined> {
    const doc = await find(this.#documents, tenant, PERSON, id)
    return doc && (doc.data as unknown as PersonRow)
  }

  /** The person as a principal. A person who is not listed is in no group. */
  async principal(tenant: string, id: string): Promise<Principal> {
    const { name, groups } = (await this.find(tenant, id)) ?? {}
    return { id, kind: 'person', ...(name !== undefined && { name }), ...(groups && { groups }) }
  }

  async list(tenant: string, after: string | undefined, limit: number): Promise<Page<PersonRow>> {
    const query = { tenant, kind: PERSON, limit, ...(after !== undefined && { after }) }
    const { items, next } = await list(this.#documents, query)
    return { items: items.map(({ data }) => data as unknown as PersonRow), next }
  }

  /** Returns false when there is no such person. */
  async remove(tenant: string, id: string): Promise<boolean> {
    if (!(await this.find(tenant, id))) return false
    await remove(this.#documents, { tenant, kind: PERSON, id })
    return true
  }
}
