/**
 * The audit log of administrative actions of each tenant: a chain of documents. An action is written before it is carried out: if
 * that fails, the action does not happen. Its end is written after it. With a key of the installation, each entry is signed as it is
 * written.
 */
import { addAdminEntry, listAdminEntries, type AdminEntryContent, type Page, type Signer } from '@holdpoint/core'
import type { AdminEntry } from '@holdpoint/protocol'
import { authenticationOf, type Caller } from './auth/caller.ts'
import type { DocumentStore } from './document-store.ts'
import type { RouteAnswer } from './http/route-answer.ts'

type Begun = Pick<Extract<AdminEntry, { kind: 'begun' }>, 'action' | 'target' | 'details'>
export class AdminLog {
  readonly #documents: DocumentStore
  readonly #now: () => number
  readonly #problem: (error: unknown) => void
  readonly #key: Signer | undefined

  constructor(documents: DocumentStore, now: () => number, problem: (error: unknown) => void, key: Signer | undefined) {
    this.#documents = documents
    this.#now = now
    this.#problem = problem
    this.#key = key
  }

  /** Newest first. */
  list(tenant: string, after: string | undefined, limit: number): Promise<Page<AdminEntry>> {
    return listAdminEntries(this.#documents, tenant, { after, limit })
  }

  async record(caller: Caller, begun: Begun, work: () => Promise<RouteAnswer>): Promise<RouteAnswer> {
    const { tenant, by } = caller
    const of = await this.#append(tenant, { kind: 'begun', by, auth: authenticationOf(caller), ...begun })
    const end = (status: number): Promise<unknown> =>
      // The action was carried out already, so its caller must get the answer.
      this.#append(tenant, { kind: 'ended', of, status }).catch(this.#problem)
    try {
      const answer = await work()
      await end('status' in answer ? answer.status : 200)
      return answer
    } catch (error) {
      await end(500)
      throw error
    }
  }

  #append(tenant: string, content: AdminEntryContent): Promise<number> {
    return addAdminEntry(this.#documents, tenant, content, this.#now, this.#key)
  }
}
