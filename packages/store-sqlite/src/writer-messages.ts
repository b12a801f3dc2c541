/**
 * The messages between the main thread and the writer thread. They are cloned, so they are flat. Names are encoded as for
 * columns, and JSON columns are JSON text here too. Operations are answered in order.
 *
 * Most messages are appends and their answers, and cloning an object costs more than all other work on the main thread. So
 * an append is sent as an array of its fields, and answers come back as JSON text.
 */
import type { MessagePort } from 'node:worker_threads'
import type { ConversationStatus, HoldKind, PutResult } from '@holdpoint/core'
import type { PackedAppend } from './packed-append.ts'

export interface AppendOp {
  readonly op: 'append'
  readonly tenant: string
  readonly id: string
  readonly expectedSeq: number
  readonly follows: string
  readonly hash: string
  readonly mark: string
  /** JSON, with `count` elements. */
  readonly events: string
  readonly count: number
  readonly at: number
  readonly agent: string
  readonly status: ConversationStatus
  readonly wakeAt: number | null
  /** JSON. */
  readonly base: string | null
  readonly baseHash: string | null
  readonly holds: readonly HoldCells[]
  /** JSON. Null leaves them as they are. */
  readonly labels: string | null
  readonly hidden: 0 | 1
  readonly erase: boolean
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
  /** JSON; null for none. */
  readonly labels: string | null
}

export interface TakeOverOp {
  readonly op: 'takeOver'
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

/** Sent by the thread to itself: deletes the row of a dead node. */
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
  /** JSON. Null removes the document. */
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
  /** Null for all agents. */
  readonly agents: readonly string[] | null
  readonly limit: number
  readonly now: number
}

/** Reports writes of other processes after this position. */
export interface ListenOp {
  readonly op: 'listen'
  readonly after: number
}

export interface UnlistenOp {
  readonly op: 'unlisten'
}

/** The last operation. */
export interface CloseOp {
  readonly op: 'close'
}

/** The operations that run in a transaction. */
export type WriteOp = AppendOp | TakeOverOp | BeatOp | LeaveOp | ForgetOp | NoteOp | PutOp | SweepOp
export type Op = WriteOp | DueOp | ListenOp | UnlistenOp | CloseOp

export type OpResult =
  /** Appended. `unowned`: the conversation has work and no live owner. */
  | { readonly result: 'ok'; readonly epoch: number; readonly owned: boolean; readonly unowned: boolean }
  /** An earlier attempt of the same write was stored; `batch` is what it stored. */
  | { readonly result: 'again'; readonly batch: StoredBatch; readonly epoch: number; readonly owned: boolean }
  | { readonly result: 'conflict' }
  | { readonly result: 'fenced' }
  | { readonly result: 'repeated'; readonly seq: number }
  | { readonly result: 'taken-over'; readonly epoch: number | undefined }
  | { readonly result: 'due'; readonly conversations: readonly ConversationKey[]; readonly next: number | undefined }
  | { readonly result: 'put'; readonly answer: PutResult }
  | { readonly result: 'swept'; readonly count: number }
  | { readonly result: 'done' }
  /** Certainly not written. */
  | { readonly result: 'failed'; readonly why: string }
  | { readonly result: 'unknown'; readonly why: string }

export interface StoredBatch {
  readonly seq: number
  readonly at: number
  readonly events: string
  readonly hash: string
}

export interface ConversationKey {
  readonly tenant: string
  readonly id: string
}

/** A batch that another process or another handle wrote. */
export interface Change extends ConversationKey {
  readonly pos: number
  readonly seq: number
  /** 1 if the conversation has work and no live owner. */
  readonly unowned: 0 | 1
}

/** The data that a thread is started with. */
export interface Setup {
  /** Carries operations to the thread, and answers and changes back. */
  readonly port: MessagePort
  readonly path: string
  readonly waitMs: number
  /** The nodes with heartbeats so far, if this thread replaces one that crashed. */
  readonly nodes: readonly string[]
  readonly listening: boolean
}

/** The first message of a thread. */
export type Opening =
  /** `file` is the real path, with links resolved. */
  | { readonly type: 'ready'; readonly file: string }
  | { readonly type: 'refused'; readonly why: string; readonly cause: unknown }

export type MessagesToWriter = readonly (Exclude<Op, AppendOp> | PackedAppend)[]

/** Sent as JSON text. */
export type MessagesFromWriter =
  | { readonly type: 'answers'; readonly answers: readonly OpResult[] }
  | { readonly type: 'changes'; readonly changes: readonly Change[] }
