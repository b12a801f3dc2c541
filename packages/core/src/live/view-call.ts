/**
 * One call as a person sees it, moved by the events about it. The same life as in `turn/call.ts`, with times, and with
 * one difference: what cannot have happened is passed over. A driver stops at a damaged log; a reader of it
 * should still see something.
 */
import type { Display, LogEvent } from '../log/log-event.ts'
import type { CallPart } from '../model/reply.ts'
import { doneBy, type Actor } from '../principal.ts'
import type { Call } from '../turn/turn-state.ts'
import { addresseesOf, type Endorsement, type Hold, type Resolution } from '../turn/hold.ts'
import type { ViewCall, ViewHold, ViewResolved } from './view-shape.ts'

export type CallEvent = Extract<LogEvent, { readonly callId: string }>
type Settled = Extract<ViewCall, { readonly state: 'settled' }>
type Facts = Omit<ViewCall, 'state' | 'hold' | 'outcome'>

export function newViewCall(
  { callId, name, input, malformed }: CallPart,
  display: readonly Display[] | undefined,
): ViewCall {
  const { streaming, silent } = display?.find((each) => each.callId === callId) ?? {}
  return {
    callId,
    name,
    proposed: input,
    ...(malformed !== undefined && { malformed }),
    input,
    ...(streaming && { streaming }),
    ...(silent && { silent }),
    attempt: 0,
    holds: 0,
    resolved: [],
    state: 'ready',
  }
}

export function moveCall(call: ViewCall, event: CallEvent): ViewCall {
  if (isHoldEvent(event)) return call.hold ? { ...call, hold: moveHold(call.hold, event) } : call
  if (call.state === 'settled') return event.type === 'answer.arrived' ? answered(call, event) : call
  const { hold } = call
  switch (event.type) {
    case 'call.rewritten':
      return { ...facts(call), input: event.input, state: 'ready' }
    case 'call.judged': {
      const { rule: _before, ...left } = call
      const { decision } = event
      return decision && decision.ignored === undefined ? { ...left, rule: decision } : left
    }
    case 'call.held': {
      const nth = call.holds + 1
      const made = viewHold(
        {
          callId: call.callId,
          name: call.name,
          proposed: call.proposed,
          endorsedBy: [],
          ...(call.streaming && { streaming: true }),
        },
        nth,
        event.hold,
      )
      return { ...facts(call), input: event.hold.input, holds: nth, state: 'held', hold: made }
    }
    case 'call.endorsed':
      return hold ? { ...facts(call), state: 'held', hold: endorsedHold(hold, event) } : call
    case 'call.approved': {
      if (!hold) return call
      const { effective = call.input } = event
      const { endorsements = [] } = hold
      const approvals = endorsements.filter(({ inputHash }) => inputHash === event.inputHash)
      const resolved = taken(call, hold, event, approvals)
      return { ...facts(call), input: effective, resolved, state: 'ready' }
    }
    case 'call.resumed':
      return { ...facts(call), resolved: taken(call, hold, event), state: 'ready' }
    case 'call.started':
      return { ...facts(call), attempt: event.attempt, startedAt: event.at, state: 'running' }
    case 'call.settled': {
      const settled = { state: 'settled', outcome: event.outcome, settledAt: event.at } as const
      const left = event.resolution ? undefined : hold
      const waits = left?.async === true && event.outcome.ok
      return {
        ...facts(call),
        resolved: taken(call, hold, event),
        ...settled,
        ...(left && (waits ? { hold: left } : { missed: left })),
      }
    }
    // That no approval is needed is not shown, and a late answer to a call without an outcome cannot have come.
    case 'call.cleared':
    case 'answer.arrived':
      return call
  }
}

function endorsedHold(hold: ViewHold, event: Extract<CallEvent, { readonly type: 'call.endorsed' }>): ViewHold {
  const { by, inputHash } = event
  const endorsements = [...(hold.endorsements ?? []), { ...doneBy(event), by, inputHash }]
  // An approval of a changed input does not count for the input that is shown.
  return inputHash === hold.inputHash
    ? { ...hold, endorsements, endorsedBy: [...hold.endorsedBy, by] }
    : { ...hold, endorsements }
}

export type HoldEvent = Extract<CallEvent, { readonly type: `hold.${string}` }>

function isHoldEvent(event: LogEvent): event is HoldEvent {
  return event.type.startsWith('hold.')
}

export function moveHold(hold: ViewHold, event: HoldEvent): ViewHold {
  switch (event.type) {
    case 'hold.reminded': {
      const { remindAt: _remindAt, ...left } = hold
      return left
    }
    case 'hold.escalated': {
      const { escalation: _escalation, ...left } = hold
      return { ...left, to: [...(hold.to ?? []), ...event.to] }
    }
    case 'hold.assigned': {
      const { assignee: _assignee, ...left } = hold
      return event.assignee === undefined ? left : { ...left, assignee: event.assignee }
    }
    case 'hold.commented':
      return { ...hold, comments: [...(hold.comments ?? []), { text: event.text, at: event.at, ...doneBy(event) }] }
  }
}

/** By an answer, or by the deadline. An answer may still come after the deadline. */
function answered(call: Settled, event: Extract<CallEvent, { type: 'answer.arrived' }>): ViewCall {
  const hold = call.hold ?? call.missed
  const { outcome, at } = event
  return {
    ...facts(call),
    resolved: taken(call, hold, event),
    state: 'settled',
    outcome: call.outcome,
    settledAt: call.settledAt,
    ...(hold && !event.resolution && { missed: hold }),
    arrived: { outcome, at, ...doneBy(event) },
  }
}

/** What stays true of a call wherever it is; the other fields belong to one state. */
function facts(call: ViewCall): Facts {
  const { callId, name, proposed, malformed, input, streaming, silent, attempt, startedAt, holds, resolved, rule } =
    call
  return {
    callId,
    name,
    proposed,
    ...(malformed !== undefined && { malformed }),
    input,
    ...(streaming && { streaming }),
    ...(silent && { silent }),
    attempt,
    ...(startedAt !== undefined && { startedAt }),
    holds,
    resolved,
    ...(rule && { rule }),
  }
}

type HeldFacts = Pick<ViewHold, 'callId' | 'name' | 'proposed' | 'endorsedBy' | 'endorsements' | 'streaming'> &
  Pick<Call, 'assignee' | 'comments'>

export function viewHold(
  { callId, name, proposed, endorsedBy, endorsements = [], streaming, assignee, comments }: HeldFacts,
  nth: number,
  hold: Hold,
): ViewHold {
  // Reckoned like the row in the store, so that an inbox and a conversation show the same time.
  const heldAt = hold.expiresAt - hold.timeoutMs
  return {
    ...hold,
    callId,
    name,
    proposed,
    nth,
    heldAt,
    endorsedBy,
    ...(endorsements.length > 0 && { endorsements }),
    ...(streaming && { streaming }),
    ...(assignee !== undefined && { assignee }),
    ...(comments && { comments }),
  }
}

function taken(
  { resolved }: ViewCall,
  hold: ViewHold | undefined,
  event: Actor & { readonly resolution?: Resolution; readonly at: number },
  approvals: readonly Endorsement[] = [],
): readonly ViewResolved[] {
  const { resolution, at } = event
  if (!resolution || !hold) return resolved
  const { kind, nth, accepts, heldAt } = hold
  const facts = { hold: kind, nth, accepts, ...addresseesOf(hold), resolution, ...doneBy(event), heldAt, at }
  return [...resolved, approvals.length > 0 ? { ...facts, approvals } : facts]
}
