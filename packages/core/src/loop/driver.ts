/**
 * Does what follows from a log: fold, ask `next`, do it, append, repeat.
 *
 * - Nothing is remembered that matters: kill this at any await, fold the log, and let another one go on.
 * - Intent comes first: a call runs only after its `call.started` is written, in the same append as what led to it.
 * - What changes nothing outside need not wait for that: the model is asked about a draft while it is written, and what
 *   it says at once is written with it. Of a draft that came to nothing, so does what was said to it.
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
import { eventsOf, isSame, mayLookAhead, unseen } from './drive-steps.ts'
import type { Draft } from './draft.ts'
import type { Log } from './log.ts'
import type { Written } from './log-options.ts'
import { LogAhead, type LogView } from './log-view.ts'
import { Stop } from './stop.ts'
import { Works, type Work } from './works.ts'
import { tellAll } from './tell.ts'
import { admitCall, recoverCall, runCall, startCall } from './run-call.ts'
import { planTurn, prepare, type Prepared, type World } from './world.ts'

export interface DriverOptions {
  /** One model call and what it asks for, and no more. */
  readonly oneStep: boolean
}

const NO_STEP = { turnId: '', step: 0 } as const

export class Driver {
  /** Called when there is something for it to do. */
  wake: () => void = () => {}
  oneStep: boolean
  draining = false
  readonly #log: Log
  /** For what nobody here asked for; the turns of callers run with what they gave. */
  readonly #world: World
  readonly #callers: Callers
  readonly #works = new Works(() => this.wake())
  /** Calls whose start this driver wrote, and in which term. Any other running call was started by a process that is gone. */
  readonly #started = new Map<string, number>()
  readonly #stopped = new Stop()
  /** What it drives under, for as long as it does. Whoever took over since has a newer one. */
  #epoch: number | undefined
  /** What sets the conversation going is being written: it will be for this driver to go on with. */
  #opening = false
  #firstModelKey: string | undefined
  /** The state that all of the works were compared with. */
  #keptTo: Conversation | undefined
  #prepared:
    | { readonly turnId: string; readonly step: number; readonly value: Prepared | Promise<Prepared> }
    | undefined
  /** On whose behalf the turn is driven, once for all its calls. */
  #asker: { readonly turnId: string; readonly from: World; readonly world: World } | undefined

  constructor(log: Log, world: World, callers: Callers, { oneStep }: DriverOptions) {
    this.#log = log
    this.#world = world
    this.#callers = callers
    this.oneStep = oneStep
  }

  get stopped(): boolean {
    return this.#stopped.aborted
  }

  /** It has begun something that nobody else knows of. */
  get busy(): boolean {
    return this.#works.size > 0 || this.#started.size > 0
  }

  /** From now on it drives, whatever it began before. */
  begin(): void {
    this.#epoch = this.#log.epoch
  }

  /**
   * Writes what is finished and starts what is due. Where nothing is left to wait for, the seq at which that was so: by
   * the time this is heard of, somebody may have written more.
   */
  async goOn(): Promise<'busy' | 'left' | number> {
    for (let batch = this.#batch(); batch.draft.events.length > 0; batch = this.#batch()) {
      const { done, draft } = batch
      await this.#lookAhead(draft, done)
      if (this.#stopped.aborted) return 'left'
      const writer = { as: 'driver', epoch: this.#epoch, stop: this.#stopped } as const
      // After a conflict somebody else wrote first, and the next batch is made anew.
      if ((await this.#write(draft, done, () => this.#log.write(draft, writer))) === 'fenced') return 'left'
    }
    if (this.#stopped.aborted || this.#log.epoch !== this.#epoch) return 'left'
    const { seq } = this.#log.state
    const effects = next(this.#log.state)
    for (const effect of effects) if (this.#mayBegin(effect)) this.#begin(effect, this.#log)
    if (this.#works.size > 0) return 'busy'
    if (this.draining) return 'left'
    return this.#ready || effects.every(isDeadline) ? seq : 'busy'
  }

  /** Goes ahead of what sets a resting conversation going, which makes it this process's to drive. */
  async open(draft: Draft, write: () => Promise<Written>): Promise<Written> {
    this.#opening = true
    try {
      const done: Work[] = []
      await this.#lookAhead(draft, done)
      return await this.#write(draft, done, write)
    } finally {
      this.#opening = false
    }
  }

  /** Lets everything go as it is: the log knows what to do about it. */
  abandon(): void {
    this.#stopped.abort(OVER)
    this.#works.drop(() => true)
  }

  /** Nobody else can have taken the conversation over, as far as it can be known. */
  get #ready(): boolean {
    return this.#world.mayWork() && (this.#opening || this.#log.drivable)
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
  #batch(): { readonly done: Work[]; readonly draft: Draft } {
    this.#dropUnwanted()
    const done: Work[] = []
    const brought: (EventBody | StateUpdate)[] = []
    for (const work of this.#works) {
      if (!work.events) continue
      done.push(work)
      brought.push(...work.events)
    }
    const draft = this.#log.draft()
    draft.add(applyUpdates(brought, draft.before.plugins))
    this.#addFollowUps(draft)
    return { done, draft }
  }

  async #write(draft: Draft, done: readonly Work[], write: () => Promise<Written>): Promise<Written> {
    const term = this.#world.term()
    let written: Written | undefined
    try {
      written = await write()
    } finally {
      if (written !== 'ok') this.#works.drop(({ ahead }) => ahead !== undefined)
      // Where nobody can tell whether it was written, this much is known: if its calls are started, they have not begun.
      if (written === 'ok' || written === undefined) this.#remember(draft, term)
    }
    if (written !== 'ok') return written
    for (const event of draft.events) if (event.type === 'turn.started') this.#callers.served(event.turnId)
    this.#works.written(done)
    return written
  }

  #remember({ events }: Draft, term: number): void {
    for (const event of events) if (event.type === 'call.started') this.#started.set(event.callId, term)
  }

  /** Asks the model what the draft leads to. If it says so before the draft would be written, that goes with it. */
  async #lookAhead(draft: Draft, done: Work[]): Promise<void> {
    if (this.oneStep || !mayLookAhead(this.#world)) return
    for (;;) {
      const asks = next(draft.after).find((effect) => effect.do === 'call-model')
      const work = asks && this.#mayBegin(asks) && this.#begin(asks, new LogAhead(this.#log, draft))
      if (!work) return
      await Promise.race([work.done, this.#world.agent.ports.soon?.()])
      if (!work.events) return
      done.push(work)
      draft.add(applyUpdates(work.events, draft.after.plugins))
      this.#addFollowUps(draft)
    }
  }

  #dropUnwanted(): void {
    for (const { failure } of this.#works) if (failure !== undefined) throw failure
    const { state } = this.#log
    // What was begun since follows from the same state.
    if (state === this.#keptTo) return
    this.#keptTo = state
    if (this.#works.size === 0) return
    const wanted = new Map(next(state).map((effect) => [effect.key, effect]))
    this.#works.drop(({ effect }) => !isSame(wanted.get(effect.key), effect))
  }

  /** Adds the effects that are events themselves, so that they are written together with what led to them. */
  #addFollowUps(draft: Draft): void {
    for (let seen: Conversation | undefined; seen !== draft.after;) {
      seen = draft.after
      for (const effect of next(seen)) {
        draft.add(this.#immediate(effect, draft))
        // What else there was to do stays so when a call starts, and may not when anything else happens.
        if (draft.after !== seen && effect.do !== 'run-call') break
      }
    }
  }

  #immediate(effect: Effect, draft: Draft): readonly EventBody[] {
    const { ports } = this.#world.agent
    const state = draft.after
    switch (effect.do) {
      case 'start-turn':
        return this.#mayBegin(effect) ? this.#startQueued(draft) : []
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

  /** On the log as it is, or as it will be. */
  #begin(effect: Effect, log: LogView): Work | undefined {
    if (this.#works.has(effect)) return undefined
    const world = this.#worldOn(log)
    switch (effect.do) {
      case 'call-model':
        this.#firstModelKey ??= effect.key
        if (this.oneStep && effect.key !== this.#firstModelKey) return undefined
        return this.#works.begin(effect, log, (stop) =>
          this.#with(world, (prepared) => callModel(effect.turn, prepared, world.briefs, world, stop)),
        )
      case 'run-call': {
        const { call } = effect
        if (!this.#roomFor(log.state)) return undefined
        return this.#works.begin(
          effect,
          log,
          (stop) => this.#with(world, ({ tools }) => admitCall(call, tools.get(call.name), world, stop)),
          call.callId,
        )
      }
      case 'recover-call': {
        const { call } = effect
        const work = this.#justStarted(call) ? runCall : recoverCall
        return this.#works.begin(effect, log, (stop) =>
          this.#with(world, ({ tools }) => work(call, tools.get(call.name), world, stop)),
        )
      }
      case 'tell':
        return this.#works.begin(effect, log, () => tellAll(effect.notices, world))
      case 'start-turn':
      case 'end-turn':
      case 'expire-hold':
      case 'fire-plan':
        return undefined
    }
  }

  /** Calls that are about to start count: those that were approved together would all start otherwise. */
  #roomFor({ turn }: Conversation): boolean {
    // Where all of them may run at once, nobody need count.
    if (turn.phase !== 'calls' || turn.calls.length <= this.#world.agent.maxParallel) return true
    const starting = [...this.#works].flatMap(({ admits }) => admits ?? [])
    const busy = turn.calls.filter(({ at, callId }) => at === 'running' || starting.includes(callId))
    return busy.length < this.#world.agent.maxParallel
  }

  #worldOn(log: LogView): World {
    const { turn } = log.state
    if (turn.phase === 'rest') return this.#world
    const from = this.#callers.of(turn.turnId) ?? this.#world
    if (this.#asker?.turnId !== turn.turnId || this.#asker.from !== from)
      this.#asker = { turnId: turn.turnId, from, world: { ...from, scope: from.scopeFor(turn.by, from.scope) } }
    const { world } = this.#asker
    if (log instanceof LogAhead) return unseen(world, log)
    return world.log === log ? world : { ...world, log }
  }

  #startQueued({ events, after }: Draft): readonly EventBody[] {
    const caller = this.#callers.next(events.flatMap((event) => (event.type === 'turn.started' ? [event.turnId] : [])))
    const plan = planTurn(caller ?? this.#world)
    if (caller) this.#callers.takes(plan.turnId, caller)
    return eventsOf(decideQueued(after, plan))
  }

  /** Prepared once a step: the calls of a reply meet the very tools the model was shown. */
  #with<T>(world: World, work: (prepared: Prepared) => T | Promise<T>): T | Promise<T> {
    const { turn } = world.log.state
    const { turnId, step } = turn.phase === 'rest' ? NO_STEP : turn
    if (this.#prepared?.step !== step || this.#prepared.turnId !== turnId)
      this.#prepared = { turnId, step, value: prepare(world) }
    const { value } = this.#prepared
    return value instanceof Promise ? value.then(work) : work(value)
  }
}
