/**
 * The calls of a store's methods as data. Times of the store's clock are relative to the start of the run, because the clocks of two
 * stores need not agree.
 */
import type {
  Address,
  Append,
  DocumentsQuery,
  DueQuery,
  ListQuery,
  Note,
  NotesQuery,
  PendingQuery,
  Put,
} from '@holdpoint/core'

/** Two handles on each store. The first stays open and sends the heartbeats, because a store may notice when it closes. */
export type Which = 0 | 1

export type Command = Question & { readonly handle: Which }

export type Question =
  | { readonly ask: 'append'; readonly write: Append; readonly wakeIn: number | undefined }
  | { readonly ask: 'takeOver'; readonly what: Address; readonly node: string }
  | { readonly ask: 'beat'; readonly node: string; readonly ttlMs: number }
  | { readonly ask: 'leave'; readonly node: string }
  | { readonly ask: 'advance'; readonly ms: number }
  | { readonly ask: 'reopen' }
  | { readonly ask: 'load'; readonly from: Address }
  | { readonly ask: 'batches'; readonly from: Address }
  | { readonly ask: 'read'; readonly from: Address; readonly after: number; readonly limit: number }
  | { readonly ask: 'readBack'; readonly from: Address; readonly before: number; readonly limit: number }
  | { readonly ask: 'readCall'; readonly from: Address; readonly callId: string }
  | { readonly ask: 'findCall'; readonly tenant: string; readonly callId: string }
  | { readonly ask: 'findKey'; readonly from: Address; readonly key: string }
  | { readonly ask: 'heads'; readonly of: readonly Address[] }
  | { readonly ask: 'pending'; readonly query: PendingQuery; readonly goOn: boolean }
  | { readonly ask: 'list'; readonly query: ListQuery; readonly goOn: boolean }
  | { readonly ask: 'usage'; readonly tenant: string }
  | { readonly ask: 'note'; readonly to: Address; readonly note: Note; readonly endsIn: number | undefined }
  | { readonly ask: 'notes'; readonly from: Address; readonly query: NotesQuery }
  | { readonly ask: 'put'; readonly put: Put }
  | { readonly ask: 'get'; readonly tenant: string; readonly kind: string; readonly id: string }
  | { readonly ask: 'documents'; readonly query: DocumentsQuery; readonly goOn: boolean }
  /** Removes everything that has expired, because the order is up to the store. */
  | { readonly ask: 'sweep' }
  | { readonly ask: 'due'; readonly query: DueQuery }

/**
 * Time advances in steps of ten minutes, and every expiry is in the middle of a step. So a store whose clock also runs on its own, such
 * as a database server, agrees on what has expired.
 */
export const STEP_MS = 600_000

export function midStep(steps: number): number {
  return steps * STEP_MS + STEP_MS / 2
}
