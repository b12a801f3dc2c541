/**
 * Forks a log at an event: the events up to there, with new ids, and then what brings the copy to a stop. Without that, a
 * process would continue the copy at once: it would call the model, run tools a second time, fire plans and deliver notices.
 *
 * - Results that the log has stand.
 * - A call that has none yet gets the result that it got in the original later on, or an error.
 * - A held call stays held in the fork, as a call of its own, or gets a result like the others. A call that some of several
 *   approvers have approved always gets a result: their approval of one call must not count for two.
 */
import type { EventBody, LogEvent, NewEvent } from '../log/log-event.ts'
import { askedFor } from '../log/message.ts'
import { actorOf, type Principal } from '../principal.ts'
import { failed, type CallOutcome } from '../tool/outcome.ts'
import { howShown } from './call.ts'
import { decideQueued } from './decide.ts'
import { renamed, type NewIds } from './renamed.ts'
import { evolve, fold, openCalls } from './turn.ts'
import type { Call, Conversation } from './turn-state.ts'

export interface ForkRequest {
  /** The whole log. */
  readonly events: readonly LogEvent[]
  readonly conversationId: string
  /** The seq of the last event that the fork takes. */
  readonly at: number
  readonly held: 'held' | 'settled'
  /** The owner of the fork. Without one, it belongs to the people of the original. */
  readonly by: Principal | undefined
  readonly newId: () => string
  readonly now: number
}

const UNFINISHED = 'The conversation was forked before this call had a result.'
const STOPPED = 'The conversation was forked here.'

export function forkOf(request: ForkRequest): readonly NewEvent[] {
  const { events, conversationId, at, by, now } = request
  const ids = newIds(events, request.newId)
  const prefix = events.filter(({ seq }) => seq <= at).map((event) => renamed(event, ids))
  let state = fold(prefix)
  const tail: EventBody[] = []
  const add = (...bodies: readonly EventBody[]): void => {
    for (const body of bodies) {
      state = evolve(state, { ...body, seq: state.seq + 1, at: now })
      tail.push(body)
    }
  }
  add({ type: 'conversation.forked', from: { conversationId, seq: at }, ...actorOf(by) })
  if (by)
    add({ type: 'participants.changed', add: [], remove: state.people.participants, owner: by.id, ...actorOf(by) })
  const later = laterOutcomes(events, at, ids)
  for (const planId of state.plans.keys()) add({ type: 'plan.removed', planId })
  for (const call of toSettle(state, request.held)) add(settled(call, later.get(call.callId)))
  if (request.held === 'settled') for (const call of state.waiting.values()) add(arrived(call, later.get(call.callId)))
  add(...stopped(state))
  while (state.turn.phase === 'rest' && state.queue.length > 0) {
    add(...taken(state, request.newId()))
    add(...stopped(state))
  }
  if (state.outbox.length > 0) add({ type: 'notices.delivered', count: state.outbox.length })
  return [...prefix.map(({ seq: _seq, ...event }): NewEvent => event), ...tail]
}

function toSettle({ turn }: Conversation, held: ForkRequest['held']): readonly Call[] {
  return openCalls(turn).filter(({ at, endorsed }) => at !== 'held' || held === 'settled' || endorsed.length > 0)
}

function settled(call: Call, outcome: CallOutcome = failed('cancelled', UNFINISHED)): EventBody {
  const { callId } = call
  // With a resolution, an async call does not wait on.
  const answered = outcome.ok && call.at === 'held' && call.hold.async
  const resolution = answered ? { resolution: { kind: 'answer', value: outcome.value } as const } : {}
  return { type: 'call.settled', callId, outcome, ...resolution }
}

function arrived(call: Call, outcome: CallOutcome = failed('cancelled', UNFINISHED)): EventBody {
  const { callId, name } = call
  const hold = 'hold' in call ? call.hold : undefined
  return { type: 'answer.arrived', callId, name, outcome, ...howShown(call), ...(hold && askedFor(hold)) }
}

/** Ends the turn, unless a call is held. `continue` starts it again. */
function stopped({ turn }: Conversation): readonly EventBody[] {
  if (turn.phase === 'rest' || openCalls(turn).length > 0) return []
  const why = turn.halt ?? { reason: 'interrupted' as const, message: STOPPED }
  return [{ type: 'turn.ended', turnId: turn.turnId, ...why }]
}

/** The next messages of the queue become a turn, which is ended before the model is called. */
function taken(state: Conversation, turnId: string): readonly EventBody[] {
  const decision = decideQueued(state, { turnId, agent: state.agent, limits: { maxSteps: 1 } })
  return decision.ok ? decision.events : []
}

/** The result that each call got last, after the fork. */
function laterOutcomes(events: readonly LogEvent[], at: number, ids: NewIds): ReadonlyMap<string, CallOutcome> {
  const found = new Map<string, CallOutcome>()
  for (const event of events) {
    if (event.seq <= at || (event.type !== 'call.settled' && event.type !== 'answer.arrived')) continue
    const { callId, outcome } = renamed(event, ids) as typeof event
    found.set(callId, outcome)
  }
  return found
}

/** The id of a call begins with that of its turn, in logs of this runtime. */
function newIds(events: readonly LogEvent[], newId: () => string): NewIds {
  const turns = new Map<string, string>()
  const calls = new Map<string, string>()
  const given = (ids: Map<string, string>, id: string, make: () => string): string => {
    const known = ids.get(id) ?? make()
    ids.set(id, known)
    return known
  }
  for (const event of events) if (event.type === 'turn.started') given(turns, event.turnId, newId)
  return {
    turn: (id) => given(turns, id, newId),
    call: (id) =>
      given(calls, id, () => {
        const [turn = '', ...rest] = id.split('.')
        const copy = turns.get(turn)
        return copy === undefined || rest.length === 0 ? newId() : [copy, ...rest].join('.')
      }),
  }
}
