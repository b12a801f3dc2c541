/** Performs the effects of a conversation: calls the model, starts and runs calls, starts and ends turns, delivers notices. */
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import { dueTimes } from '@holdpoint/core/internal/plan/due-times'
import { applyUpdates } from '@holdpoint/core/internal/plugin/state'
import { decideQueued, ofOneAuthor } from '@holdpoint/core/internal/turn/decide'
import { decidePlanFire } from '@holdpoint/core/internal/turn/decide-plan-fire'
import { decideExpire } from '@holdpoint/core/internal/turn/expire-hold'
import type { Call, Conversation, Effect } from '@holdpoint/core/internal/turn/turn-state'
import type { Autonomy } from '@holdpoint/core/internal/agent/autonomy'
import { callModel } from '../step/call-model.ts'
import { eventsOfDecision } from '../log/decision-events.ts'
import { deliverNotices } from '../drive/deliver-notices.ts'
import type { Draft } from '../log/draft.ts'
import type { Driving, Perform, Performer } from '../drive/performer.ts'
import { prepareStep, type PreparedStep } from '../step/prepare-step.ts'
import { admitCall, startCall } from '../call/admit-call.ts'
import { recoverCall, runCall } from '../call/run-call.ts'
import type { TurnCallers } from './turn-callers.ts'
import { planTurn, type TurnContext } from './turn-context.ts'
import type { EffectResult } from '../drive/effect-run.ts'

const NO_STEP = { turnId: '', step: 0 } as const

export class ConversationPerformer implements Performer<Conversation, Effect> {
  /** For turns without a caller in this process. A caller's own turn runs with the scope and tools that the caller gave. */
  readonly #context: TurnContext
  readonly #callers: TurnCallers
  /**
   * The calls whose start this driver wrote, each with the lease term of the write. Any other running call was started by a
   * process that is gone.
   */
  readonly #started = new Map<string, number>()
  #firstModelKey: string | undefined
  #prepared:
    | { readonly turnId: string; readonly step: number; readonly value: PreparedStep | Promise<PreparedStep> }
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
        return ports.now() >= effect.at ? eventsOfDecision(decideExpire(state, effect.callId, ports.now())) : []
      case 'start-call':
        // An approved call is compared with the tool and the input first (`admitCall`), which is not immediate.
        if (effect.call.approved || !this.#roomFor(effect.call, state, driving) || !driving.mayStart(effect)) return []
        return [startCall(effect.call)]
      case 'fire-plan':
        return ports.now() >= effect.at
          ? eventsOfDecision(decidePlanFire(state, effect.planId, ports.now(), dueTimes(ports)))
          : []
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
          this.#with(context, (prepared) => callModel(effect.turn, prepared, context.beforeMessage, context, stop))
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

  /** A call with another attempt was started again by another process, so it is not the work that runs here. */
  isSame(a: Effect, b: Effect): boolean {
    return !('call' in a && 'call' in b) || (a.do === b.do && a.call.attempt === b.call.attempt)
  }

  /** A call whose start is written must run: to other processes it would look lost. */
  runsWhileDraining(effect: Effect): boolean {
    return effect.do === 'run-call' && this.#startedHere(effect.call)
  }

  toEvents(result: EffectResult, before: Conversation): readonly EventBody[] {
    return applyUpdates(result, before.plugins)
  }

  appended(events: readonly EventBody[], term: number): void {
    for (const event of events) {
      if (event.type === 'call.started') this.#started.set(event.callId, term)
      if (event.type === 'turn.started') this.#callers.served(event)
    }
  }

  /** False when the lease lapsed since: another process may have recovered the call. */
  #startedHere({ callId }: Call): boolean {
    return this.#started.get(callId) === this.#context.term()
  }

  /** Counts calls that are about to start too: otherwise calls that were approved together would exceed the limit. */
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
    const { caller, most } = this.#callers.next(ofOneAuthor(after.queue), others)
    const plan = planTurn(caller ?? this.#context)
    if (caller) this.#callers.takes(plan.turnId, caller)
    return eventsOfDecision(decideQueued(after, plan, most))
  }

  /** Prepares once per step, so that the calls of a reply run the same tools that the model was shown. */
  #with<T>(context: TurnContext, work: (prepared: PreparedStep) => T | Promise<T>): T | Promise<T> {
    const { turn } = context.log.state
    const { turnId, step } = turn.phase === 'rest' ? NO_STEP : turn
    if (this.#prepared?.step !== step || this.#prepared.turnId !== turnId)
      this.#prepared = { turnId, step, value: prepareStep(context) }
    const { value } = this.#prepared
    return value instanceof Promise ? value.then(work) : work(value)
  }
}

/** Whether a tool whose calls run in order has an earlier call to run. A call that is held does not block later ones. */
function waitsForEarlier({ callId, name }: Call, calls: readonly Call[], { inOrder }: Autonomy): boolean {
  if (!inOrder.has(name)) return false
  const index = calls.findIndex((each) => each.callId === callId)
  return calls.some(
    (each, nth) => nth < index && inOrder.has(each.name) && (each.at === 'ready' || each.at === 'running'),
  )
}
