/**
 * The rows beside the log: the status of the conversation, its next deadline, its holds and its base. They are computed from
 * the states before and after an append, for all stores alike. No decision reads them: a decision folds the log.
 */
import { HoldpointError } from '../failure.ts'
import type { EventBody, LogEvent } from '../log/log-event.ts'
import type { Derived, HoldRow } from '../log/store.ts'
import { callsOf } from '../model/reply.ts'
import { toBase } from './conversation-base.ts'
import { evolveCall, newCall } from './call.ts'
import { findCall } from './find-call.ts'
import { openHold } from './call.ts'
import { heldAt, lookAt } from './hold.ts'
import { conversationLabels, holdLabels } from './people.ts'
import { next } from './turn.ts'
import { isDeadline, type Call, type Conversation, type Effect } from './turn-state.ts'

/** The label of conversations that have plans. */
export const WITH_PLANS = 'plans'

/** `recalled` are calls of earlier turns that the events are about. The state no longer has them. */
export function deriveRows(
  before: Conversation,
  after: Conversation,
  events: readonly EventBody[],
  recalled: readonly Call[],
): Derived {
  const effects = next(after)
  const deadlines = deadlinesOf(after, effects)
  return {
    agent: after.agent,
    status: effects.length > deadlines.length ? 'running' : after.turn.phase === 'calls' ? 'held' : 'idle',
    wakeAt: deadlines.length > 0 ? Math.min(...deadlines) : undefined,
    base: toBase(after),
    ...labelsAfter(before, after),
    ...(after.erased && { hidden: true as const }),
    holds: [...holdRows(before, events, recalled), ...heldAgain(before, after, events)],
  }
}

/** Lists are restricted by the people of a conversation; the plans of a tenant are counted by `WITH_PLANS`. */
function labelsAfter(before: Conversation, after: Conversation): Pick<Derived, 'labels'> {
  const planned = after.plans.size > 0
  if (after.people === before.people && planned === before.plans.size > 0) return {}
  return { labels: [...conversationLabels(after.people), ...(planned ? [WITH_PLANS] : [])] }
}

/** The times at which a process has to look at the conversation. */
export function deadlinesOf(state: Conversation, effects: readonly Effect[] = next(state)): readonly number[] {
  return effects
    .filter(isDeadline)
    .map((effect) => (effect.do === 'expire-hold' ? deadlineOf(state, effect) : effect.at))
}

function deadlineOf(state: Conversation, { callId, at }: Extract<Effect, { do: 'expire-hold' }>): number {
  const call = findCall(state, callId)
  const hold = call && openHold(call)
  return hold ? lookAt(hold) : at
}

function holdRows(before: Conversation, events: readonly EventBody[], recalled: readonly Call[]): readonly HoldRow[] {
  // Most appends are about calls that were never held.
  const held = heldBefore(before)
  if (!events.some((event) => waits(event) || (concerns(event) && held.has(event.callId)))) return []
  const calls = new Map<string, Call>()
  const rows = new Map<string, HoldRow>()
  for (const [index, body] of events.entries()) {
    const event: LogEvent = { ...body, seq: before.seq + index + 1, at: 0 }
    if (event.type === 'model.replied')
      for (const part of callsOf(event.reply)) calls.set(part.callId, newCall(part, event.seq, event))
    if (!('callId' in event)) continue
    const { callId } = event
    const found = calls.get(callId) ?? findCall(before, callId)
    const call = found ?? recalled.find((each) => each.callId === callId)
    // The row of the call would miss this event, and the next answer would be decided without it.
    if (!call)
      throw new HoldpointError(
        'history-impossible',
        `Event ${event.seq} is about a call, ${callId}, that is not known.`,
      )
    const moved = evolveCall(call, event)
    calls.set(callId, moved)
    if (moved.holds > 0 && concerns(event)) rows.set(callId, holdRow(moved, call))
  }
  return [...rows.values()]
}

/** Every open hold has another deadline after a restore, which is an append of its own. */
function heldAgain(before: Conversation, after: Conversation, events: readonly EventBody[]): readonly HoldRow[] {
  if (events[0]?.type !== 'conversation.restored') return []
  return [...heldBefore(before)].flatMap((callId) => {
    const call = findCall(after, callId)
    return call && openHold(call) ? [holdRow(call, call)] : []
  })
}

/** Whether the event needs the row of its call even if the state does not know that the call was held. */
function waits({ type }: EventBody): boolean {
  return type === 'call.held' || type === 'answer.arrived'
}

/** A start alone does not update the row: a later event of the call does. */
function concerns<E extends EventBody>(event: E): event is Extract<E, { readonly callId: string }> {
  return 'callId' in event && event.type !== 'call.started'
}

/** Calls of the turn that were held, and async calls that still are. */
function heldBefore({ turn, waiting }: Conversation): ReadonlySet<string> {
  const held = new Set(waiting.keys())
  if (turn.phase === 'calls') for (const { callId, holds } of turn.calls) if (holds > 0) held.add(callId)
  return held
}

/** A call that is no longer held keeps its row, so that a late answer gets an accurate verdict. */
function holdRow(call: Call, before: Call): HoldRow {
  const open = openHold(call)
  const hold = open ?? lastHold(call) ?? lastHold(before)
  return {
    callId: call.callId,
    tool: call.name,
    kind: hold?.kind ?? call.resolved.at(-1)?.hold ?? 'approval',
    open: open !== undefined,
    heldAt: hold ? heldAt(hold) : 0,
    expiresAt: hold?.expiresAt ?? 0,
    seqs: call.seqs,
    ...(open && { labels: holdLabels(open) }),
  }
}

function lastHold(call: Call): ReturnType<typeof openHold> {
  return 'hold' in call ? call.hold : undefined
}
