/**
 * Where logs live, and everything a store has to be able to do. The log is the truth; the rows beside it (open holds,
 * deadlines, who drives) are written in the same transaction as the events they follow from, and are there to be asked
 * across conversations. A store never computes them: `derive` does, for every store alike.
 *
 * - One write: `append`. It happens at the seq its writer decided on, or not at all.
 * - A conflict with another writer, and an unknown result, are answers, not exceptions.
 * - Who drives is a matter of the row, never of a clock in the writer: a driver's epoch is compared in the transaction.
 */
import type { Json } from '../json.ts'
import type { HoldKind } from '../turn/hold.ts'
import type { EventBody, LogEvent } from './log-event.ts'

/** The id of a conversation is unique within its tenant; `''` is the tenant of those who need none. */
export interface Address {
  readonly tenant: string
  readonly id: string
}

export interface Append {
  readonly to: Address
  /** The last seq the writer knows; 0 for a conversation that does not exist yet. */
  readonly expectedSeq: number
  /** Tells this write from every other one at this place. The same write, given again, is written once. */
  readonly mark: string
  /** At least one. */
  readonly events: readonly EventBody[]
  readonly at: number
  readonly rows: Derived
  /** Given by a driver: the store writes nothing unless it is the newest. Any other writer leaves it out. */
  readonly epoch?: number
  /** The node that would drive. It becomes the owner if the conversation was at rest, or if its owner is gone. */
  readonly node?: string
  /** The caller's own key for what it wants, unique in the conversation. */
  readonly key?: string
  /**
   * Removes everything else that the store has of the conversation, in the transaction that writes these events: earlier
   * events, rows of holds, notes, keys, labels and the base. The conversation keeps its seq and takes appends as before.
   */
  readonly erase?: true
}

/** What follows from the events, as it shall stand beside the log once they are written. */
export interface Derived {
  readonly agent: string
  readonly status: ConversationStatus
  /** The earliest deadline of an open hold, or due time of a plan. */
  readonly wakeAt: number | undefined
  /** The state after these events, when that is a place to start folding from. */
  readonly base: Json | undefined
  /** The calls that these events are about and that wait, or have ever waited, for an answer from outside. */
  readonly holds: readonly HoldRow[]
  /** Labels that lists are restricted by; the store gives them no meaning. They replace the old ones. Left out, those stay. */
  readonly labels?: readonly string[]
  /** `list` and `pending` leave the conversation out, and notes for it are dropped. Left out, it is shown again. */
  readonly hidden?: true
}

/** `running`: there is work that needs no answer from outside, so a process has to drive. */
export type ConversationStatus = 'running' | 'held' | 'idle'

export interface HoldRow {
  readonly callId: string
  readonly tool: string
  readonly kind: HoldKind
  readonly open: boolean
  /** When the newest hold of the call was made. */
  readonly heldAt: number
  readonly expiresAt: number
  /** Every event about the call so far, the reply that made it first. That it started is told with what came of it. */
  readonly seqs: readonly number[]
  /** Labels that `pending` is restricted by while the hold is open. They replace the old ones. Default: none. */
  readonly labels?: readonly string[]
}

export type Appended =
  /** `events` as they were written. `owned`: `node` is the owner now, under `epoch`. */
  | { readonly result: 'ok'; readonly events: readonly LogEvent[]; readonly epoch: number; readonly owned: boolean }
  /** Another writer was first: read its events, and decide again. */
  | { readonly result: 'conflict' }
  /** Another process owns the conversation now: stop driving it. */
  | { readonly result: 'fenced' }
  /** `key` was used before, by the write that ended at `seq`. */
  | { readonly result: 'repeated'; readonly seq: number }
  /** Surely not written, now: the disk is full, the server is away. */
  | { readonly result: 'failed'; readonly why: string }
  /** Perhaps written. Giving the same write again tells. */
  | { readonly result: 'unknown'; readonly why: string }

export interface Loaded {
  readonly seq: number
  readonly agent: string
  /** The newest state that was kept, with the seq it is of. */
  readonly base: { readonly seq: number; readonly state: Json } | undefined
  /** Everything after the base. */
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
  /** From an earlier page. */
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

/** `next` is what to ask on with; undefined on the last page. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly next: string | undefined
}

/** What a tenant has in the store. It may take seconds to compute: cache it. */
export interface TenantUsage {
  /** Without hidden ones. */
  readonly conversations: number
  /** About the size of all events, as the store keeps them. */
  readonly bytes: number
}

export interface DueQuery {
  /** Only conversations of these agents: others cannot be driven here. Left out, of any agent. */
  readonly agents?: readonly string[]
  readonly limit: number
}

export interface Due {
  /** With a deadline that has come, or with work and no owner. */
  readonly conversations: readonly Address[]
  /** The store's time of the next deadline, if there is one to wait for. */
  readonly next: number | undefined
}

/** Something kept beside a conversation that its log can do without: a summary, what a model was sent. */
export interface Note {
  readonly kind: string
  /** Where in the log it belongs. Of a kind there is one at each seq. */
  readonly seq: number
  readonly at: number
  /** By the store's clock. Default: it stays. */
  readonly until?: number
  readonly data: Json
}

export interface NotesQuery {
  readonly kind: string
  /** Only those that belong before this seq. */
  readonly before?: number
  readonly limit: number
}

/**
 * Something small that belongs to no conversation: an agent's definition, a key, a claim. A tenant has one of a kind under
 * each id. Who changes it says which version it changes, so of several who do it at once, one does.
 */
export interface Document {
  readonly kind: string
  readonly id: string
  /**
   * One more with every change, as long as it exists; the first is 1. One that was removed, or swept, and is made again
   * begins at 1 again: a version tells the changes of a document apart, not one document from the next under its id. Until
   * it is swept, one that is over is made again with the version that follows.
   */
  readonly version: number
  /** When it was written, by the store's clock. */
  readonly at: number
  /** By the store's clock. Default: it stays. After that time it counts as removed. */
  readonly until?: number
  readonly data: Json
}

export interface Put {
  readonly tenant: string
  readonly kind: string
  readonly id: string
  /** The version that it takes the place of; 0 when there must be none. Left out, it replaces whatever is there. */
  readonly expected?: number
  /** Undefined removes it. */
  readonly data: Json | undefined
  /** How long it stays. Default: until it is removed. */
  readonly ttlMs?: number
}

export type PutAnswer =
  /** What is there now: 0 once it is removed. */
  | { readonly result: 'ok'; readonly version: number }
  /** Nothing was changed: this is what is there, 0 when there is nothing. */
  | { readonly result: 'conflict'; readonly version: number }

export interface DocumentsQuery {
  readonly tenant: string
  readonly kind: string
  /** Only ids that begin so. */
  readonly prefix?: string
  /** Only ids that come after this one: the `next` of an earlier page. */
  readonly after?: string
  readonly limit: number
}

export interface Store {
  append(write: Append): Promise<Appended>
  /** Undefined for a conversation without events. */
  load(from: Address): Promise<Loaded | undefined>
  /** In order, from the event after `after`. A store may stop before `limit`, never before the first one it has. */
  read(from: Address, after: number, limit?: number): Promise<readonly LogEvent[]>
  /** In order, the last ones before `before`: at least `limit` of them if there are so many. */
  readBack(from: Address, before: number, limit: number): Promise<readonly LogEvent[]>
  /** The events about a call that has ever waited, in order, as its row names them; none for any other id. */
  readCall(from: Address, callId: string): Promise<readonly LogEvent[]>
  /**
   * The conversations of a tenant in which a call of this id has ever waited, oldest first. Two at most: with more than one,
   * the id alone does not say which call is meant.
   */
  findCall(tenant: string, callId: string): Promise<readonly string[]>
  /** The seq at which the write under this key ended; undefined when there was none. */
  findKey(from: Address, key: string): Promise<number | undefined>
  /** The last seq of each; 0 for one without events. */
  heads(of: readonly Address[]): Promise<readonly number[]>

  /**
   * Keeps a note, in the place of an older one. For a conversation without events, it is dropped. So it is for a hidden one:
   * a summary that is ready only after the conversation was erased must not bring content back.
   */
  note(to: Address, note: Note): Promise<void>
  /** By seq, the last first, without those whose time is over. */
  notes(from: Address, query: NotesQuery): Promise<readonly Note[]>

  /**
   * Durable once it resolves. Throws when the result is unknown: then reading tells, and giving it again
   * does no harm if it says what it expects.
   */
  put(put: Put): Promise<PutAnswer>
  /** Undefined when there is none, or it is over. */
  get(tenant: string, kind: string, id: string): Promise<Document | undefined>
  /** By id, as JavaScript compares strings, without those that are over. */
  documents(query: DocumentsQuery): Promise<Page<Document>>

  /** Removes notes and documents whose time is over, so many at most of both together: how many there were. */
  sweep(limit: number): Promise<number>

  /** Open holds, oldest first. */
  pending(query: PendingQuery): Promise<Page<PendingRow>>
  /** Newest first. */
  list(query: ListQuery): Promise<Page<ConversationRow>>
  usage(tenant: string): Promise<TenantUsage>
  /**
   * The conversations of all tenants, without hidden ones, in an order of the store's own. For work that looks at each of
   * them now and then: a page costs what it has, however many there are. A page before the last may be empty.
   */
  walk(query: { readonly after?: string; readonly limit: number }): Promise<Page<WalkedConversation>>

  /** Says that a node lives, until `ttlMs` from now by the store's own clock, which it tells. */
  beat(node: string, ttlMs: number): Promise<number>
  /** The node is gone, and everything it drove is free. */
  leave(node: string): Promise<void>
  due(query: DueQuery): Promise<Due>
  /**
   * Takes over a running conversation whose owner is gone: its new epoch, or undefined when there is nothing to take.
   * The current owner gets its own epoch, so a claim whose answer was lost can be repeated.
   */
  claim(what: Address, node: string): Promise<number | undefined>

  /**
   * Notifies of appends by other processes, some time after they happened, and perhaps of one's own. A notification may be
   * lost: `heads` has the truth. `look`: there may be a deadline or work without an owner. An append that leaves work to a
   * node that is gone is announced with `look`, because its writer waits for another process to drive.
   */
  listen(changed: (what: Address, seq: number, look?: boolean) => void): () => void
  close(): Promise<void>
}
