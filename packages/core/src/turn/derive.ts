/**
 * What stands beside the log: who has to look at the conversation and when, which calls wait, where folding may start.
 * Computed here from the state before and after a write, for every store alike, and never used for a decision: a decision
 * folds the log.
 */
import { HoldpointError } from '../failure.ts'
import type { EventBody, LogEvent } from '../log/log-event.ts'
import type { Derived, HoldRow } from '../log/store.ts'
import { callsOf } from '../model/reply.ts'
import { toBase } from './base.ts'
import { evolveCall, newCall } from './call.ts'
import { findCall, openHold } from './decide.ts'
import { heldAt, lookAt } from './hold.ts'
import { next } from './turn.ts'
import { isDeadline, type Call, type Conversation, type Effect } from './turn-state.ts'

/** `recalled` are calls of earlier turns that the events are about: the state forgot them. */
export function derive(
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
    holds: holdRows(before, events, recalled),
  }
}

/** When a process has to look at it, although there is nothing to do until then. */
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
    // Its row would miss this event, and the next answer would be judged as if it had not happened.
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

/** Whether the event makes a call wait, or is about one that did, whatever else is known of it: an answer always is. */
function waits({ type }: EventBody): boolean {
  return type === 'call.held' || type === 'answer.arrived'
}

/** An answer does not depend on a start alone: the row is written with the event that follows the start. */
function concerns<E extends EventBody>(event: E): event is Extract<E, { readonly callId: string }> {
  return 'callId' in event && event.type !== 'call.started'
}

/** The calls of the turn that have waited, and those that still do. */
function heldBefore({ turn, waiting }: Conversation): ReadonlySet<string> {
  const held = new Set(waiting.keys())
  if (turn.phase === 'calls') for (const { callId, holds } of turn.calls) if (holds > 0) held.add(callId)
  return held
}

/** A call that no longer waits keeps its row, so that a late answer gets an accurate verdict. */
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
  }
}

function lastHold(call: Call): ReturnType<typeof openHold> {
  return 'hold' in call ? call.hold : undefined
}
