/** A part of the contract that only stores need whose tenants can be moved to another store. */
import type { Address, ConversationStatus, Note, Page, Store } from './store.ts'

/** A log among all logs of a tenant, also hidden ones. */
export interface LogRow {
  readonly id: string
  readonly agent: string
  readonly status: ConversationStatus
}

/** What only the store knows of a tenant. All other rows are computed from the events. */
export interface TenantRows {
  /** By id, as the store sorts ids, from the one after `after`. */
  logs(tenant: string, query: { readonly after?: string; readonly limit: number }): Promise<Page<LogRow>>
  /** The idempotency keys of a log with the seqs of their appends, and its notes. */
  besides(of: Address): Promise<{
    readonly keys: readonly { readonly key: string; readonly seq: number }[]
    readonly notes: readonly Note[]
  }>
  /** The kinds of documents that the tenant has. */
  kinds(tenant: string): Promise<readonly string[]>
  /** Deletes everything that the tenant has. */
  forget(tenant: string): Promise<void>
}

export interface MovableStore extends Store {
  readonly tenantRows: TenantRows
}

export function tenantRowsOf(store: Store): TenantRows | undefined {
  return 'tenantRows' in store ? (store as MovableStore).tenantRows : undefined
}
