/**
 * A hold: a call that waits for an answer from outside. Everything that decides how it ends is written when the hold is made:
 * what an approval is bound to, the deadline, what expiry does, and what follows an approval. So a changed declaration
 * changes no open hold, and a decision needs only the log.
 */
import type { Json, JsonObject } from '../json.ts'
import type { Author } from '../log/message.ts'
import type { Actor } from '../principal.ts'
import type { ToolDefinition } from '../tool/definition.ts'
import type { ApproverRule } from './approvers.ts'

export type HoldKind = 'approval' | 'elicitation' | 'client' | 'external'

/** An answer to a hold. `answer` is the call's result, or the error of its executor. */
export type Resolution =
  | { readonly kind: 'approve'; readonly input?: Json }
  | { readonly kind: 'reject'; readonly reason?: string }
  | { readonly kind: 'answer'; readonly value: Json }
  | { readonly kind: 'answer'; readonly error: string }

export type OnExpire = 'error' | 'reject' | 'cancel' | { readonly answer: Json }

/** The deadline of a hold and what follows it: settings that a first and a second hold share. */
export interface Waiting {
  readonly timeoutMs: number
  readonly onExpire: OnExpire
  /** What happens to an answer after expiry: it is refused, or becomes a new message to the agent. */
  readonly late: 'reject' | 'inbox'
  /** The call fails when no client that can run it has been connected for so long. Only in a runtime: a session knows no clients. */
  readonly graceMs?: number
}

export interface Hold extends Waiting, ApproverRule {
  readonly kind: HoldKind
  /**
   * Why the call is held: by its gate or executor (`tool`), a question of its handler (`asked`), a crash while it ran
   * (`lost`), a tool that was changed after the approval (`changed`), or manual mode (`manual`).
   */
  readonly cause: 'tool' | 'asked' | 'lost' | 'changed' | 'manual'
  readonly reason?: string
  readonly metadata?: Json
  readonly accepts: readonly Resolution['kind'][]
  /** The input as it will be run, and the hash the approval is bound to. */
  readonly input: Json
  readonly inputHash: string
  /** The fingerprint of the tool's definition that this hold was made under. */
  readonly fingerprint: string
  /** The tool's definition, for an approver. Left out for other kinds of hold, and in older logs. */
  readonly definition?: ToolDefinition
  /** The definition that was approved or allowed before, if the tool has changed since. The approver is shown the difference. */
  readonly definitionBefore?: ToolDefinition
  readonly expiresAt: number
  /** A rule may take the place of this approval: see `ApprovalRequest.rules`. */
  readonly rules?: 'may-relax'
  /** When the approvers are reminded, once. */
  readonly remindAt?: number
  /** When more people may resolve the hold, and who: they are added to `to`. */
  readonly escalation?: { readonly at: number; readonly to: readonly string[] }
  /** The authors of the call's turn. */
  readonly askedBy?: readonly Author[]
  /** What an answer must look like, for a client that renders a form. */
  readonly answerSchema?: JsonObject
  /** The model read `pending` and continued. The answer starts a turn of its own. */
  readonly async?: true
  /** A page where the person does what is asked, instead of a form. */
  readonly url?: string
  /**
   * The handler runs again: with the answer (`answer`), or at the deadline (`deadline`). In the second case, an answer before
   * the deadline is the call's result.
   */
  readonly resumes?: 'answer' | 'deadline'
  /** The hold that follows an approval: for the client, person or service that runs the call. */
  readonly then?: NextHold
}

export interface NextHold extends Waiting {
  readonly kind: 'client' | 'external' | 'elicitation'
  readonly to?: readonly string[]
  readonly cause: Hold['cause']
  readonly async?: true
  readonly answerSchema?: JsonObject
}

/** An accepted resolution. */
export interface Resolved extends Actor {
  readonly hold: HoldKind
  /** Which of the call's holds it answered, from 1. */
  readonly nth: number
  /** The kinds of resolution that the hold accepted. */
  readonly accepts: Hold['accepts']
  /** The people that the hold was for. One of them who answers later gets a verdict. */
  readonly to?: readonly string[]
  readonly askedBy?: readonly Author[]
  readonly resolution: Resolution
  readonly at: number
}

/** The people that a hold is for, as its resolution keeps them. */
export function addresseesOf({ kind, to, askedBy }: Hold): Pick<Resolved, 'to' | 'askedBy'> {
  if (to) return { to }
  return kind === 'elicitation' && askedBy ? { askedBy } : {}
}

/** The approval of one of several approvers, of the input with this hash. */
export interface Endorsement extends Actor {
  readonly by: string
  readonly inputHash: string
}

/** A person's comment on a hold. The model does not read it. */
export interface HoldComment extends Actor {
  readonly text: string
  readonly at: number
}

/** When the grace ends: counted from when the hold was made, or from when a client was last connected (`seenAt`). */
export function graceEnds(hold: Hold, seenAt: number = -Infinity): number | undefined {
  if (hold.kind !== 'client' || hold.graceMs === undefined) return undefined
  return Math.max(heldAt(hold), seenAt) + hold.graceMs
}

export function heldAt({ expiresAt, timeoutMs }: Hold): number {
  return expiresAt - timeoutMs
}

/** When a process has to look at the hold, if no answer comes before. */
export function lookAt(hold: Hold): number {
  const { expiresAt, remindAt = Infinity, escalation } = hold
  return Math.min(expiresAt, graceEnds(hold) ?? Infinity, remindAt, escalation?.at ?? Infinity)
}

/** The second hold of a client, human or external call that was approved, made from what the first one has. */
export function secondHold(first: Hold, now: number): Hold | undefined {
  if (!first.then) return undefined
  const {
    then: next,
    reason: _reason,
    answerSchema: _schema,
    definition: _now,
    definitionBefore: _old,
    to: _to,
    notRequester: _notRequester,
    remindAt: _remindAt,
    escalation: _escalation,
    rules: _rules,
    ...shared
  } = first
  return { ...shared, ...next, accepts: ['answer'], approvers: 1, expiresAt: now + next.timeoutMs }
}
