/**
 * Decides a resolution: its verdict, and the events that carry it when it is accepted. Each answer to a hold comes here,
 * whether it is from a person, a client, a worker or another service.
 */
import { canonical, type Json } from '../json.ts'
import type { EventBody } from '../log/log-event.ts'
import { askedFor, type Author } from '../log/message.ts'
import { deciderOf, type Actor, type Principal } from '../principal.ts'
import { failed, type CallOutcome } from '../tool/outcome.ts'
import { answerOutcome } from './answer-outcome.ts'
import { approveHold } from './approve-hold.ts'
import { mayResolve, type ApproverRule } from './approvers.ts'
import { howShown, openHold } from './call.ts'
import type { Hold, HoldKind, Resolution, Resolved } from './hold.ts'
import { resolveLate } from './late-answer.ts'
import type { Call } from './turn-state.ts'
import { accepted, notAccepted, type ResolveDecision } from './verdict.ts'

export interface Resolve {
  readonly callId: string
  /** Which of the call's holds is meant, from 1. Without it, the one that is open. */
  readonly hold?: number
  readonly resolution: Resolution
  readonly by: Principal | undefined
  /** The kinds of hold that the caller may answer, besides those that are for it. Without it, every kind. */
  readonly kinds?: readonly HoldKind[]
  /** Where the caller takes no part, although it may have asked there. Without it, nowhere. */
  readonly absent?: Absence
  readonly now: number
  /** An edited input after the tool's schema, its hash, and who may approve it. */
  readonly edited?: { readonly effective: Json; readonly inputHash: string; readonly rule: ApproverRule }
}

export interface Absence {
  /** It takes no part in the conversation of the call. */
  readonly conversation: boolean
  /** Spaces that it is no member of. */
  readonly spaces: readonly string[]
}

/** `call` is the call as the log has it, of any turn; undefined when the log has no call with this id. */
export function decideResolve(call: Call | undefined, command: Resolve): ResolveDecision {
  if (!call) return notAccepted('unknown', `There is no call ${command.callId} in this conversation.`)
  const meant = command.hold === undefined || command.hold === call.holds
  const hold = meant ? openHold(call) : undefined
  const open = hold?.accepts.includes(command.resolution.kind) ? hold : undefined
  const first = call.resolved.findLast(
    (each) => each.accepts.includes(command.resolution.kind) && (command.hold ?? each.nth) === each.nth,
  )
  // The right is checked on the state that is written to. An earlier check could be about another hold of the call.
  const kind = open?.kind ?? first?.hold ?? hold?.kind ?? kindBefore(call)
  const isFor = isAddressedTo(open ?? answered(first) ?? missedHold(call), command)
  if (kind !== undefined && !isFor && !mayAnswer(command, kind)) return notAllowed(command)
  if (open) return repeatedAfterHold(call, open, command) ?? resolveOpen(call, open, command)
  if (first) return sameAnswer(first.resolution, command.resolution) ? duplicate(first) : conflict(first)
  if (hold) return wrongKind(hold.accepts, command)
  const missed = call.at === 'settled' && call.holds > 0 ? resolveLate(call, command) : undefined
  if (missed) return missed
  const last = call.resolved.at(-1)
  if (last) return wrongKind(last.accepts, command)
  return call.holds > 0
    ? notAccepted('expired', `Call ${call.callId} ran again at its deadline, before this answer came.`)
    : notAccepted('unknown', `Call ${call.callId} is not held.`)
}

/** Whether the hold names this person, or asks the person who caused the call. Such a person needs no other right. */
function isAddressedTo(hold: Addressed | undefined, { by, now, absent }: Resolve): boolean {
  if (!hold || by?.kind !== 'person') return false
  const { to, kind, askedBy } = hold
  if (to) return mayResolve([to], { by, now }).ok
  return kind === 'elicitation' && isAskerStill(askedBy, by.id, absent)
}

/** Whether the person asked, and still takes part where they did: one who was removed there sees and answers no more. */
export function isAskerStill(askedBy: readonly Author[] = [], person: string, absent: Absence | undefined): boolean {
  const isAbsent = ({ space }: Author): boolean =>
    space === undefined ? absent?.conversation === true : absent?.spaces.includes(space) === true
  return askedBy.some((author) => author.kind !== 'agent' && author.by === person && !isAbsent(author))
}

type Addressed = Pick<Hold, 'kind' | 'to' | 'askedBy'>

/** A person who may answer a hold and is too late is told so: the hold as the first answer has it. */
function answered(first: Resolved | undefined): Addressed | undefined {
  return first && { ...first, kind: first.hold }
}

/** The hold that was open when the call was settled without an answer. */
function missedHold(call: Call): Addressed | undefined {
  return call.at === 'settled' ? call.hold : undefined
}

/** The kind of the last hold of a call that has no open one. */
function kindBefore(call: Call): HoldKind | undefined {
  return (call.at === 'settled' ? call.hold?.kind : undefined) ?? call.resolved.at(-1)?.hold
}

function mayAnswer({ kinds }: Resolve, kind: HoldKind): boolean {
  return kinds === undefined || kinds.includes(kind)
}

/**
 * A call that was resolved may be held again: its tool was changed, its process died, or its handler asked another question.
 * The same resolution by the same caller may then be a retry of the first one, from a caller who never saw the new hold. It
 * is a `duplicate`, unless the caller names the hold.
 */
function repeatedAfterHold(call: Call, { cause }: Hold, command: Resolve): ResolveDecision | undefined {
  const { hold, resolution, by } = command
  if (hold !== undefined || (cause !== 'changed' && cause !== 'lost' && cause !== 'asked')) return undefined
  const same = call.resolved.findLast(
    (each) => each.by === by?.id && sameAnswer(each.resolution, resolution) && mayAnswer(command, each.hold),
  )
  if (!same) return undefined
  const { events, verdict, message } = duplicate(same)
  return { events, verdict, first: same, message: `${message} If hold ${call.holds} is meant, say so with "hold".` }
}

/** The hold is open and accepts this kind of resolution. */
function resolveOpen(call: Call, hold: Hold, command: Resolve): ResolveDecision {
  if (command.now >= hold.expiresAt)
    return notAccepted('expired', `Call ${call.callId} waited until its deadline, which has passed.`)
  const { resolution, by } = command
  if (resolution.kind === 'approve') return approveHold(call, hold, command)
  const may = mayResolve([hold.to], command)
  if (!may.ok) return notAccepted('not-allowed', `Call ${call.callId} ${may.why}`)
  const who = deciderOf(by, may.onBehalfOf)
  if (hold.resumes === 'answer') return accepted({ type: 'call.resumed', callId: call.callId, resolution, ...who })
  const settle = (outcome: CallOutcome): EventBody =>
    call.at === 'settled'
      ? {
          type: 'answer.arrived',
          callId: call.callId,
          name: call.name,
          outcome,
          resolution,
          ...who,
          ...howShown(call),
          ...askedFor(hold),
        }
      : { type: 'call.settled', callId: call.callId, outcome, resolution, ...who }
  if (resolution.kind === 'answer') return accepted(settle(answerOutcome(resolution)))
  return accepted(settle(failed('rejected', rejection(resolution.reason))))
}

function rejection(reason: string | undefined): string {
  return reason ? `Rejected: ${reason}` : 'Rejected.'
}

function wrongKind(accepts: Hold['accepts'], { callId, resolution }: Resolve): ResolveDecision {
  return notAccepted('wrong-kind', `Call ${callId} takes ${accepts.join(' or ')}, not ${resolution.kind}.`)
}

function notAllowed({ callId, kinds = [] }: Resolve): ResolveDecision {
  const only = kinds.length > 0 ? `, who may answer ${kinds.join(' and ')} holds only` : ''
  return notAccepted('not-allowed', `Call ${callId} is not for this caller${only}.`)
}

function duplicate(first: Resolved): ResolveDecision {
  return { ...notAccepted('duplicate', `The same answer was taken already${from(first)}.`), first }
}

function conflict(first: Resolved): ResolveDecision {
  return { ...notAccepted('conflict', `A different answer came first${from(first)}: ${first.resolution.kind}.`), first }
}

function from(first: Actor): string {
  return first.by === undefined ? '' : `, from ${first.by}`
}

function sameAnswer(a: Resolution, b: Resolution): boolean {
  return canonical(a) === canonical(b)
}
