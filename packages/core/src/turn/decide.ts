/**
 * Answers outsiders: a command in, the events that make it true or a refusal out. Pure, so any process may decide as
 * long as it appends at the seq it decided on.
 */
import type { EventBody, OutputPlan, TurnLimits } from '../log/log-event.ts'
import { askedFor, askerOf, type Inbound, type InboxItem } from '../log/message.ts'
import { failed, timedOut, type CallOutcome } from '../tool/outcome.ts'
import { fire } from '../plan/plan.ts'
import type { NextTime } from '../ports.ts'
import { howShown } from './call.ts'
import { openCalls } from './turn.ts'
import { graceEnds, type Hold } from './hold.ts'
import type { Call, Conversation, Queued, Turn } from './turn-state.ts'

/** What happens to a message that comes while a turn is going on. */
export type WhileBusy = 'refuse' | 'queue' | 'supersede'

export interface TurnPlan {
  readonly turnId: string
  readonly agent: string
  readonly limits: TurnLimits
  readonly output?: OutputPlan
  /** For an autonomous agent, whose turn is about everything that waits. */
  readonly cycle?: true
}

export interface Send {
  /** Undefined: go on with the turn, or take it up again if it stopped early. */
  readonly item: Inbound | undefined
  readonly plan: TurnPlan
  readonly whileBusy: WhileBusy
}

export type Refusal =
  | 'turn-in-progress'
  | 'nothing-to-continue'
  | 'nothing-to-cancel'
  | 'not-due'
  | 'hold-not-open'
  | 'key-reused'
  | 'is-a-space'

export type Decision =
  | { readonly ok: true; readonly events: readonly EventBody[] }
  | { readonly ok: false; readonly refusal: Refusal; readonly message: string }

export function decideSend(state: Conversation, { item, plan, whileBusy }: Send): Decision {
  const { turn } = state
  if (turn.phase === 'rest') {
    // Messages keep their order: those that waited before come first.
    if (item && whileBusy === 'queue' && state.queue.length > 0) return accept({ type: 'message.queued', item })
    if (item) return accept(turnStarted(plan, [item]))
    if (!turn.last) return refuse('nothing-to-continue', 'The conversation is empty. Send a message first.')
    // What waits in the queue comes first, and starts a turn by itself.
    const over = turn.last.reason === 'completed' || turn.last.reason === 'skipped'
    return over || state.queue.length > 0 ? accept() : accept(turnStarted(plan, []))
  }
  if (!item) return accept()
  switch (whileBusy) {
    case 'queue':
      return accept({ type: 'message.queued', item })
    case 'supersede':
      return accept(...endTurn(turn, 'superseded', 'A newer message took its place.'), turnStarted(plan, [item]))
    case 'refuse': {
      const held = openCalls(turn).filter((call) => call.at === 'held').length
      const why = held > 0 ? `${held} call${held > 1 ? 's are' : ' is'} held` : 'a turn is in progress'
      return refuse(
        'turn-in-progress',
        `Not now: ${why}. Resolve, continue or cancel first, or send with whileBusy 'queue' or 'supersede'.`,
      )
    }
  }
}

/**
 * Starts a turn on what waited for rest. A turn has one asker, whose authority its tools have: it takes the first that
 * waits and what follows from the same author, `most` of them. A cycle acts for the agent itself, and takes everything.
 */
export function decideQueued(state: Conversation, plan: TurnPlan, most?: number): Decision {
  const taken = plan.cycle ? state.queue : ofOneAsker(state.queue).slice(0, most)
  const last = taken.at(-1)
  if (state.turn.phase !== 'rest' || !last) return refuse('nothing-to-continue', 'Nothing is waiting.')
  const items = taken.map(({ item }) => item)
  return accept({ ...turnStarted(plan, items), queued: taken.length, upTo: last.seq })
}

/** The first of what waits, and what follows it from the same author. */
export function ofOneAsker(queue: readonly Queued[]): readonly Queued[] {
  const [first] = queue
  const other = queue.findIndex(({ item }) => first && askerOf(item) !== askerOf(first.item))
  return other === -1 ? queue : queue.slice(0, other)
}

export function decideCancel(state: Conversation, message = 'The turn was cancelled.'): Decision {
  if (state.turn.phase === 'rest') return refuse('nothing-to-cancel', 'No turn is in progress.')
  return accept(...endTurn(state.turn, 'cancelled', message))
}

/** The deadline of a hold has come. Any process may append that; the first durable event wins. */
export function decideExpire(state: Conversation, callId: string, now: number): Decision {
  const call = findCall(state, callId)
  const hold = call && openHold(call)
  if (!call || !hold) return refuse('hold-not-open', `Call ${callId} is not held.`)
  if (now < hold.expiresAt) return refuse('not-due', `Call ${callId} waits until ${hold.expiresAt}.`)
  if (hold.resumes === 'deadline') return accept({ type: 'call.resumed', callId })
  return giveUp(state, call, hold, 'expired', noAnswer(hold))
}

/** No client that can carry the call out was there for as long as the hold allows. `seenAt`: when one last was. */
export function decideAbsent(state: Conversation, callId: string, now: number, seenAt: number): Decision {
  const call = findCall(state, callId)
  const hold = call && openHold(call)
  if (!call || !hold) return refuse('hold-not-open', `Call ${callId} is not held.`)
  const { graceMs = 0 } = hold
  if (now < (graceEnds(hold, seenAt) ?? Infinity)) return refuse('not-due', `Call ${callId} may wait for its client.`)
  return giveUp(
    state,
    call,
    hold,
    'no-client',
    `No client that can run ${call.name} was there for ${inWords(graceMs)}.`,
  )
}

/** No answer came, and the call no longer waits. The hold says what happens then. */
function giveUp(state: Conversation, call: Call, hold: Hold, code: 'expired' | 'no-client', why: string): Decision {
  const { callId, name } = call
  const outcome = outcomeOf(hold, code, why)
  if (call.at === 'settled')
    return accept({ type: 'answer.arrived', callId, name, outcome, ...howShown(call), ...askedFor(hold) })
  if (hold.onExpire === 'cancel' && state.turn.phase === 'calls')
    return accept(...endTurn(state.turn, 'expired', why, { callId, outcome }))
  return accept({ type: 'call.settled', callId, outcome })
}

/** Something happened that the agent is to know of. It waits with everything else until the agent rests. */
export function decideInbox(state: Conversation, agent: string, item: InboxItem): Decision {
  const opened: EventBody = { type: 'conversation.opened', agent }
  return accept(...(state.seq === 0 ? [opened] : []), { type: 'message.queued', item })
}

/** A plan is due. Any process may append that; the first durable event wins. */
export function decideFire(state: Conversation, planId: string, now: number, nextTime: NextTime | undefined): Decision {
  const plan = state.plans.get(planId)
  if (!plan || now < plan.nextAt) return refuse('not-due', `Plan ${planId} is not due.`)
  const { due, missed, next } = fire(plan, now, nextTime)
  const { what } = plan
  return accept({
    type: 'plan.fired',
    planId,
    what,
    due,
    missed,
    ...(next !== undefined && { next }),
    ...askedFor(plan),
  })
}

/** A call of the turn in progress, or an async one of an earlier turn that still waits. */
export function findCall(state: Conversation, callId: string): Call | undefined {
  const inTurn = state.turn.phase === 'calls' ? state.turn.calls.find((call) => call.callId === callId) : undefined
  return inTurn ?? state.waiting.get(callId)
}

export function openHold(call: Call): Hold | undefined {
  if (call.at === 'held') return call.hold
  return call.at === 'settled' && call.open ? call.hold : undefined
}

function turnStarted(plan: TurnPlan, items: readonly Inbound[]): Extract<EventBody, { type: 'turn.started' }> {
  return { type: 'turn.started', ...plan, items }
}

/** Ends the turn with a result behind every open call, so that the model never meets a call without one. */
function endTurn(
  turn: Exclude<Turn, { readonly phase: 'rest' }>,
  reason: 'cancelled' | 'superseded' | 'expired',
  message: string,
  expired?: { readonly callId: string; readonly outcome: CallOutcome },
): readonly EventBody[] {
  const others = failed(reason === 'superseded' ? 'superseded' : 'cancelled', message)
  const settled = openCalls(turn).map(({ callId }): EventBody => ({
    type: 'call.settled',
    callId,
    outcome: callId === expired?.callId ? expired.outcome : others,
  }))
  // Settling the last call hands the turn back to the model, where it can be ended like any other.
  return [...settled, { type: 'turn.ended', turnId: turn.turnId, reason, message }]
}

function outcomeOf({ onExpire }: Hold, code: 'expired' | 'no-client', why: string): CallOutcome {
  if (typeof onExpire === 'object') return { ok: true, value: onExpire.answer }
  return failed(onExpire === 'reject' ? 'rejected' : code, why)
}

/** A tool that keeps the model waiting timed out; anything else is a person, or a service, who did not answer. */
function noAnswer({ kind, cause, async, timeoutMs }: Hold): string {
  const waits = (kind === 'external' || kind === 'client') && cause === 'tool' && !async
  return waits ? timedOut(timeoutMs) : `No answer in ${inWords(timeoutMs)}.`
}

function inWords(ms: number): string {
  const units = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1000, 's'],
  ] as const
  const [size, unit] = units.find(([each]) => ms >= each) ?? ([1, 'ms'] as const)
  return `${Math.round((ms / size) * 10) / 10} ${unit}`
}

function accept(...events: readonly EventBody[]): { readonly ok: true; readonly events: readonly EventBody[] } {
  return { ok: true, events }
}

function refuse(refusal: Refusal, message: string): Decision {
  return { ok: false, refusal, message }
}
