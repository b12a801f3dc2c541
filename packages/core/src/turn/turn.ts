/**
 * The life of a turn:
 *
 *      rest ──started──▶ model ──replied, no calls──▶ rest
 *                         ▲ └───replied, with calls──▶ calls
 *                         └─────── last call settled ────┘
 *      model, calls ──ended──▶ rest
 *
 * and of each call inside it:
 *
 *      ready ──started──▶ running ──settled──▶ settled
 *        │ ▲                 │ held (a question, an unknown outcome)
 *   held ▼ │ approved, resumed
 *        held ──answered, rejected, expired──▶ settled
 *
 * `evolve` is the only writer of state. `next` is the only source of work and reads only the state, so recovery after a
 * crash is folding the log and calling `next` again. A held call cannot start. The model is called when no call is open.
 */
import { HoldpointError } from '../failure.ts'
import type { LogEvent } from '../log/log-event.ts'
import type { Plan } from '../plan/plan.ts'
import { isSpaceEvent } from '../log/space-event.ts'
import { arrivedItem, authorsOfAll, onlySpaceOf, UNKNOWN_AUTHOR } from '../log/message.ts'
import { callsOf, totalTokens } from '../model/reply.ts'
import { evolveCall, newCall } from './call.ts'
import { evolveErased } from './erased.ts'
import { evolvePeople } from './people.ts'
import { evolveRestored, goesOnAfterRestore, INTERRUPTED_BY_RESTORE } from './restored.ts'
import { showInSpaces } from './show-in-spaces.ts'
import { tellNews } from './tell-news.ts'
import { evolvePlans } from './evolve-plans.ts'
import { emptyConversation, type Call, type Conversation, type Effect, type OpenTurn, type Turn } from './turn-state.ts'

export function fold(events: Iterable<LogEvent>, from: Conversation = emptyConversation): Conversation {
  let state = from
  for (const event of events) state = evolve(state, event)
  return state
}

export function evolve(state: Conversation, event: LogEvent): Conversation {
  const moved = move(state, event)
  // From any state, the tombstone is the same: a process that is behind must not find other work in it.
  if (moved.erased) return moved
  if (goesOnAfterRestore(event)) return evolvePeopleAndSpaces(state, { ...moved, restored: false }, event)
  return evolvePeopleAndSpaces(state, moved, event)
}

function evolvePeopleAndSpaces(state: Conversation, moved: Conversation, event: LogEvent): Conversation {
  const people = evolvePeople(state.people, event)
  const shown = showInSpaces(state, people === state.people ? moved : { ...moved, people }, event)
  return tellNews(state, shown, event)
}

function move(state: Conversation, event: LogEvent): Conversation {
  if (state.erased) return impossible(state, event, 'the conversation was erased')
  const follows = event.type === 'conversation.erased' ? event.seq > state.seq : event.seq === state.seq + 1
  if (!follows) return impossible(state, event, `the log goes from ${state.seq} to ${event.seq}`)
  const { seq } = event
  if (isSpaceEvent(event)) return impossible(state, event, 'a space is no conversation')
  switch (event.type) {
    case 'conversation.opened':
      if (seq !== 1) return impossible(state, event, 'it was open already')
      return { ...state, seq, agent: event.agent }
    case 'conversation.forked':
    case 'participants.changed':
      return { ...state, seq }
    case 'conversation.erased':
      return evolveErased(event)
    case 'conversation.restored':
      return evolveRestored(state, event)
    case 'turn.started':
      return moveTurnStarted(state, event)
    case 'message.queued':
      return { ...state, seq, queue: [...state.queue, { seq, item: event.item }] }
    case 'message.changed':
      if (state.turn.phase !== 'model' || state.turn.turnId !== event.turnId || state.turn.messageChanged)
        return impossible(state, event)
      return { ...state, seq, turn: { ...state.turn, messageChanged: true } }
    case 'model.replied':
      return moveModelReplied(state, event)
    case 'call.rewritten':
    case 'call.held':
    case 'call.resumed':
    case 'call.endorsed':
    case 'call.approved':
    case 'call.judged':
    case 'call.cleared':
    case 'call.started':
    case 'call.settled':
      return moveCall(state, event)
    case 'hold.reminded':
    case 'hold.escalated':
    case 'hold.assigned':
    case 'hold.commented':
      return moveHold(state, event)
    case 'answer.arrived':
      return moveAnswer(state, event)
    case 'state.changed':
      return { ...state, seq, plugins: { ...state.plugins, [event.plugin]: event.value } }
    case 'turn.ended':
      if (state.turn.phase === 'rest' || state.turn.turnId !== event.turnId) return impossible(state, event)
      if (openCalls(state.turn).length > 0) return impossible(state, event, 'calls are open')
      return { ...state, seq, turn: rest(state.turn, event.reason, event.message) }
    case 'plan.set':
    case 'plan.removed':
    case 'plan.fired':
      return { ...state, seq, ...evolvePlans(state, event) }
    case 'notices.delivered':
      if (event.count > state.outbox.length)
        return impossible(state, event, 'more notices were delivered than the outbox has')
      return { ...state, seq, outbox: state.outbox.slice(event.count) }
  }
  return impossible(state, event, 'there is no such type of event here')
}

function moveTurnStarted(state: Conversation, event: Extract<LogEvent, { type: 'turn.started' }>): Conversation {
  if (state.turn.phase !== 'rest') return impossible(state, event)
  if ((event.queued ?? 0) > state.queue.length)
    return impossible(state, event, 'the turn took more items than the queue has')
  const { seq, turnId, limits, output } = event
  // A turn that continues another one has its authors.
  const askedBy = event.items.length > 0 ? authorsOfAll(event.items) : (state.turn.last?.askedBy ?? UNKNOWN_AUTHOR)
  const by = event.cycle ? undefined : askedBy[0]?.by
  const startSpace = event.cycle ? onlySpaceOf(askedBy) : undefined
  const [first] = event.items
  const trace = first?.kind === 'message' ? first.message.trace : undefined
  const open: OpenTurn = {
    turnId,
    ...(trace !== undefined && { trace }),
    by,
    askedBy,
    startSpace,
    step: 1,
    limits,
    tokens: 0,
    output,
    pass: 'loop',
    ...FRESH,
  }
  const queue = state.queue.slice(event.queued ?? 0)
  const tellsNews = event.tellsNews ?? false
  return { ...state, seq, agent: event.agent, turn: { ...open, phase: 'model' }, queue, tellsNews }
}

function moveModelReplied(state: Conversation, event: Extract<LogEvent, { type: 'model.replied' }>): Conversation {
  const { turn } = state
  const { seq, shown = state.shown } = event
  if (turn.phase !== 'model' || turn.turnId !== event.turnId || turn.step !== event.step)
    return impossible(state, event)
  const tokens = turn.tokens + totalTokens(event.reply.usage)
  const calls = callsOf(event.reply).map((part) => newCall(part, seq, event))
  const space = event.spaces ? event.spaces.current : state.space
  const startSpace = event.spaces?.left ? undefined : turn.startSpace
  if (calls.length > 0)
    return { ...state, seq, shown, space, turn: { ...turn, startSpace, phase: 'calls', tokens, calls } }
  const again = { ...turn, tokens, step: turn.step + 1 }
  if (event.again) return { ...state, seq, shown, turn: { ...again, repliesSentBack: turn.repliesSentBack + 1 } }
  if (turn.pass === 'loop' && turn.output?.finalize && !event.ends)
    return { ...state, seq, shown, turn: { ...again, pass: 'finalize' } }
  return { ...state, seq, shown, turn: rest(turn, event.ends ?? 'completed', event.message) }
}

const FRESH = { messageChanged: false, repliesSentBack: 0, halt: undefined } as const

/** The effects of the newest state: `next` is called several times for each state. */
let asked: { readonly state: Conversation; readonly effects: readonly Effect[] } | undefined

export function next(state: Conversation): readonly Effect[] {
  if (asked?.state !== state) asked = { state, effects: effectsOf(state) }
  return asked.effects
}

function effectsOf(state: Conversation): readonly Effect[] {
  const { waiting, plans, outbox, restored } = state
  const effects = nextForTurn(state)
  for (const call of waiting.values()) effects.push(expireHold(call))
  if (restored) return effects
  const first = outbox[0]
  if (first) effects.push({ do: 'deliver', key: `deliver:${first.n}`, notices: outbox })
  for (const plan of plans.values()) effects.push(firesAt(plan))
  return effects
}

function nextForTurn({ turn, queue, restored }: Conversation): Effect[] {
  switch (turn.phase) {
    case 'rest':
      return queue.length > 0 && !restored ? [{ do: 'start-turn', key: 'turn' }] : []
    case 'model':
      return restored ? [endedByRestore(turn)] : nextForModel(turn)
    case 'calls':
      if (turn.halt && openCalls(turn).length === 0)
        return [{ do: 'end-turn', key: 'turn', turnId: turn.turnId, ...turn.halt }]
      return turn.calls.map(nextForCall).filter((effect) => effect !== undefined)
  }
}

function endedByRestore({ turnId }: OpenTurn): Effect {
  return { do: 'end-turn', key: 'turn', turnId, reason: 'interrupted', message: INTERRUPTED_BY_RESTORE }
}

function nextForModel(turn: OpenTurn): Effect[] {
  const end = { do: 'end-turn', key: 'turn', turnId: turn.turnId } as const
  const { maxSteps, maxTokens } = turn.limits
  if (maxTokens !== undefined && turn.tokens >= maxTokens)
    return [{ ...end, reason: 'budget', message: `The turn used ${turn.tokens} tokens of ${maxTokens}.` }]
  if (turn.pass === 'loop' && turn.step > maxSteps)
    return [{ ...end, reason: 'max_steps', message: `The turn took ${maxSteps} steps, the most it may.` }]
  return [{ do: 'call-model', key: `model:${turn.turnId}:${turn.step}`, turn }]
}

function nextForCall(call: Call): Effect | undefined {
  switch (call.at) {
    case 'ready':
      return { do: 'start-call', key: `call:${call.callId}`, call }
    case 'running':
      return { do: 'run-call', key: `call:${call.callId}`, call }
    case 'held':
      return expireHold(call)
    case 'settled':
      return undefined
  }
}

function expireHold(call: Call): Effect {
  const at = 'hold' in call && call.hold ? call.hold.expiresAt : Infinity
  return { do: 'expire-hold', key: `expire:${call.callId}`, callId: call.callId, at }
}

function firesAt({ id, nextAt }: Plan): Effect {
  return { do: 'fire-plan', key: `plan:${id}`, planId: id, at: nextAt }
}

export function openCalls(turn: Turn): Call[] {
  return turn.phase === 'calls' ? turn.calls.filter((call) => call.at !== 'settled') : []
}

function indexOfCall(turn: Turn, callId: string): number {
  return turn.phase === 'calls' ? turn.calls.findIndex((call) => call.callId === callId) : -1
}

type CallEvent = Extract<LogEvent, { type: `call.${string}` }>

/** An answer that arrives after its call was settled waits in the queue. */
function moveAnswer(state: Conversation, event: Extract<LogEvent, { type: 'answer.arrived' }>): Conversation {
  const { seq, callId } = event
  const queue = [...state.queue, { seq, item: arrivedItem(event) }]
  const waiting = new Map(state.waiting)
  waiting.delete(callId)
  const { turn } = state
  const at = indexOfCall(turn, callId)
  if (turn.phase !== 'calls' || at < 0) return { ...state, seq, queue, waiting }
  const calls = turn.calls.with(at, evolveCall(turn.calls[at]!, event))
  return { ...state, seq, queue, waiting, turn: { ...turn, calls } }
}

/** The hold is of a call of this round, of an async call of an earlier turn, or of both. */
function moveHold(state: Conversation, event: Extract<LogEvent, { type: `hold.${string}` }>): Conversation {
  const { seq, callId } = event
  const { turn } = state
  const at = indexOfCall(turn, callId)
  const inRound = turn.phase === 'calls' ? turn.calls[at] : undefined
  const call = inRound ?? state.waiting.get(callId)
  if (!call) return impossible(state, event, 'there is no such hold')
  const moved = evolveCall(call, event)
  const waiting = state.waiting.has(callId) ? new Map(state.waiting).set(callId, moved) : state.waiting
  if (turn.phase !== 'calls' || !inRound) return { ...state, seq, waiting }
  return { ...state, seq, waiting, turn: { ...turn, calls: turn.calls.with(at, moved) } }
}

/** Moves one call, and hands the turn back to the model once every call of the round is settled. */
function moveCall(state: Conversation, event: CallEvent): Conversation {
  const { turn } = state
  const at = indexOfCall(turn, event.callId)
  if (turn.phase !== 'calls' || at < 0) return impossible(state, event, 'there is no such call in this round')
  const moved = evolveCall(turn.calls[at]!, event)
  const calls = turn.calls.with(at, moved)
  const waiting = moved.at === 'settled' && moved.open ? new Map(state.waiting).set(event.callId, moved) : state.waiting
  const halt = turn.halt ?? (event.type === 'call.settled' ? event.halt : undefined)
  const open = calls.some((each) => each.at !== 'settled')
  if (open || halt) return { ...state, seq: event.seq, waiting, turn: { ...turn, calls, halt } }
  const { calls: _settled, ...rest } = turn
  return { ...state, seq: event.seq, waiting, turn: { ...rest, phase: 'model', step: turn.step + 1 } }
}

function rest(
  { turnId, askedBy }: OpenTurn,
  reason: NonNullable<Extract<Turn, { phase: 'rest' }>['last']>['reason'],
  message?: string,
): Turn {
  return { phase: 'rest', last: { turnId, askedBy, reason, message } }
}

/** Throws for an event that cannot have happened. To repair the log would hide a bug. */
function impossible(state: Conversation, event: LogEvent, why = `the turn was in phase ${state.turn.phase}`): never {
  throw new HoldpointError(
    'history-impossible',
    `Event ${event.seq} (${event.type}) cannot have happened: ${why}. The log is damaged or was written by other code; do not drive this conversation, and restore its log.`,
  )
}
