/** Changes to an open hold that do not resolve it: it is assigned to a person, handed over, or gets a comment. */
import { actorOf, type Principal } from '../principal.ts'
import { mayResolve } from './approvers.ts'
import { openHold } from './call.ts'
import { accept, refuse, type Decision } from './decision.ts'
import { findCall } from './find-call.ts'
import type { Hold, HoldKind } from './hold.ts'
import { rightsOnHold } from './hold-rights.ts'
import { refuseStranger } from './people.ts'
import type { Call, Conversation } from './turn-state.ts'

export interface HoldCommand {
  readonly callId: string
  /** Which of the call's holds is meant, from 1. Without it, the one that is open. */
  readonly hold?: number
  readonly by: Principal
  readonly now: number
}

export interface AssignHold extends HoldCommand {
  readonly assignee: string | undefined
  /** The kinds of hold that the caller may answer, besides those that are for it. Without it, every kind. */
  readonly kinds?: readonly HoldKind[]
}

/** Assigns the hold to a person, or to no one. Only people who may resolve the hold may do this, also if it has an assignee. */
export function decideAssign(state: Conversation, { assignee, ...command }: AssignHold): Decision {
  const { callId, by } = command
  const found = openHoldOf(state, command)
  if (!found) return refuse('hold-not-open', `Call ${callId} is not held.`)
  const may = mayResolve([found.hold.to], command)
  if (!may.ok) return refuse('not-allowed', `Call ${callId} ${may.why}`)
  const rights = rightsOnHold(found.call, found.hold, command)
  if (!rights.resolve) return refuse('not-allowed', rights.why ?? 'You may not resolve this hold.')
  const stranger = refuseUninvolved(state, found.hold, command)
  if (stranger) return stranger
  if (found.call.assignee === assignee) return accept()
  return accept({
    type: 'hold.assigned',
    callId,
    ...(assignee !== undefined && { assignee }),
    ...actorOf(by, may.onBehalfOf),
  })
}

export interface HandOver {
  readonly callId: string
  readonly from: string
  /** Undefined: to no one. */
  readonly to: string | undefined
  readonly by: Principal | undefined
}

/**
 * Takes the hold from its assignee, who left. For an operator, who need not be an approver: so a principal with access to its
 * own conversations only may not. A hold that has another assignee by now stays as it is.
 */
export function decideHandOver(state: Conversation, { callId, from, to, by }: HandOver): Decision {
  if (by?.access === 'own')
    return refuse('not-allowed', 'Only a caller with access to all conversations hands holds over.')
  const found = openHoldOf(state, { callId })
  if (found?.call.assignee !== from || to === from) return accept()
  return accept({ type: 'hold.assigned', callId, ...(to !== undefined && { assignee: to }), ...actorOf(by) })
}

const MOST_COMMENTS = 100

export function decideComment(state: Conversation, command: HoldCommand & { readonly text: string }): Decision {
  const { callId, by, text } = command
  const found = openHoldOf(state, command)
  if (!found) return refuse('hold-not-open', `Call ${callId} is not held.`)
  const stranger = refuseUninvolved(state, found.hold, command)
  if (stranger) return stranger
  if ((found.call.comments ?? []).length >= MOST_COMMENTS)
    return refuse('limit-reached', `Call ${callId} has ${MOST_COMMENTS} comments, the most it may have.`)
  return accept({ type: 'hold.commented', callId, text, ...actorOf(by) })
}

/** A caller who takes no part in the conversation, and whom the hold does not name. */
function refuseUninvolved(state: Conversation, { to }: Hold, { by, now }: HoldCommand): Decision | undefined {
  return to && mayResolve([to], { by, now }).ok ? undefined : refuseStranger(state, by)
}

/** The hold that the command means, if it is open. */
function openHoldOf(
  state: Conversation,
  { callId, hold: nth }: Pick<HoldCommand, 'callId' | 'hold'>,
): { readonly call: Call; readonly hold: Hold } | undefined {
  const call = findCall(state, callId)
  const hold = call && openHold(call)
  return hold && (nth ?? call.holds) === call.holds ? { call, hold } : undefined
}
