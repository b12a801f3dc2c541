/**
 * What the main thread and the writer's thread say to each other. Flat and plain, since it is cloned; names are as
 * columns hold them, and what is JSON in the file is JSON here. Operations are answered in the order they were asked in.
 *
 * Nearly all of it is appends and their answers, and cloning an object takes longer than everything else that is done with
 * it on the main thread. So an append goes over as a list of its fields, and what comes back is JSON.
 */
import type { ConversationStatus, HoldKind, PutAnswer } from '@holdpoint/core'
import type { LineEnd } from './line.ts'
import type { PackedAppend } from './packed-append.ts'

export interface AppendOp {
  readonly op: 'append'
  readonly tenant: string
  readonly id: string
  readonly expectedSeq: number
  readonly mark: string
  /** JSON, and how many there are. */
  readonly events: string
  readonly count: number
  readonly at: number
  readonly agent: string
  readonly status: ConversationStatus
  readonly wakeAt: number | null
  /** JSON. */
  readonly base: string | null
  readonly holds: readonly HoldCells[]
  readonly epoch: number | null
  readonly node: string | null
  readonly key: string | null
  readonly now: number
}

export interface HoldCells {
  readonly callId: string
  readonly tool: string
  readonly kind: HoldKind
  readonly open: boolean
  readonly heldAt: number
  readonly expiresAt: number
  /** JSON. */
  readonly seqs: string
}

export interface ClaimOp {
  readonly op: 'claim'
  readonly tenant: string
  readonly id: string
  readonly node: string
  readonly now: number
}

export interface BeatOp {
  readonly op: 'beat'
  readonly node: string
  readonly now: number
  readonly expiresAt: number
}

export interface LeaveOp {
  readonly op: 'leave'
  readonly node: string
}

/** The thread's own: the row of a node that is dead. */
export interface ForgetOp {
  readonly op: 'forget'
  readonly node: string
  readonly now: number
}

export interface NoteOp {
  readonly op: 'note'
  readonly tenant: string
  readonly id: string
  readonly kind: string
  readonly seq: number
  readonly at: number
  readonly until: number | null
  /** JSON. */
  readonly data: string
}

export interface PutOp {
  readonly op: 'put'
  readonly tenant: string
  readonly kind: string
  readonly id: string
  readonly expected: number | null
  /** JSON; null removes it. */
  readonly data: string | null
  readonly until: number | null
  readonly now: number
}

export interface SweepOp {
  readonly op: 'sweep'
  readonly limit: number
  readonly now: number
}

export interface DueOp {
  readonly op: 'due'
  /** Null for any. */
  readonly agents: readonly string[] | null
  readonly limit: number
  readonly now: number
}

/** Tells of what others write from here on. */
export interface ListenOp {
  readonly op: 'listen'
  readonly after: number
}

export interface UnlistenOp {
  readonly op: 'unlisten'
}

/** The last one. */
export interface CloseOp {
  readonly op: 'close'
}

/** Those that go into a transaction. */
export type WriteOp = AppendOp | ClaimOp | BeatOp | LeaveOp | ForgetOp | NoteOp | PutOp | SweepOp
export type Op = WriteOp | DueOp | ListenOp | UnlistenOp | CloseOp

export type Answer =
  /** Appended. `left`: there is work, and nobody at it. */
  | { readonly result: 'ok'; readonly epoch: number; readonly owned: boolean; readonly left: boolean }
  /** Appended earlier, by the same write; here is what it wrote. */
  | { readonly result: 'again'; readonly batch: StoredBatch; readonly epoch: number; readonly owned: boolean }
  | { readonly result: 'conflict' }
  | { readonly result: 'fenced' }
  | { readonly result: 'repeated'; readonly seq: number }
  | { readonly result: 'claimed'; readonly epoch: number | undefined }
  | { readonly result: 'due'; readonly conversations: readonly Place[]; readonly next: number | undefined }
  | { readonly result: 'put'; readonly answer: PutAnswer }
  | { readonly result: 'swept'; readonly count: number }
  | { readonly result: 'done' }
  /** Surely nothing was written. */
  | { readonly result: 'failed'; readonly why: string }
  | { readonly result: 'unknown'; readonly why: string }

export interface StoredBatch {
  readonly seq: number
  readonly at: number
  readonly events: string
}

export interface Place {
  readonly tenant: string
  readonly id: string
}

/** A batch that somebody else wrote. */
export interface Change extends Place {
  readonly pos: number
  readonly seq: number
  /** Whether there is work now, and nobody at it. */
  readonly left: 0 | 1
}

/** What a thread is started with. */
export interface Setup {
  /** What is asked and told goes over this. */
  readonly line: LineEnd
  readonly path: string
  readonly waitMs: number
  /** Those that beat before, when this thread takes over from one that crashed. */
  readonly nodes: readonly string[]
  readonly listening: boolean
}

/** The first word of a thread. */
export type Opening =
  /** `file`: where it really is, whatever links led there. */
  | { readonly tell: 'ready'; readonly file: string }
  | { readonly tell: 'refused'; readonly why: string; readonly cause: unknown }

export type ToThread = readonly (Exclude<Op, AppendOp> | PackedAppend)[]

/** As JSON. */
export type FromThread =
  | { readonly tell: 'answers'; readonly answers: readonly Answer[] }
  | { readonly tell: 'changes'; readonly changes: readonly Change[] }
