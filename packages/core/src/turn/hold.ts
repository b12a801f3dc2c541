/**
 * A hold: a call that waits for an answer from outside. Everything that decides its fate is written down when it is made
 * (what it is bound to, how long it waits, what expiry does, what comes after a yes), so a changed declaration cannot
 * change an open turn and answering needs nothing but the log.
 */
import type { Json, JsonObject } from '../json.ts'
import type { Author } from '../log/message.ts'
import type { ToolDefinition } from '../tool/definition.ts'

export type HoldKind = 'approval' | 'elicitation' | 'client' | 'external'

/** What the outside may say. `answer` gives the call's result, or says why there is none. */
export type Resolution =
  | { readonly kind: 'approve'; readonly input?: Json }
  | { readonly kind: 'reject'; readonly reason?: string }
  | { readonly kind: 'answer'; readonly value: Json }
  | { readonly kind: 'answer'; readonly error: string }

export type OnExpire = 'error' | 'reject' | 'cancel' | { readonly answer: Json }

/** How long to wait, and what then: the settings that a first and a second hold share. */
export interface Waiting {
  readonly timeoutMs: number
  readonly onExpire: OnExpire
  /** Where an answer goes that comes after expiry: nowhere, or into the conversation as a new turn. */
  readonly late: 'reject' | 'inbox'
  /** How long the client that is to carry it out may be away before the call is given up. A runtime knows of clients, a session does not. */
  readonly graceMs?: number
}

export interface Hold extends Waiting {
  readonly kind: HoldKind
  /** Why: the gate, a handler's question, a call in doubt after a crash, a definition changed after the yes. */
  readonly cause: 'tool' | 'asked' | 'lost' | 'changed' | 'manual'
  readonly reason?: string
  readonly metadata?: Json
  readonly accepts: readonly Resolution['kind'][]
  /** The input as it will be run, and the hash the approval is bound to. */
  readonly input: Json
  readonly inputHash: string
  /** The fingerprint of the tool's definition that this hold was made under. */
  readonly fingerprint: string
  /** What an approver is shown of the tool. Holds of other kinds have none, and neither have those of older logs. */
  readonly definition?: ToolDefinition
  /** What the tool was when it was last approved or allowed, when that is not what it is now: the approver is shown the difference. */
  readonly definitionBefore?: ToolDefinition
  readonly expiresAt: number
  /** How many different people must approve. */
  readonly approvers: number
  /** The authors of what the call's turn is about. */
  readonly askedBy?: readonly Author[]
  /** What an answer must look like, for a client that renders a form. */
  readonly answerSchema?: JsonObject
  /** The model already read `pending` and went on; the answer will start a turn of its own. */
  readonly async?: true
  /** Where a person does what is asked, in place of a form. */
  readonly url?: string
  /**
   * The handler is not done, and runs again: with what was said (`answer`), or when the deadline comes (`deadline`), where
   * an answer before that is the call's result.
   */
  readonly resumes?: 'answer' | 'deadline'
  /** After the yes, the call waits again: for the client or the outside service that carries it out. */
  readonly then?: NextHold
}

export interface NextHold extends Waiting {
  readonly kind: 'client' | 'external' | 'elicitation'
  readonly cause: Hold['cause']
  readonly async?: true
  readonly answerSchema?: JsonObject
}

/** A resolution that was taken, as the log remembers it. */
export interface Resolved {
  readonly hold: HoldKind
  /** Which of the call's holds it answered, from 1. */
  readonly nth: number
  /** What the hold would have taken: an answer of one of these kinds was given to the same question. */
  readonly accepts: Hold['accepts']
  readonly resolution: Resolution
  readonly by: string | undefined
  readonly at: number
}

/** One of several approvers agreed, to what has this hash. */
export interface Endorsement {
  readonly by: string
  readonly inputHash: string
}

/** Who agreed to exactly the input that this hold shows. A yes to a changed input is not a yes to it. */
export function agreedTo({ inputHash }: Hold, endorsed: readonly Endorsement[]): readonly string[] {
  return endorsed.filter((each) => each.inputHash === inputHash).map(({ by }) => by)
}

/** When the wait for a client is over, if none was there since: after the hold was made, or after one was last seen. */
export function graceEnds(hold: Hold, seenAt: number = -Infinity): number | undefined {
  if (hold.kind !== 'client' || hold.graceMs === undefined) return undefined
  return Math.max(heldAt(hold), seenAt) + hold.graceMs
}

export function heldAt({ expiresAt, timeoutMs }: Hold): number {
  return expiresAt - timeoutMs
}

/** When a process has to look at it, if no answer comes. */
export function lookAt(hold: Hold): number {
  return Math.min(hold.expiresAt, graceEnds(hold) ?? Infinity)
}

/** The second hold of a gated client or external call, made from what was written with the first. */
export function secondHold(first: Hold, now: number): Hold | undefined {
  if (!first.then) return undefined
  const {
    then: next,
    reason: _reason,
    answerSchema: _schema,
    definition: _now,
    definitionBefore: _old,
    ...shared
  } = first
  return { ...shared, ...next, accepts: ['answer'], approvers: 1, expiresAt: now + next.timeoutMs }
}
