/**
 * One door for every answer from outside, and the verdict on it. The verdict is the truth about what the log will
 * hold: `accepted` is said only together with the events that carry the answer.
 */
import { canonical, type Json } from '../json.ts'
import type { EventBody } from '../log/log-event.ts'
import { failed, type CallOutcome } from '../tool/outcome.ts'
import { shownIn } from './call.ts'
import { openHold } from './decide.ts'
import { secondHold, type Hold, type Resolution, type Resolved } from './hold.ts'
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
  /** There is no such call, or it never waited for anybody. */
  | 'unknown'
  /** The answer or the edited input does not fit the tool's schema. */
  | 'invalid'
  /** This hold does not take this kind of resolution. */
  | 'wrong-kind'

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
  if (hold?.accepts.includes(command.resolution.kind)) return again(call, hold, command) ?? take(call, hold, command)
  const first = call.resolved.findLast(
    (each) => each.accepts.includes(command.resolution.kind) && (command.hold ?? each.nth) === each.nth,
  )
  if (first) return sameAnswer(first.resolution, command.resolution) ? duplicate(first) : conflict(first)
  if (hold) return wrongKind(hold.accepts, command)
  const missed = call.at === 'settled' && call.holds > 0 ? tooLate(call, command) : undefined
  if (missed) return missed
  const last = call.resolved.at(-1)
  if (last) return wrongKind(last.accepts, command)
  return call.holds > 0
    ? no('expired', `Call ${call.callId} looked again when its time had come, before this answer came.`)
    : no('unknown', `Call ${call.callId} is not waiting for anybody.`)
}

/**
 * A word that comes again after the call was held anew (its tool was changed, its process died, its handler had another
 * question) may be the old one, sent twice: it is not spent on something its sender may never have seen. Naming the hold
 * says that it was seen.
 */
function again(call: Call, { cause }: Hold, { hold, resolution, by }: Resolve): ResolveDecision | undefined {
  if (hold !== undefined || (cause !== 'changed' && cause !== 'lost' && cause !== 'asked')) return undefined
  const same = call.resolved.findLast((each) => each.by === by && sameAnswer(each.resolution, resolution))
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
          ...shownIn(call),
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
  // Whoever carries the call out is shown what was approved, edits included.
  const second = secondHold(edited ? { ...hold, input: edited.effective, inputHash } : hold, now)
  const events: EventBody[] = second ? [approved, { type: 'call.held', callId, hold: second }] : [approved]
  if (second?.async) events.push(pendingResult(callId))
  // An edit may ask for more people than what was proposed, never for fewer.
  const approvers = Math.max(hold.approvers, edited?.approvers ?? 1)
  if (approvers <= 1) return yes(...events)

  // Several people must agree, and to the same input: a yes to something else is not a yes to this.
  if (by === undefined) return no('invalid', `Call ${callId} needs ${approvers} approvers; say who approves with "by".`)
  const others = call.endorsed.filter((each) => each.by !== by && each.inputHash === inputHash)
  if (call.endorsed.some((each) => each.by === by && each.inputHash === inputHash))
    return { ...no('duplicate', `${by} has approved already.`), remaining: approvers - others.length - 1 }
  const endorsed: EventBody = { type: 'call.endorsed', callId, by, inputHash }
  const remaining = approvers - others.length - 1
  return remaining > 0 ? { ...yes(endorsed), remaining } : { ...yes(endorsed, ...events), remaining: 0 }
}

/** What the model reads of an async call while the real answer is on its way. */
export function pendingResult(callId: string): EventBody {
  return { type: 'call.settled', callId, outcome: { ok: true, value: { status: 'pending', toolCallId: callId } } }
}

/** The call ended without an answer: the turn was taken from under it, or the deadline came first. */
function tooLate(
  call: Extract<Call, { at: 'settled' }>,
  { resolution, by, callId }: Resolve,
): ResolveDecision | undefined {
  const code = call.outcome.ok ? undefined : call.outcome.error.code
  if (code === 'cancelled' || code === 'superseded')
    return no('stale', `Call ${callId} was ${code} before this answer came.`)
  if (!call.hold) return undefined
  if (call.hold.late === 'inbox' && resolution.kind === 'answer' && call.hold.accepts.includes('answer')) {
    const arrived: EventBody = {
      type: 'answer.arrived',
      callId,
      name: call.name,
      outcome: outcomeOf(resolution),
      resolution,
      ...who(by),
      ...shownIn(call),
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

function duplicate(first: Resolved): ResolveDecision {
  return { ...no('duplicate', `The same answer was taken already${from(first)}.`), first }
}

function conflict(first: Resolved): ResolveDecision {
  return { ...no('conflict', `A different answer came first${from(first)}: ${first.resolution.kind}.`), first }
}

function from(first: Resolved): string {
  return first.by === undefined ? '' : `, from ${first.by}`
}
