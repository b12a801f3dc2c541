/** The audit log of administrative actions of a tenant, as a store has it: a chain of documents. */
import { HoldpointError } from '../failure.ts'
import type { Json } from '../json.ts'
import { signHead, type Signer } from '../log/signed-head.ts'
import type { Page, Store } from '../log/store.ts'
import { adminEntryHash, type AdminEntry } from './admin-entry.ts'

const ENTRY = 'gateway.admin-entry'
/** Ids fall as entries grow, so that a list begins with the newest. */
const ABOVE = 10 ** 15
/** Each conflict means that another process wrote an entry. */
const ATTEMPTS = 100

type Documents = Pick<Store, 'put' | 'documents'>

export type AdminEntryContent = AdminEntry extends infer E
  ? E extends AdminEntry
    ? Omit<E, 'n' | 'at' | 'previous' | 'hash' | 'signed'>
    : never
  : never

/** Newest first. */
export async function listAdminEntries(
  documents: Documents,
  tenant: string,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<Page<AdminEntry>> {
  const query = { tenant, kind: ENTRY, limit, ...(after !== undefined && { after }) }
  const { items, next } = await documents.documents(query)
  return { items: items.map(({ data }) => data as unknown as AdminEntry), next }
}

/** Resolves to the number of the entry, once it is durable. */
export async function addAdminEntry(
  documents: Documents,
  tenant: string,
  content: AdminEntryContent,
  now: () => number,
  key?: Signer,
): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [newest] = (await listAdminEntries(documents, tenant, { limit: 1 })).items
    const { n = 0, hash: previous = '' } = newest ?? {}
    const entry = { ...content, n: n + 1, at: now(), previous }
    const hash = adminEntryHash(entry)
    const signed = key && signHead(key, { of: 'audit-log', tenant, id: '', seq: entry.n, hash, at: entry.at })
    const data = { ...entry, hash, ...(signed && { signed }) } as unknown as Json
    const id = String(ABOVE - entry.n)
    if ((await documents.put({ tenant, kind: ENTRY, id, expected: 0, data })).result === 'ok') return entry.n
  }
  throw new HoldpointError('store-unavailable', 'The audit log is written by many others at the moment. Try again.')
}
