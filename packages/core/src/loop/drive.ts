/**
 * Brings a conversation as far as it can go without anybody from outside: fold, ask `next`, do it, append, repeat.
 *
 * - Nothing is remembered that matters: kill this at any await, fold the log, call `drive` again.
 * - Intent comes first: a call runs only after its `call.started` is written, in the same append as what led to it.
 * - Work that `next` no longer asks for is aborted, and what it still brings is dropped.
 */
import type { EventBody } from '../log/log-event.ts'
import { decideCancel, decideExpire, decideQueued, type Decision } from '../turn/decide.ts'
import { evolve, next } from '../turn/turn.ts'
import type { Tool } from '../tool/tool.ts'
import type { Call, Conversation, Effect } from '../turn/turn-state.ts'
import { callModel } from './call-model.ts'
import { admitCall, recoverCall, runCall, startCall } from './run-call.ts'
import { planTurn, prepare, type Prepared, type World } from './world.ts'

interface Work {
  readonly controller: AbortController
  /** Set when the work is done and its events wait to be written. */
  events?: readonly EventBody[]
  /** Set when it broke: not a tool that failed, which is an outcome, but our code or a plugin's. */
  failure?: unknown
}

export interface Drive {
  /** Resolves at rest, or when only people, clients and services outside can go on. */
  readonly done: Promise<void>
  /** Something was appended by somebody else: look again. */
  wake(): void
}

export function drive(world: World, options: { readonly signal?: AbortSignal | undefined; readonly oneStep?: boolean }): Drive {
  let wake: () => void = () => {}
  const done = (async () => {
    const driver = new Driver(world, options.oneStep === true)
    const cancel = (): void => wake()
    options.signal?.addEventListener('abort', cancel)
    try {
      for (;;) {
        const woken = Promise.withResolvers<void>()
        wake = woken.resolve
        if (options.signal?.aborted) await world.log.change(cancelled)
        if (await driver.goOn(() => wake())) return
        await woken.promise
      }
    } finally {
      options.signal?.removeEventListener('abort', cancel)
      driver.abandon()
    }
  })()
  return { done, wake: () => wake() }
}

function cancelled(state: Conversation): { readonly events?: readonly EventBody[] } {
  const decision = decideCancel(state)
  return decision.ok ? { events: decision.events } : {}
}

class Driver {
  readonly #world: World
  readonly #oneStep: boolean
  /** In flight, by the key of the effect it performs. */
  readonly #work = new Map<string, Work>()
  /** Calls whose start this driver wrote. Any other running call was started by a process that is gone. */
  readonly #started = new Set<string>()
  #firstModelKey: string | undefined
  #prepared: { readonly step: string; readonly value: Promise<Prepared> } | undefined

  constructor(world: World, oneStep: boolean) {
    this.#world = world
    this.#oneStep = oneStep
  }

  /** Writes what is finished and starts what is due. True when nothing is left to wait for. */
  async goOn(wake: () => void): Promise<boolean> {
    const { log } = this.#world
    for (;;) {
      this.#dropUnwanted()
      const finished = [...this.#work].filter(([, work]) => work.events)
      const events = this.#withFollowUps(finished.flatMap(([, work]) => work.events ?? []))
      if (events.length === 0) break
      if (!(await log.append(events))) continue
      for (const event of events) if (event.type === 'call.started') this.#started.add(event.callId)
      for (const [key] of finished) this.#work.delete(key)
    }
    for (const effect of next(log.state)) this.#begin(effect, wake)
    return this.#work.size === 0
  }

  abandon(): void {
    for (const { controller } of this.#work.values()) controller.abort()
    this.#work.clear()
  }

  #dropUnwanted(): void {
    if (this.#work.size === 0) return
    const wanted = new Set(next(this.#world.log.state).map((effect) => effect.key))
    for (const [key, work] of this.#work) {
      if (work.failure !== undefined) throw work.failure
      if (wanted.has(key)) continue
      work.controller.abort()
      this.#work.delete(key)
    }
  }

  /** Adds the effects that are events themselves, so that they are written together with what led to them. */
  #withFollowUps(events: readonly EventBody[]): readonly EventBody[] {
    const all = [...events]
    let state = preview(this.#world.log.state, all)
    for (;;) {
      const more = firstOf(next(state), (effect) => this.#immediate(effect, state))
      if (!more) return all
      all.push(...more)
      state = preview(state, more)
    }
  }

  #immediate(effect: Effect, state: Conversation): readonly EventBody[] {
    const { ports } = this.#world.agent
    switch (effect.do) {
      case 'start-turn':
        return eventsOf(decideQueued(state, planTurn(this.#world)))
      case 'end-turn': {
        const { turnId, reason, message } = effect
        return [message === undefined ? { type: 'turn.ended', turnId, reason } : { type: 'turn.ended', turnId, reason, message }]
      }
      case 'expire-hold':
        return ports.now() >= effect.at ? eventsOf(decideExpire(state, effect.callId, ports.now())) : []
      case 'run-call':
        // What somebody approved is compared with what would run first, by work of its own.
        return effect.call.approved || !this.#roomFor(state) ? [] : [startCall(effect.call)]
      case 'call-model':
      case 'recover-call':
        return []
    }
  }

  #begin(effect: Effect, wake: () => void): void {
    if (this.#work.has(effect.key)) return
    switch (effect.do) {
      case 'call-model':
        this.#firstModelKey ??= effect.key
        if (this.#oneStep && effect.key !== this.#firstModelKey) return
        return this.#perform(effect.key, wake, async (signal) => callModel(effect.turn, await this.#prepare(), this.#world, signal))
      case 'run-call':
        if (!this.#roomFor(this.#world.log.state)) return
        return this.#perform(effect.key, wake, async () => admitCall(effect.call, await this.#tool(effect.call), this.#world))
      case 'recover-call': {
        const work = this.#started.has(effect.call.callId) ? runCall : recoverCall
        return this.#perform(effect.key, wake, async (signal) => work(effect.call, await this.#tool(effect.call), this.#world, signal))
      }
      case 'start-turn':
      case 'end-turn':
      case 'expire-hold':
        return
    }
  }

  #perform(key: string, wake: () => void, perform: (signal: AbortSignal) => Promise<readonly EventBody[]>): void {
    const work: Work = { controller: new AbortController() }
    this.#work.set(key, work)
    perform(work.controller.signal).then(
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

  #roomFor({ turn }: Conversation): boolean {
    const running = turn.phase === 'calls' ? [...turn.calls.values()].filter((call) => call.at === 'running').length : 0
    return running < this.#world.agent.maxParallel
  }

  async #tool(call: Call): Promise<Tool | undefined> {
    return (await this.#prepare()).tools.get(call.name)
  }

  /** Once a step: the calls of a reply meet the very tools the model was shown. */
  #prepare(): Promise<Prepared> {
    const { turn } = this.#world.log.state
    const step = turn.phase === 'rest' ? '' : `${turn.turnId}.${turn.step}`
    if (this.#prepared?.step !== step) this.#prepared = { step, value: prepare(this.#world) }
    return this.#prepared.value
  }
}

function firstOf<T, R>(items: readonly T[], look: (item: T) => readonly R[]): readonly R[] | undefined {
  for (const item of items) {
    const found = look(item)
    if (found.length > 0) return found
  }
  return undefined
}

function eventsOf(decision: Decision): readonly EventBody[] {
  return decision.ok ? decision.events : []
}

/** What the state would be; `at` plays no part in it. */
function preview(state: Conversation, events: readonly EventBody[]): Conversation {
  return events.reduce((before, event) => evolve(before, { ...event, seq: before.seq + 1, at: 0 }), state)
}
