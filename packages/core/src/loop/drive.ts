/**
 * Brings a conversation as far as it can go without anybody from outside: fold, ask `next`, do it, append, repeat.
 *
 * - Nothing is remembered that matters: kill this at any await, fold the log, call `drive` again.
 * - Intent comes first: a call runs only after its `call.started` is written, in the same append as what led to it.
 * - Work that `next` no longer asks for is aborted, and what it still brings is dropped.
 */
import type { EventBody } from '../log/log-event.ts'
import { decideExpire, decideFire, decideQueued } from '../turn/decide.ts'
import { next } from '../turn/turn.ts'
import { applyUpdates, type StateUpdate } from '../plugin/state.ts'
import { OVER } from '../ports.ts'
import { isDeadline, type Call, type Conversation, type Effect } from '../turn/turn-state.ts'
import { callModel } from './call-model.ts'
import type { Callers } from './callers.ts'
import { eventsOf, isSame } from './drive-steps.ts'
import type { Draft } from './draft.ts'
import type { Written } from './log-options.ts'
import { Stop } from './stop.ts'
import { tellAll } from './tell.ts'
import { admitCall, recoverCall, runCall, startCall } from './run-call.ts'
import { planTurn, prepare, type Prepared, type World } from './world.ts'

interface Work {
  readonly effect: Effect
  readonly stop: Stop
  /** The call that will start if this work lets it. */
  readonly admits: string | undefined
  /** Set when the work is done and its events wait to be written. */
  events?: readonly (EventBody | StateUpdate)[]
  /** Set when it broke: not a tool that failed, which is an outcome, but our code or a plugin's. */
  failure?: unknown
}

export interface Drive {
  /**
   * Resolves at rest, or when only people, clients and services outside can go on: with the seq it saw last. `left`:
   * there is more to do, but not for this driver, since another process drives or it was told to stop.
   */
  readonly done: Promise<number | 'left'>
  /**
   * Something was appended by somebody else: look again. False when it is over, and somebody has to drive anew.
   * Whoever does not want one step only lifts that for all.
   */
  wake(oneStep?: boolean): boolean
  /** Finishes what is under way, begins nothing new, and leaves the rest to another process or another day. */
  drain(): void
  /** Stops at once and leaves everything as it is. */
  abandon(): void
}

/** `world` is for what nobody here asked for; the turns of callers run with what they gave. */
export function drive(world: World, callers: Callers, options: { readonly oneStep: boolean }): Drive {
  let wake: () => void = () => {}
  let over = false
  const driver = new Driver(world, callers, options.oneStep)
  const done = (async () => {
    try {
      for (;;) {
        const waiting = Promise.withResolvers<void>()
        let woken = false
        wake = () => {
          woken = true
          waiting.resolve()
        }
        const now = await driver.goOn(() => wake())
        if (now === 'left') return now
        if (now === 'idle' && !woken) return world.log.state.seq
        if (now === 'busy') await waiting.promise
      }
    } catch (error) {
      // Whoever told it to stop knows that something may be left unwritten.
      if (driver.stopped) return 'left'
      throw error
    } finally {
      over = true
      driver.abandon()
    }
  })()
  return {
    done,
    wake: (oneStep = true) => {
      if (!oneStep) driver.oneStep = false
      if (!over) wake()
      return !over
    },
    drain: () => {
      driver.draining = true
      wake()
    },
    abandon: () => {
      driver.abandon()
      wake()
    },
  }
}

interface Batch {
  /** The work that is done with once the events are written. */
  readonly keys: readonly string[]
  readonly draft: Draft
}

class Driver {
  readonly #world: World
  readonly #callers: Callers
  oneStep: boolean
  draining = false
  /** In flight, by the key of the effect it performs. */
  readonly #work = new Map<string, Work>()
  /** Calls whose start this driver wrote, and in which term. Any other running call was started by a process that is gone. */
  readonly #started = new Map<string, number>()
  readonly #stopped = new Stop()
  /** What it drives under, for as long as it does. Whoever took over since has a newer one. */
  readonly #epoch: number | undefined
  #firstModelKey: string | undefined
  #prepared: { readonly step: string; readonly value: Prepared | Promise<Prepared> } | undefined
  /** On whose behalf the turn is driven, once for all its calls. */
  #asker: { readonly turnId: string; readonly from: World; readonly world: World } | undefined

  constructor(world: World, callers: Callers, oneStep: boolean) {
    this.#world = world
    this.#epoch = world.log.epoch
    this.#callers = callers
    this.oneStep = oneStep
  }

  /** Writes what is finished and starts what is due. Idle when nothing is left to wait for. */
  async goOn(wake: () => void): Promise<'busy' | 'idle' | 'left'> {
    for (let batch = this.#batch(); batch.draft.events.length > 0; batch = this.#batch())
      if ((await this.#write(batch)) === 'fenced') return 'left'
    if (this.#stopped.aborted || this.#world.log.epoch !== this.#epoch) return 'left'
    const effects = next(this.#world.log.state)
    for (const effect of effects) if (this.#mayBegin(effect)) this.#begin(effect, wake)
    if (this.#work.size > 0) return 'busy'
    if (this.draining) return 'left'
    return this.#ready || effects.every(isDeadline) ? 'idle' : 'busy'
  }

  /** Nobody else can have taken the conversation over, as far as it can be known. */
  get #ready(): boolean {
    return this.#world.mayWork() && this.#world.log.drivable
  }

  /** A call whose start this driver just wrote runs in any case: nobody else could tell that it did not. */
  #mayBegin(effect: Effect): boolean {
    if (!this.#ready) return false
    return !this.draining || (effect.do === 'recover-call' && this.#justStarted(effect.call))
  }

  /** Not if others may have believed this process gone since: then nobody knows who looks after the call. */
  #justStarted({ callId }: Call): boolean {
    return this.#started.get(callId) === this.#world.term()
  }

  /** What finished work brought, and what follows from it, to be written together. */
  #batch(): Batch {
    this.#dropUnwanted()
    const keys: string[] = []
    const brought: (EventBody | StateUpdate)[] = []
    for (const [key, work] of this.#work) {
      if (!work.events) continue
      keys.push(key)
      brought.push(...work.events)
    }
    const draft = this.#world.log.draft()
    draft.add(applyUpdates(brought, draft.before.plugins))
    this.#addFollowUps(draft)
    return { keys, draft }
  }

  async #write({ keys, draft }: Batch): Promise<Written> {
    const term = this.#world.term()
    const written = await this.#world.log.write(draft, { as: 'driver', epoch: this.#epoch, stop: this.#stopped })
    if (written !== 'ok') return written // somebody else wrote first: the next batch is made anew
    for (const event of draft.events) {
      if (event.type === 'call.started') this.#started.set(event.callId, term)
      if (event.type === 'turn.started') this.#callers.served()
    }
    for (const key of keys) this.#work.delete(key)
    return written
  }

  get stopped(): boolean {
    return this.#stopped.aborted
  }

  /** Lets everything go as it is: the log knows what to do about it. */
  abandon(): void {
    this.#stopped.abort(OVER)
    for (const { stop } of this.#work.values()) stop.abort()
    this.#work.clear()
  }

  #dropUnwanted(): void {
    if (this.#work.size === 0) return
    const wanted = next(this.#world.log.state)
    for (const [key, work] of this.#work) {
      if (work.failure !== undefined) throw work.failure
      if (wanted.some((effect) => isSame(effect, work.effect))) continue
      work.stop.abort()
      this.#work.delete(key)
    }
  }

  /** Adds the effects that are events themselves, so that they are written together with what led to them. */
  #addFollowUps(draft: Draft): void {
    for (let seen: Conversation | undefined; seen !== draft.after;) {
      seen = draft.after
      for (const effect of next(seen)) {
        draft.add(this.#immediate(effect, draft.after))
        // What else there was to do stays so when a call starts, and may not when anything else happens.
        if (draft.after !== seen && effect.do !== 'run-call') break
      }
    }
  }

  #immediate(effect: Effect, state: Conversation): readonly EventBody[] {
    const { ports } = this.#world.agent
    switch (effect.do) {
      case 'start-turn':
        return this.#mayBegin(effect) ? this.#startQueued(state) : []
      case 'end-turn': {
        const { turnId, reason, message } = effect
        return [
          message === undefined
            ? { type: 'turn.ended', turnId, reason }
            : { type: 'turn.ended', turnId, reason, message },
        ]
      }
      case 'expire-hold':
        return ports.now() >= effect.at ? eventsOf(decideExpire(state, effect.callId, ports.now())) : []
      case 'run-call':
        // What somebody approved is compared with what would run first, by work of its own.
        return effect.call.approved || !this.#roomFor(state) || !this.#mayBegin(effect) ? [] : [startCall(effect.call)]
      case 'fire-plan':
        return ports.now() >= effect.at ? eventsOf(decideFire(state, effect.planId, ports.now(), ports.nextTime)) : []
      case 'call-model':
      case 'recover-call':
      case 'tell':
        return []
    }
  }

  #begin(effect: Effect, wake: () => void): void {
    if (this.#work.has(effect.key)) return
    const world = this.#worldNow()
    switch (effect.do) {
      case 'call-model':
        this.#firstModelKey ??= effect.key
        if (this.oneStep && effect.key !== this.#firstModelKey) return
        return this.#perform(effect, wake, (stop) =>
          this.#with(world, (prepared) => callModel(effect.turn, prepared, world.briefs, world, stop)),
        )
      case 'run-call': {
        const { call } = effect
        if (!this.#roomFor(this.#world.log.state)) return
        return this.#perform(
          effect,
          wake,
          (stop) => this.#with(world, ({ tools }) => admitCall(call, tools.get(call.name), world, stop)),
          call.callId,
        )
      }
      case 'recover-call': {
        const { call } = effect
        const work = this.#justStarted(call) ? runCall : recoverCall
        return this.#perform(effect, wake, (stop) =>
          this.#with(world, ({ tools }) => work(call, tools.get(call.name), world, stop)),
        )
      }
      case 'tell':
        return this.#perform(effect, wake, () => tellAll(effect.notices, world))
      case 'start-turn':
      case 'end-turn':
      case 'expire-hold':
      case 'fire-plan':
        return
    }
  }

  #perform(
    effect: Effect,
    wake: () => void,
    perform: (stop: Stop) => Promise<readonly (EventBody | StateUpdate)[]>,
    admits?: string,
  ): void {
    const work: Work = { effect, stop: new Stop(), admits }
    this.#work.set(effect.key, work)
    perform(work.stop).then(
      (events) => {
        work.events = events
        wake()
      },
      (error: unknown) => {
        work.failure = error ?? new Error('work failed without saying why')
        wake()
      },
    )
  }

  /** Calls that are about to start count: those that were approved together would all start otherwise. */
  #roomFor({ turn }: Conversation): boolean {
    if (turn.phase !== 'calls') return true
    const starting = [...this.#work.values()].flatMap(({ admits }) => admits ?? [])
    const busy = turn.calls.filter(({ at, callId }) => at === 'running' || starting.includes(callId))
    return busy.length < this.#world.agent.maxParallel
  }

  #worldNow(): World {
    const { turn } = this.#world.log.state
    if (turn.phase === 'rest') return this.#world
    const from = this.#callers.of(turn.turnId) ?? this.#world
    if (this.#asker?.turnId !== turn.turnId || this.#asker.from !== from)
      this.#asker = { turnId: turn.turnId, from, world: { ...from, scope: from.scopeFor(turn.by, from.scope) } }
    return this.#asker.world
  }

  #startQueued(state: Conversation): readonly EventBody[] {
    const caller = this.#callers.next()
    const plan = planTurn(caller ?? this.#world)
    if (caller) this.#callers.takes(plan.turnId, caller)
    return eventsOf(decideQueued(state, plan))
  }

  /** Prepared once a step: the calls of a reply meet the very tools the model was shown. */
  #with<T>(world: World, work: (prepared: Prepared) => Promise<T>): Promise<T> {
    const { turn } = world.log.state
    const step = turn.phase === 'rest' ? '' : `${turn.turnId}.${turn.step}`
    if (this.#prepared?.step !== step) this.#prepared = { step, value: prepare(world) }
    const { value } = this.#prepared
    return value instanceof Promise ? value.then(work) : work(value)
  }
}
