/**
 * One call as a person sees it, moved by the events about it. The same life as in `turn/call.ts`, with times, and with
 * one difference: what cannot have happened is passed over. Whoever drives stops at a damaged log; whoever looks at it
 * should still see something.
 */
import type { LogEvent } from '../log/log-event.ts'
import type { CallPart } from '../model/reply.ts'
import type { Hold, Resolution } from '../turn/hold.ts'
import type { ViewCall, ViewHold, ViewResolved } from './view-shape.ts'

export type CallEvent = Extract<LogEvent, { readonly callId: string }>
type Settled = Extract<ViewCall, { readonly state: 'settled' }>
type Facts = Omit<ViewCall, 'state' | 'hold' | 'outcome'>

export function newViewCall({ callId, name, input, malformed }: CallPart): ViewCall {
  const facts = { callId, name, proposed: input, input, attempt: 0, holds: 0, resolved: [] }
  return { ...facts, ...(malformed !== undefined && { malformed }), state: 'ready' }
}

export function moveCall(call: ViewCall, event: CallEvent): ViewCall {
  if (call.state === 'settled') return event.type === 'answer.arrived' ? answered(call, event) : call
  const { hold } = call
  switch (event.type) {
    case 'call.rewritten':
      return { ...facts(call), input: event.input, state: 'ready' }
    case 'call.held': {
      const nth = call.holds + 1
      const made = viewHold({ ...call, endorsedBy: [] }, nth, event.hold)
      return { ...facts(call), input: event.hold.input, holds: nth, state: 'held', hold: made }
    }
    case 'call.endorsed':
      if (!hold) return call
      return { ...facts(call), state: 'held', hold: { ...hold, endorsedBy: [...hold.endorsedBy, event.by] } }
    case 'call.approved': {
      if (!hold) return call
      const { effective = call.input } = event
      return { ...facts(call), input: effective, resolved: taken(call, hold, event), state: 'ready' }
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
    // That nobody need agree is nothing to see, and a late answer to a call without an outcome cannot have come.
    case 'call.cleared':
    case 'answer.arrived':
      return call
  }
}

/** Told by somebody, or by the deadline; after the deadline somebody may still tell. */
function answered(call: Settled, event: Extract<CallEvent, { type: 'answer.arrived' }>): ViewCall {
  const hold = call.hold ?? call.missed
  const { outcome, at, by } = event
  return {
    ...facts(call),
    resolved: taken(call, hold, event),
    state: 'settled',
    outcome: call.outcome,
    settledAt: call.settledAt,
    ...(hold && !event.resolution && { missed: hold }),
    arrived: { outcome, at, ...(by !== undefined && { by }) },
  }
}

/** What stays true of a call wherever it is; the rest of each state is written anew. */
function facts({ callId, name, proposed, malformed, input, attempt, startedAt, holds, resolved }: ViewCall): Facts {
  return {
    callId,
    name,
    proposed,
    ...(malformed !== undefined && { malformed }),
    input,
    attempt,
    ...(startedAt !== undefined && { startedAt }),
    holds,
    resolved,
  }
}

export function viewHold(
  { callId, name, proposed, endorsedBy }: Pick<ViewHold, 'callId' | 'name' | 'proposed' | 'endorsedBy'>,
  nth: number,
  hold: Hold,
): ViewHold {
  // Reckoned like the row in the store, so that an inbox and a conversation show the same time.
  const heldAt = hold.expiresAt - hold.timeoutMs
  return { ...hold, callId, name, proposed, nth, heldAt, endorsedBy }
}

function taken(
  { resolved }: ViewCall,
  hold: ViewHold | undefined,
  { resolution, by, at }: { readonly resolution?: Resolution; readonly by?: string; readonly at: number },
): readonly ViewResolved[] {
  if (!resolution || !hold) return resolved
  const { kind, nth, accepts, heldAt } = hold
  return [...resolved, { hold: kind, nth, accepts, resolution, ...(by !== undefined && { by }), heldAt, at }]
}
