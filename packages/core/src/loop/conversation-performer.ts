/** Performs the effects of a conversation: calls the model, starts and runs calls, starts and ends turns, delivers notices. */
import type { EventBody } from '../log/log-event.ts'
import { dueTimes } from '../plan/due-times.ts'
import { applyUpdates } from '../plugin/state.ts'
import { decideExpire, decideFire, decideQueued, ofOneAsker } from '../turn/decide.ts'
import type { Call, Conversation, Effect } from '../turn/turn-state.ts'
import type { Autonomy } from './autonomy.ts'
import { callModel } from './call-model.ts'
import { eventsOf } from './decided.ts'
import { deliverNotices } from './deliver-notices.ts'
import type { Draft } from './draft.ts'
import type { Driving, Perform, Performer } from './performer.ts'
import { prepare, type Prepared } from './prepare.ts'
import { admitCall, recoverCall, runCall, startCall } from './run-call.ts'
import type { TurnCallers } from './turn-callers.ts'
import { planTurn, type TurnContext } from './turn-context.ts'
import type { WorkResult } from './work.ts'

const NO_STEP = { turnId: '', step: 0 } as const

export class ConversationPerformer implements Performer<Conversation, Effect> {
  /** For turns that no caller in this process waits for. A caller's own turn runs with what that caller gave. */
  readonly #context: TurnContext
  readonly #callers: TurnCallers
  /** The calls whose start this driver wrote, with the lease term of that write. Every other running call was started by a process that is gone. */
  readonly #started = new Map<string, number>()
  #firstModelKey: string | undefined
  #prepared:
    | { readonly turnId: string; readonly step: number; readonly value: Prepared | Promise<Prepared> }
    | undefined
  /** The context of the turn in progress, made once for all its calls. */
  #ofTurn: { readonly turnId: string; readonly from: TurnContext; readonly context: TurnContext } | undefined

  constructor(context: TurnContext, callers: TurnCallers) {
    this.#context = context
    this.#callers = callers
  }

  immediate(effect: Effect, draft: Draft<Conversation, Effect>, driving: Driving<Effect>): readonly EventBody[] {
    const { ports } = this.#context.agent
    const state = draft.after
    switch (effect.do) {
      case 'start-turn':
        return driving.mayStart(effect) ? this.#startQueued(draft) : []
      case 'end-turn': {
        const { turnId, reason, message } = effect
        return [{ type: 'turn.ended', turnId, reason, ...(message !== undefined && { message }) }]
      }
      case 'expire-hold':
        return ports.now() >= effect.at ? eventsOf(decideExpire(state, effect.callId, ports.now())) : []
      case 'start-call':
        // An approved call is first compared with the tool and the input that would run, which is work of its own.
        if (effect.call.approved || !this.#roomFor(effect.call, state, driving) || !driving.mayStart(effect)) return []
        return [startCall(effect.call)]
      case 'fire-plan':
        return ports.now() >= effect.at ? eventsOf(decideFire(state, effect.planId, ports.now(), dueTimes(ports))) : []
      case 'call-model':
      case 'run-call':
      case 'deliver':
        return []
    }
  }

  leavesOthers({ do: effect }: Effect): boolean {
    return effect === 'start-call'
  }

  work(effect: Effect, driving: Driving<Effect>): Perform | undefined {
    const context = this.#contextOfTurn()
    switch (effect.do) {
      case 'call-model':
        this.#firstModelKey ??= effect.key
        if (driving.oneStep && effect.key !== this.#firstModelKey) return undefined
        return (stop) =>
          this.#with(context, (prepared) => callModel(effect.turn, prepared, context.briefs, context, stop))
      case 'start-call': {
        const { call } = effect
        if (!this.#roomFor(call, context.log.state, driving)) return undefined
        return (stop) => this.#with(context, ({ tools }) => admitCall(call, tools.get(call.name), context, stop))
      }
      case 'run-call': {
        const { call } = effect
        const run = this.#startedHere(call) ? runCall : recoverCall
        return (stop) => this.#with(context, ({ tools }) => run(call, tools.get(call.name), context, stop))
      }
      case 'deliver':
        return () => deliverNotices(effect.notices, context.deliver)
      case 'start-turn':
      case 'end-turn':
      case 'expire-hold':
      case 'fire-plan':
        return undefined
    }
  }

  /** A call that another process started, or started again, is not the work that was started here. */
  isSame(a: Effect, b: Effect): boolean {
    return !('call' in a && 'call' in b) || (a.do === b.do && a.call.attempt === b.call.attempt)
  }

  /** A call whose start this driver has written: no other process can tell that it did not run. */
  runsWhileDraining(effect: Effect): boolean {
    return effect.do === 'run-call' && this.#startedHere(effect.call)
  }

  toEvents(result: WorkResult, before: Conversation): readonly EventBody[] {
    return applyUpdates(result, before.plugins)
  }

  appended(events: readonly EventBody[], term: number): void {
    for (const event of events) {
      if (event.type === 'call.started') this.#started.set(event.callId, term)
      if (event.type === 'turn.started') this.#callers.served(event)
    }
  }

  /** False when the lease lapsed since: another process may have taken the call for lost. */
  #startedHere({ callId }: Call): boolean {
    return this.#started.get(callId) === this.#context.term()
  }

  /** Calls that are about to start count too: otherwise all calls that were approved together would start at once. */
  #roomFor(call: Call, { turn }: Conversation, driving: Driving<Effect>): boolean {
    const { maxParallel, autonomy } = this.#context.agent
    if (turn.phase !== 'calls') return true
    if (autonomy && waitsForEarlier(call, turn.calls, autonomy)) return false
    if (turn.calls.length <= maxParallel) return true
    const starting = new Set<string>()
    for (const effect of driving.underWay) if (effect.do === 'start-call') starting.add(effect.call.callId)
    const busy = turn.calls.filter(({ at, callId }) => at === 'running' || starting.has(callId))
    return busy.length < maxParallel
  }

  #contextOfTurn(): TurnContext {
    const { turn } = this.#context.log.state
    if (turn.phase === 'rest') return this.#context
    const from = this.#callers.of(turn.turnId) ?? this.#context
    if (this.#ofTurn?.turnId !== turn.turnId || this.#ofTurn.from !== from)
      this.#ofTurn = { turnId: turn.turnId, from, context: { ...from, ...from.forTurn(turn) } }
    return this.#ofTurn.context
  }

  #startQueued({ events, after }: Draft<Conversation, Effect>): readonly EventBody[] {
    const others = events.flatMap((event) => (event.type === 'turn.started' ? [event.turnId] : []))
    const { caller, most } = this.#callers.next(ofOneAsker(after.queue), others)
    const plan = planTurn(caller ?? this.#context)
    if (caller) this.#callers.takes(plan.turnId, caller)
    return eventsOf(decideQueued(after, plan, most))
  }

  /** Prepares once per step, so that the calls of a reply run the very tools that the model was shown. */
  #with<T>(context: TurnContext, work: (prepared: Prepared) => T | Promise<T>): T | Promise<T> {
    const { turn } = context.log.state
    const { turnId, step } = turn.phase === 'rest' ? NO_STEP : turn
    if (this.#prepared?.step !== step || this.#prepared.turnId !== turnId)
      this.#prepared = { turnId, step, value: prepare(context) }
    const { value } = this.#prepared
    return value instanceof Promise ? value.then(work) : work(value)
  }
}

/** A call that is held, after it took its process down again and again, keeps no other from running. */
function waitsForEarlier({ callId, name }: Call, calls: readonly Call[], { inOrder }: Autonomy): boolean {
  if (!inOrder.has(name)) return false
  const index = calls.findIndex((each) => each.callId === callId)
  return calls.some(
    (each, nth) => nth < index && inOrder.has(each.name) && (each.at === 'ready' || each.at === 'running'),
  )
}
