/**
 * The contract of a store. The log is the truth. The rows beside it (open holds, deadlines, the owner) are written in the same
 * transaction as the events that they follow from, so that queries over all conversations can read them. A store does not compute
 * them: `Machine.derive` does.
 *
 * - There is one write, `append`. It happens at the seq that its writer decided on, or not at all.
 * - A conflict with another writer and an unknown result are results, not exceptions.
 * - The row decides who owns a log, not the writer's clock: the store compares the writer's epoch in the transaction.
 */
import type { Json } from '../json.ts'
import type { HoldKind } from '../turn/hold.ts'
import type { Batch } from './batch.ts'
import type { Following, Head } from './chain.ts'
import type { FileStore } from './file-store.ts'
import type { LogEvent, NewEvent } from './log-event.ts'

/** The id of a conversation is unique within its tenant. An application without tenants uses `''`. */
export interface Address {
  readonly tenant: string
  readonly id: string
}

export interface Append {
  readonly to: Address
  /** The last seq that the writer knows; 0 for a new conversation. */
  readonly expectedSeq: number
  /**
   * The hash of the batch that ends at `expectedSeq`; `NO_HASH` for a new conversation. A store that lost its newest writes may have
   * another batch there. Then the append is a conflict.
   */
  readonly follows: string
  /** Identifies this append. If it is repeated, it is written once. */
  readonly mark: string
  /** At least one. */
  readonly events: readonly NewEvent[]
  /** The time of every event that has none of its own. */
  readonly at: number
  readonly rows: Derived
  /**
   * The epoch of a driver. The store refuses the append unless it is the newest, and `node` the owner, if it is named. Other writers
   * leave it out.
   */
  readonly epoch?: number
  /** The writer's node. It becomes the owner if the conversation was at rest, or if its owner is gone. */
  readonly node?: string
  /** The caller's idempotency key, unique in the conversation. */
  readonly key?: string
  /**
   * Removes everything else that the store has of the conversation, in the transaction that writes these events: earlier
   * events, rows of holds, notes, keys, labels and the base. The conversation keeps its seq and takes appends as before.
   */
  readonly erase?: true
}

/** The rows beside the log after an append. */
export interface Derived {
  readonly agent: string
  readonly status: ConversationStatus
  /** The earliest deadline of an open hold, or due time of a plan. */
  readonly wakeAt: number | undefined
  /** The state after these events, if folding can start from it. */
  readonly base: Json | undefined
  /** The rows of the calls that these events are about, if they wait or have ever waited for an answer from outside. */
  readonly holds: readonly HoldRow[]
  /** Labels that restrict lists. They have no meaning to the store. They replace the old ones; left out, those stay. */
  readonly labels?: readonly string[]
  /** `list` and `pending` leave out the conversation, and notes for it are dropped. Without `hidden`, they show it again. */
  readonly hidden?: true
}

/** `running`: there is work that needs no answer from outside, so a process must drive. */
export type ConversationStatus = 'running' | 'held' | 'idle'

export interface HoldRow {
  readonly callId: string
  readonly tool: string
  readonly kind: HoldKind
  readonly open: boolean
  /** When the newest hold of the call was made. */
  readonly heldAt: number
  readonly expiresAt: number
  /** The seqs of all events about the call, first the reply that made it. The row gets the seq of a start with the next event. */
  readonly seqs: readonly number[]
  /** Labels that restrict `pending` while the hold is open. They replace the old ones. Default: none. */
  readonly labels?: readonly string[]
}

export type Appended =
  /** `events`: as they were written. `hash`: of their batch. `owned`: `node` is the owner now, under `epoch`. */
  | {
      readonly result: 'ok'
      readonly events: readonly LogEvent[]
      readonly hash: string
      readonly epoch: number
      readonly owned: boolean
    }
  /** The log does not end at the batch that the append follows: `follow` it, and decide again. */
  | { readonly result: 'conflict' }
  /** Another process owns the conversation now: stop driving it. */
  | { readonly result: 'fenced' }
  /** `key` was used before, by the write that ended at `seq`. */
  | { readonly result: 'repeated'; readonly seq: number }
  /** Certainly not written: for example, the disk is full, or the server does not answer. */
  | { readonly result: 'failed'; readonly why: string }
  /** Perhaps written. To find out, repeat the same append. */
  | { readonly result: 'unknown'; readonly why: string }

export interface Loaded {
  readonly seq: number
  /** The hash of the newest batch. */
  readonly hash: string
  readonly agent: string
  /** The newest base, and the seq of its last event. */
  readonly base: { readonly seq: number; readonly state: Json } | undefined
  /** All events after the base. */
  readonly events: readonly LogEvent[]
}

export interface PendingQuery {
  readonly tenant: string
  readonly conversationId?: string
  readonly callId?: string
  readonly agent?: string
  readonly tool?: string
  readonly kind?: HoldKind
  readonly expiresBefore?: number
  /** Only holds with one of `labels`, or in a conversation with one of `conversationLabels`. Both empty finds none. */
  readonly any?: { readonly labels: readonly string[]; readonly conversationLabels: readonly string[] }
  /** The `next` of an earlier page. */
  readonly after?: string
  readonly limit: number
}

export interface PendingRow extends Omit<HoldRow, 'open' | 'seqs' | 'labels'> {
  readonly conversationId: string
  readonly agent: string
}

export interface ListQuery {
  readonly tenant: string
  readonly agent?: string
  readonly status?: ConversationStatus
  /** Only conversations with at least one of these labels. An empty array finds none. */
  readonly labels?: readonly string[]
  readonly after?: string
  readonly limit: number
}

export interface ConversationRow {
  readonly id: string
  readonly agent: string
  readonly status: ConversationStatus
  readonly seq: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** A conversation among those of all tenants. */
export interface WalkedConversation extends ConversationRow {
  readonly tenant: string
}

/** `next`: the `after` of the next page; undefined on the last page. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly next: string | undefined
}

/** What a tenant has in the store. The computation may take seconds, so cache the result. */
export interface TenantUsage {
  /** Without hidden ones. */
  readonly conversations: number
  /** The approximate size of all events in the store. */
  readonly bytes: number
}

export interface DueQuery {
  /** Only conversations of these agents, because this process cannot drive others. Default: of all agents. */
  readonly agents?: readonly string[]
  readonly limit: number
}

export interface Due {
  /** Conversations with a deadline in the past, or with work and no owner. */
  readonly conversations: readonly Address[]
  /** The next deadline, by the store's clock, if there is one. */
  readonly next: number | undefined
}

/** Data beside a conversation that is not needed to fold its log: a summary, an audit record. */
export interface Note {
  readonly kind: string
  /** Its place in the log. There is one note of each kind at each seq. */
  readonly seq: number
  readonly at: number
  /** When it expires, by the store's clock. Default: never. */
  readonly until?: number
  readonly data: Json
}

export interface NotesQuery {
  readonly kind: string
  /** Only notes at a seq before this one. */
  readonly before?: number
  readonly limit: number
}

/**
 * A small object that belongs to no conversation: an agent's definition, a key, a worker's claim. A tenant has one of each kind under
 * an id. A writer names the version that it changes, so of several writers at the same moment, one succeeds.
 */
export interface Document {
  readonly kind: string
  readonly id: string
  /**
   * The first version is 1, and each change adds 1. A document that is created again after it was removed or swept begins at 1
   * again. So a version does not distinguish a document from an earlier one with the same id. A document that expired but is not
   * swept yet continues with the next version.
   */
  readonly version: number
  /** When this version was written, by the store's clock. */
  readonly at: number
  /** When it expires, by the store's clock. Default: never. An expired document counts as removed. */
  readonly until?: number
  readonly data: Json
}

export interface Put {
  readonly tenant: string
  readonly kind: string
  readonly id: string
  /** The version that it replaces; 0 if there must be none. Default: it replaces any version. */
  readonly expected?: number
  /** Undefined removes the document. */
  readonly data: Json | undefined
  /** Its lifetime. Default: until it is removed. */
  readonly ttlMs?: number
}

export type PutResult =
  /** `version`: the new version, 0 if the document was removed. */
  | { readonly result: 'ok'; readonly version: number }
  /** Nothing was changed. `version`: the current version, 0 if there is no document. */
  | { readonly result: 'conflict'; readonly version: number }

export interface DocumentsQuery {
  readonly tenant: string
  readonly kind: string
  /** Only ids with this prefix. */
  readonly prefix?: string
  /** Only ids after this one: the `next` of an earlier page. */
  readonly after?: string
  readonly limit: number
}

export interface Store {
  append(write: Append): Promise<Appended>
  /**
   * Resolves when all events of this log that the store showed before, and still has, survive what an acknowledged append survives. A
   * caller that is told what the log has, without an append, relies on it like on one. Left out by a store that shows no event before
   * that.
   */
  confirm?(of: Address): Promise<void>
  /** Undefined for a conversation without events. */
  load(from: Address): Promise<Loaded | undefined>
  /**
   * Events after a head that the caller knows, and the head that they lead to. A store may return a few at a time, but at least one if
   * there is one. Undefined if the log does not contain the head: the store lost writes.
   */
  follow(from: Address, head: Head): Promise<Following | undefined>
  /**
   * The batches that end after `after`, in order, exactly as they were written. A store may return fewer than `limit`, but at least
   * one if there is one.
   */
  batches(from: Address, after: number, limit: number): Promise<readonly Batch[]>
  /** Events in order, from the one after `after`. A store may return fewer than `limit`, but at least one if there is one. */
  read(from: Address, after: number, limit?: number): Promise<readonly LogEvent[]>
  /** The last events before `before`, in order: at least `limit` of them if there are so many. */
  readBack(from: Address, before: number, limit: number): Promise<readonly LogEvent[]>
  /** The events about a call that was ever held, in order, as its row names them. None for any other id. */
  readCall(from: Address, callId: string): Promise<readonly LogEvent[]>
  /**
   * The conversations of a tenant in which a call with this id was ever held, oldest first. Two at most: with more than one, the id
   * alone does not identify the call.
   */
  findCall(tenant: string, callId: string): Promise<readonly string[]>
  /** The last seq of the append with this idempotency key; undefined if there was none. */
  findKey(from: Address, key: string): Promise<number | undefined>
  /** The last seq of each conversation; 0 for one without events. */
  heads(of: readonly Address[]): Promise<readonly number[]>

  /**
   * Stores a note, and replaces an older one. A note for a conversation without events is dropped. So is a note for a hidden one: a
   * summary that is ready only after the conversation was erased must not bring back content.
   */
  note(to: Address, note: Note): Promise<void>
  /** By seq, newest first, without expired ones. */
  notes(from: Address, query: NotesQuery): Promise<readonly Note[]>

  /**
   * Durable once it resolves. Throws if the result is unknown. Then read the document, or repeat the same `put`, which is safe with
   * `expected`.
   */
  put(put: Put): Promise<PutResult>
  /** Undefined if there is none, or it has expired. */
  get(tenant: string, kind: string, id: string): Promise<Document | undefined>
  /** By id, as JavaScript compares strings, without expired ones. */
  documents(query: DocumentsQuery): Promise<Page<Document>>
  /** The bytes of files. Without it, files stay in the log, and uploads are refused. */
  files?(): FileStore
  /** Removes expired notes and documents, at most `limit` of both together. Returns how many it removed. */
  sweep(limit: number): Promise<number>

  /** Open holds, oldest first. */
  pending(query: PendingQuery): Promise<Page<PendingRow>>
  /** Newest first. */
  list(query: ListQuery): Promise<Page<ConversationRow>>
  usage(tenant: string): Promise<TenantUsage>
  /**
   * The conversations of all tenants, without hidden ones, in any fixed order. For background work that looks at all of them. The
   * cost of a page must not depend on the number of conversations. A page before the last may be empty.
   */
  walk(query: { readonly after?: string; readonly limit: number }): Promise<Page<WalkedConversation>>

  /** Renews the lease of a node for `ttlMs`. Returns the time of the store's clock. */
  beat(node: string, ttlMs: number): Promise<number>
  /** Ends the lease of a node, so that others can take over its conversations. */
  leave(node: string): Promise<void>
  due(query: DueQuery): Promise<Due>
  /**
   * Takes over a running conversation whose owner is gone. Returns its new epoch, or undefined if it cannot be taken over.
   * The current owner gets its own epoch, so a takeover whose answer was lost can be repeated.
   */
  takeOver(what: Address, node: string): Promise<number | undefined>

  /**
   * Notifies of appends by other processes, some time after they happened, and perhaps of this process's own. A notification may be
   * lost, so check `heads` from time to time. `look`: there may be a deadline, or work without an owner, such as an append whose
   * work belongs to a node that is gone.
   */
  listen(changed: (what: Address, seq: number, look?: boolean) => void): () => void
  /**
   * Calls the listener when another server than before answers, which may lack the newest writes: after a fail-over or a restore. `what`
   * names both. Left out by a store that no other server can take over.
   */
  watchServer?(changed: (what: string) => void): () => void
  /** What is wrong with the store itself, beyond its logs: for example, damaged pages. It may read everything. */
  inspect(): Promise<readonly string[]>
  close(): Promise<void>
}
