/**
 * The audit log of administrative actions of each tenant: a chain of documents. An action is written before it is carried out: if
 * that fails, the action does not happen. Its end is written after it. With a key of the installation, each entry is signed as it is
 * written.
 */
import { HoldpointError, signHead, type Json, type Page, type Signer } from '@holdpoint/core'
import { adminEntryHash, type AdminEntry } from '@holdpoint/protocol'
import { authenticationOf, type Caller } from './auth/caller.ts'
import type { DocumentStore } from './document-store.ts'
import type { RouteAnswer } from './http/route-answer.ts'

const ENTRY = 'gateway.admin-entry'
/** Ids fall as entries grow, so that a list begins with the newest. */
const ABOVE = 10 ** 15
/** Each conflict means that another process wrote an entry. */
const ATTEMPTS = 100

type Begun = Pick<Extract<AdminEntry, { kind: 'begun' }>, 'action' | 'target' | 'details'>
type Content = AdminEntry extends infer E
  ? E extends AdminEntry
    ? Omit<E, 'n' | 'at' | 'previous' | 'hash' | 'signed'>
    : never
  : never

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
  async list(tenant: string, after: string | undefined, limit: number): Promise<Page<AdminEntry>> {
    const query = { tenant, kind: ENTRY, limit, ...(after !== undefined && { after }) }
    const { items, next } = await this.#documents.documents(query)
    return { items: items.map(({ data }) => data as unknown as AdminEntry), next }
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

  async #append(tenant: string, content: Content): Promise<number> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { n = 0, hash: previous = '' } = (await this.list(tenant, undefined, 1)).items[0] ?? {}
      const entry = { ...content, n: n + 1, at: this.#now(), previous }
      const hash = adminEntryHash(entry)
      const signed =
        this.#key && signHead(this.#key, { of: 'audit-log', tenant, id: '', seq: entry.n, hash, at: entry.at })
      const data = { ...entry, hash, ...(signed && { signed }) } as unknown as Json
      const id = String(ABOVE - entry.n)
      if ((await this.#documents.put({ tenant, kind: ENTRY, id, expected: 0, data })).result === 'ok') return entry.n
    }
    throw new HoldpointError('store-unavailable', 'The audit log is written by many others at the moment. Try again.')
  }
}
