/**
 * One door for every answer from outside, and the verdict on it. The verdict is the truth about what the log will
 * hold: `accepted` is said only together with the events that carry the answer.
 */
import { canonical, type Json } from '../json.ts'
import type { EventBody } from '../log/log-event.ts'
import { askedFor } from '../log/message.ts'
import { sameName } from '../same-name.ts'
import { failed, pendingValue, type CallOutcome } from '../tool/outcome.ts'
import { howShown } from './call.ts'
import { openHold } from './decide.ts'
import { secondHold, type Hold, type HoldKind, type Resolution, type Resolved } from './hold.ts'
import type { Call } from './turn-state.ts'

export type Verdict =
  | 'accepted'
  /** The same answer was already taken. */
  | 'duplicate'
  /** A different answer came first. */
  | 'conflict'
  /** The deadline came first. */
  | 'expired'
  /** The call was cancelled, or a newer message took the turn's place. */
  | 'stale'
  /** There is no such call, or it was never held. */
  | 'unknown'
  /** The answer or the edited input does not fit the tool's schema. */
  | 'invalid'
  /** This hold does not take this kind of resolution. */
  | 'wrong-kind'
  /** The caller may not answer this kind of hold. */
  | 'not-allowed'

export interface ResolveAnswer {
  readonly verdict: Verdict
  readonly message: string
  /** What was taken instead, and who said it. */
  readonly first?: Resolved
  /** How many more approvers must agree. */
  readonly remaining?: number
}

export interface Resolve {
  readonly callId: string
  /** Which of the call's holds is meant, from 1. Without it, the one that is open. */
  readonly hold?: number
  readonly resolution: Resolution
  readonly by: string | undefined
  /** The kinds of hold that the caller may answer. Without it, every kind. */
  readonly kinds?: readonly HoldKind[]
  readonly now: number
  /** What would run under an edited input, as the tool's schema leaves it, and its hash. */
  readonly edited?: { readonly effective: Json; readonly inputHash: string; readonly approvers: number }
}

export type ResolveDecision = ResolveAnswer & { readonly events: readonly EventBody[] }

/** `call` is the call as the log has it, from whatever turn; undefined when the log has none of that id. */
export function decideResolve(call: Call | undefined, command: Resolve): ResolveDecision {
  if (!call) return no('unknown', `There is no call ${command.callId} in this conversation.`)
  const meant = command.hold === undefined || command.hold === call.holds
  const hold = meant ? openHold(call) : undefined
  const open = hold?.accepts.includes(command.resolution.kind) ? hold : undefined
  const first = call.resolved.findLast(
    (each) => each.accepts.includes(command.resolution.kind) && (command.hold ?? each.nth) === each.nth,
  )
  // On the state that is written to: a check made before could be about another hold of the call.
  const kind = open?.kind ?? first?.hold ?? hold?.kind ?? kindBefore(call)
  if (kind !== undefined && !mayAnswer(command, kind)) return notAllowed(command)
  if (open) return again(call, open, command) ?? take(call, open, command)
  if (first) return sameAnswer(first.resolution, command.resolution) ? duplicate(first) : conflict(first)
  if (hold) return wrongKind(hold.accepts, command)
  const missed = call.at === 'settled' && call.holds > 0 ? tooLate(call, command) : undefined
  if (missed) return missed
  const last = call.resolved.at(-1)
  if (last) return wrongKind(last.accepts, command)
  return call.holds > 0
    ? no('expired', `Call ${call.callId} looked again when its time had come, before this answer came.`)
    : no('unknown', `Call ${call.callId} is not held.`)
}

/** What a call that has no open hold waited for last. */
function kindBefore(call: Call): HoldKind | undefined {
  return (call.at === 'settled' ? call.hold?.kind : undefined) ?? call.resolved.at(-1)?.hold
}

function mayAnswer({ kinds }: Resolve, kind: HoldKind): boolean {
  return kinds === undefined || kinds.includes(kind)
}

/**
 * A word that comes again after the call was held again (its tool was changed, its process died, its handler had another
 * question) may be the old one, sent twice: it is not spent on something its sender may never have seen. Naming the hold
 * says that it was seen.
 */
function again(call: Call, { cause }: Hold, command: Resolve): ResolveDecision | undefined {
  const { hold, resolution, by } = command
  if (hold !== undefined || (cause !== 'changed' && cause !== 'lost' && cause !== 'asked')) return undefined
  const same = call.resolved.findLast(
    (each) => each.by === by && sameAnswer(each.resolution, resolution) && mayAnswer(command, each.hold),
  )
  if (!same) return undefined
  const { events, verdict, message } = duplicate(same)
  return { events, verdict, first: same, message: `${message} If hold ${call.holds} is meant, say so with "hold".` }
}

/** The hold is open and takes this kind of resolution. */
function take(call: Call, hold: Hold, command: Resolve): ResolveDecision {
  if (command.now >= hold.expiresAt)
    return no('expired', `Call ${call.callId} waited until its deadline, which has passed.`)
  const { resolution, by } = command
  if (hold.resumes === 'answer') return yes({ type: 'call.resumed', callId: call.callId, resolution, ...who(by) })
  const settle = (outcome: CallOutcome): EventBody =>
    call.at === 'settled'
      ? {
          type: 'answer.arrived',
          callId: call.callId,
          name: call.name,
          outcome,
          resolution,
          ...who(by),
          ...howShown(call),
          ...askedFor(hold),
        }
      : { type: 'call.settled', callId: call.callId, outcome, resolution, ...who(by) }
  switch (resolution.kind) {
    case 'approve':
      return approve(call, hold, command)
    case 'reject':
      return yes(settle(failed('rejected', rejection(resolution.reason))))
    case 'answer':
      return yes(settle(outcomeOf(resolution)))
  }
}

function approve(call: Call, hold: Hold, { resolution, by, now, edited }: Resolve): ResolveDecision {
  const inputHash = edited?.inputHash ?? hold.inputHash
  const { callId } = call
  const approved: EventBody = {
    type: 'call.approved',
    callId,
    resolution,
    ...(edited && { effective: edited.effective }),
    inputHash,
    fingerprint: hold.fingerprint,
    ...who(by),
  }
  // The executor gets the input that was approved, with edits.
  const second = secondHold(edited ? { ...hold, input: edited.effective, inputHash } : hold, now)
  const events: EventBody[] = second ? [approved, { type: 'call.held', callId, hold: second }] : [approved]
  if (second?.async) events.push(pendingResult(callId))
  // An edit may ask for more people than what was proposed, never for fewer.
  const approvers = Math.max(hold.approvers, edited?.approvers ?? 1)
  if (approvers <= 1) return yes(...events)

  // Several people must agree, and to the same input: a yes to something else is not a yes to this.
  if (by === undefined) return no('invalid', `Call ${callId} needs ${approvers} approvers; say who approves with "by".`)
  const others = call.endorsed.filter((each) => !sameName(each.by, by) && each.inputHash === inputHash)
  if (call.endorsed.some((each) => sameName(each.by, by) && each.inputHash === inputHash))
    return { ...no('duplicate', `${by} has approved already.`), remaining: approvers - others.length - 1 }
  const endorsed: EventBody = { type: 'call.endorsed', callId, by, inputHash }
  const remaining = approvers - others.length - 1
  return remaining > 0 ? { ...yes(endorsed), remaining } : { ...yes(endorsed, ...events), remaining: 0 }
}

/** What the model reads of an async call while the real answer is on its way. */
export function pendingResult(callId: string): EventBody {
  return { type: 'call.settled', callId, outcome: { ok: true, value: pendingValue(callId) } }
}

/**
 * `waiting`: the turn waits for the call. `pending`: the turn went on, and an answer still reaches the agent. `resolved`:
 * the call no longer waits.
 */
export type CallStatus = 'waiting' | 'pending' | 'resolved'

export function callStatus(call: Call): CallStatus {
  if (call.at !== 'settled') return 'waiting'
  return call.open || (call.hold && !droppedBy(call) && takesLate(call.hold)) ? 'pending' : 'resolved'
}

/** Why the call was given up with its turn, if it was. */
function droppedBy({ outcome }: Extract<Call, { at: 'settled' }>): 'cancelled' | 'superseded' | undefined {
  const code = outcome.ok ? undefined : outcome.error.code
  return code === 'cancelled' || code === 'superseded' ? code : undefined
}

function takesLate({ late, accepts }: Hold): boolean {
  return late === 'inbox' && accepts.includes('answer')
}

/** The call ended without an answer: the turn was taken from under it, or the deadline came first. */
function tooLate(
  call: Extract<Call, { at: 'settled' }>,
  { resolution, by, callId, hold = call.holds }: Resolve,
): ResolveDecision | undefined {
  const code = droppedBy(call)
  if (code) return no('stale', `Call ${callId} was ${code} before this answer came.`)
  if (!call.hold) return undefined
  if (takesLate(call.hold) && resolution.kind === 'answer' && hold === call.holds) {
    const arrived: EventBody = {
      type: 'answer.arrived',
      callId,
      name: call.name,
      outcome: outcomeOf(resolution),
      resolution,
      ...who(by),
      ...howShown(call),
      ...askedFor(call.hold),
    }
    return { ...yes(arrived), message: 'Accepted after the deadline: the agent gets it as a new message.' }
  }
  return no('expired', `Call ${callId} expired before this answer came.`)
}

function outcomeOf(resolution: Extract<Resolution, { kind: 'answer' }>): CallOutcome {
  return 'error' in resolution ? failed('failed', resolution.error) : { ok: true, value: resolution.value }
}

function rejection(reason: string | undefined): string {
  return reason ? `Rejected: ${reason}` : 'Rejected.'
}

function sameAnswer(a: Resolution, b: Resolution): boolean {
  return canonical(a) === canonical(b)
}

function who(by: string | undefined): { by?: string } {
  return by === undefined ? {} : { by }
}

function yes(...events: readonly EventBody[]): ResolveDecision {
  return { verdict: 'accepted', message: 'Accepted.', events }
}

function no(verdict: Verdict, message: string): ResolveDecision {
  return { verdict, message, events: [] }
}

function wrongKind(accepts: Hold['accepts'], { callId, resolution }: Resolve): ResolveDecision {
  return no('wrong-kind', `Call ${callId} takes ${accepts.join(' or ')}, not ${resolution.kind}.`)
}

function notAllowed({ callId, kinds = [] }: Resolve): ResolveDecision {
  return no('not-allowed', `Call ${callId} is not for this caller, who may answer ${kinds.join(' and ')} holds only.`)
}

function duplicate(first: Resolved): ResolveDecision {
  return { ...no('duplicate', `The same answer was taken already${from(first)}.`), first }
}

function conflict(first: Resolved): ResolveDecision {
  return { ...no('conflict', `A different answer came first${from(first)}: ${first.resolution.kind}.`), first }
}

function from(first: Resolved): string {
  return first.by === undefined ? '' : `, from ${first.by}`
}
