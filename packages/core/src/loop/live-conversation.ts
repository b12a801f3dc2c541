/**
 * A conversation that is worked on in this process: commands go in, are decided on the newest state and written, and
 * one driver at a time does what follows. A session is the face of it, and a runtime keeps many.
 */
import { HoldpointError } from '../failure.ts'
import { Briefs } from '../hooks/before-message.ts'
import type { EventBody } from '../log/log-event.ts'
import type { Frame } from '../live/frame.ts'
import { userMessage, type Inbound } from '../log/message.ts'
import { systemScope, type Scope } from '../tool/context.ts'
import {
  decideCancel,
  decideExpire,
  decideFire,
  decideSend,
  findCall,
  type Decision,
  type Refusal,
} from '../turn/decide.ts'
import type { Resolution } from '../turn/hold.ts'
import type { ResolveAnswer, Verdict } from '../turn/resolve.ts'
import { Afterwards, sinceWritten } from './afterwards.ts'
import type { Agent } from './agent.ts'
import { Audience } from './audience.ts'
import { Callers } from './callers.ts'
import { judge, readResolution } from './check-resolution.ts'
import { checkContent, checkOptions } from './check-send.ts'
import { drive, type Drive } from './drive.ts'
import type { Log } from './log.ts'
import { outputOf, outputRule, type OutputRule } from './output.ts'
import { openHolds, resultOf, type TurnResult } from './result.ts'
import type { ResolveOptions, SendOptions } from './session-options.ts'
import { alone, type Surroundings } from './surroundings.ts'
import { nobodyToTell } from './tell.ts'
import { checkWhose } from './whose.ts'
import { planTurn, type World } from './world.ts'

export type CancelAnswer =
  | { readonly ok: true }
  | { readonly ok: false; readonly refusal: Refusal; readonly message: string }

/** What was said is written, and starts a turn or waits for one (then there is no id). Or it was refused. */
export type Begun =
  | { readonly ok: true; readonly turnId: string | undefined; readonly repeated?: true }
  | Extract<Decision, { ok: false }>

/** Where what was said waits for its turn, if it does. */
interface Waits {
  readonly waitsAt?: number
}

/** Whoever says nothing about who is asking is nobody; only what nobody asked for runs as the system. */
const nobody: Scope = Object.freeze({})

export class LiveConversation {
  readonly agent: Agent
  readonly log: Log
  readonly audience: Audience = new Audience()
  readonly #around: Surroundings
  readonly #callers = new Callers()
  /** Answers on their way into the log. */
  readonly #answering = new Set<Promise<ResolveAnswer>>()
  readonly #afterwards: Afterwards
  readonly #briefs = new Briefs()
  #drive: Drive | undefined
  #drained = false

  constructor(agent: Agent, log: Log, around: Surroundings = alone) {
    this.agent = agent
    this.log = log
    this.#around = around
    this.#afterwards = new Afterwards((error) => around.problem?.(error))
    log.listen((event) => this.audience.show(event))
    log.onOthers = () => this.#drive?.wake()
  }

  /** The driver that is at work here. */
  get driver(): Drive | undefined {
    return this.#drive
  }

  /** Says something, or nothing, and goes on until rest, or until somebody outside must answer. */
  async run(
    said: { readonly content: unknown } | undefined,
    options: SendOptions,
    goOn: (ownTurn: () => string | undefined) => Promise<void>,
  ): Promise<TurnResult> {
    checkOptions(options)
    const world = this.#world(options)
    const watching = this.audience.admit(options.watch)
    try {
      const begun = await this.#begin(said, options, world)
      if (!begun.ok) return this.refused(begun.refusal, begun.message)
      const own = (): string | undefined => this.#ownTurn(begun)
      const signal = options.signal && (await this.#cancelOn(options.signal, own))
      try {
        await goOn(own)
        await signal?.over()
      } catch (error) {
        await signal?.over().catch(() => {})
        throw sinceWritten(error)
      }
      watching?.check()
      if (begun.waitsAt !== undefined) await this.log.reachBack(begun.waitsAt)
      await this.log.reachTurn(own())
      const result = this.#result(own())
      return result.output === undefined ? result : { ...result, output: await outputOf(result, world.output) }
    } finally {
      watching?.leave()
      this.#callers.leaves(world)
    }
  }

  /** Says something and leaves it at that: it is written, and whoever drives does the rest. */
  async submit(content: unknown, options: SendOptions): Promise<Begun> {
    checkOptions(options)
    const { waitsAt: _waitsAt, ...begun } = await this.#begin({ content }, options, undefined)
    return begun
  }

  async resolve(callId: string, resolution: Resolution, options: ResolveOptions): Promise<ResolveAnswer> {
    const answering = this.#resolve(callId, resolution, options)
    this.#answering.add(answering)
    try {
      return await answering
    } finally {
      this.#answering.delete(answering)
    }
  }

  async #resolve(callId: string, resolution: Resolution, options: ResolveOptions): Promise<ResolveAnswer> {
    const read = readResolution(resolution, options.by)
    if ('why' in read) return { verdict: 'invalid', message: read.why }
    if (typeof callId !== 'string') return { verdict: 'unknown', message: 'The id of a call is text.' }
    if (options.hold !== undefined && !Number.isInteger(options.hold))
      return { verdict: 'invalid', message: '"hold" is the number of one of the call’s holds, from 1.' }
    await this.#settleExpired()
    const {
      events,
      recalled: _recalled,
      ...told
    } = await this.log.change(async () => {
      const { hold } = options
      const command = { ...read, callId, now: this.agent.ports.now(), ...(hold !== undefined && { hold }) }
      const world = this.#world(options.scope ? { scope: options.scope } : {})
      const call = await this.log.find(callId)
      return { ...(await judge(call, command, world)), ...(call && { recalled: [call] }) }
    })
    if (events.length > 0) this.#drive?.wake()
    return told
  }

  /** Sees to everything whose time has come: holds that nobody answered, plans that are due. */
  async expire(): Promise<void> {
    await this.log.refresh()
    await this.#settleExpired()
    const { now, nextTime } = this.agent.ports
    for (const { id, nextAt } of this.log.state.plans.values())
      if (now() >= nextAt) await this.log.change((state) => eventsOf(decideFire(state, id, now(), nextTime)))
  }

  async #settleExpired(): Promise<void> {
    const { now } = this.agent.ports
    for (const { callId, expiresAt } of openHolds(this.log.state)) {
      if (now() >= expiresAt) await this.log.change((state) => eventsOf(decideExpire(state, callId, now())))
    }
    this.#drive?.wake()
  }

  async cancel(message: string | undefined): Promise<CancelAnswer> {
    if (message !== undefined && typeof message !== 'string')
      throw new HoldpointError('config-invalid', 'What cancel() says is text.')
    const { decision } = await this.log.change((state) => eventsOf(decideCancel(state, message)))
    this.#drive?.wake()
    return decision.ok ? { ok: true } : decision
  }

  refused(reason: Refusal | Verdict, message: string): TurnResult {
    return { ...this.#result(undefined), status: 'refused', reason, message }
  }

  /** One driver at a time: whoever comes while it works wakes it, and waits for it to finish. */
  async driveOn(oneStep: boolean): Promise<void> {
    if (this.#drive?.wake(oneStep)) {
      await this.#drive.done
      return
    }
    // What nobody here asked for runs as the system; the turns of callers run with what they gave.
    const own = drive(this.#world({ scope: systemScope }), this.#callers, { oneStep })
    this.#drive = own
    try {
      const seq = await own.done
      this.#drive = undefined
      if (seq === 'left') return
      // Whoever began to answer while the driver worked may be heard only after it saw nothing left to do.
      if (this.#answering.size > 0) await Promise.allSettled(this.#answering)
      const goesOn = !oneStep && this.log.state.seq !== seq && this.log.drivable && !this.#drained
      if (goesOn) await this.driveOn(oneStep)
    } finally {
      if (this.#drive === own) this.#drive = undefined
    }
  }

  /** What is under way is finished, and nothing is driven here any more. */
  drain(): void {
    this.#drained = true
    this.#drive?.drain()
    this.#afterwards.leave()
  }

  /** Something is still being done for it after its last turn. */
  get busy(): boolean {
    return this.#afterwards.busy
  }

  /** Writes what the caller wants, and tells which turn is the caller's: none when its message waits. */
  async #begin(
    said: { readonly content: unknown } | undefined,
    options: SendOptions,
    caller: World | undefined,
  ): Promise<Begun & Waits> {
    if (!said && this.#drive && this.log.drivable && this.log.state.turn.phase !== 'rest')
      // Whoever only goes along with what is driven here need not ask the store: the driver meets whatever is newer.
      return { ok: true, turnId: this.log.state.turn.turnId }
    const item = said && ({ kind: 'message', message: userMessage(checkContent(said.content), options.by) } as const)
    const whileBusy = options.whileBusy ?? this.agent.whileBusy
    const plan = planTurn(caller ?? this.#world(options))
    // Before it is written: a driver may meet the turn at once.
    if (caller) this.#callers.takes(plan.turnId, caller)
    const changed = await this.log.change((state) => {
      if (this.#around.oneAgent) checkWhose(this.log.id, state, this.agent.name)
      return eventsOf(decideSend(state, { item, plan, whileBusy }))
    }, options.key)
    if ('repeated' in changed) return this.#again(changed.repeated, item)
    const { decision } = changed
    if (!decision.ok) {
      // What is refused now may have been taken before, and be what the conversation is busy with.
      const before = options.key === undefined ? undefined : await this.log.findKey(options.key)
      return before === undefined ? decision : this.#again(before, item)
    }
    // A driver may be busy with what this message takes the place of.
    if (decision.events.length > 0) this.#drive?.wake()
    if (decision.events.some(({ type }) => type === 'turn.started')) return { ok: true, turnId: plan.turnId }
    const { turn } = this.log.state
    if (turn.phase === 'rest' || decision.events.length > 0) {
      if (caller) this.#callers.waits(caller)
      const waits = this.log.events.findLast((event) => event.type === 'message.queued' && same(event.item, item))
      return { ok: true, turnId: undefined, ...(waits && { waitsAt: waits.seq }) }
    }
    if (caller && !this.#drive) this.#callers.takes(turn.turnId, caller)
    return { ok: true, turnId: turn.turnId }
  }

  /** The caller's key was used before: by the same message, sent twice, or by mistake. */
  async #again(seq: number, item: Inbound | undefined): Promise<Begun & Waits> {
    await this.log.reachBack(seq)
    const event = this.log.events.find((each) => each.seq === seq)
    const before = event?.type === 'turn.started' ? event.items : event?.type === 'message.queued' ? [event.item] : []
    if (same(before, item ? [item] : [])) return { ok: true, turnId: this.#turnFrom(seq), waitsAt: seq, repeated: true }
    return { ok: false, refusal: 'key-reused', message: 'This key was used for another message. Take a new one.' }
  }

  /** The turn that a caller's words are about; not known while they wait. */
  #ownTurn({ turnId, waitsAt }: { readonly turnId: string | undefined } & Waits): string | undefined {
    return turnId ?? (waitsAt === undefined ? undefined : this.#turnFrom(waitsAt))
  }

  /** The turn that what was written there started, or was taken up by after it had waited. */
  #turnFrom(seq: number): string | undefined {
    const { events } = this.log
    const from = events.findLastIndex((event) => event.seq < seq) + 1
    const turn = events.find(
      (event, index) =>
        index >= from && event.type === 'turn.started' && (event.seq === seq || (event.queued ?? 0) > 0),
    )
    return turn?.type === 'turn.started' ? turn.turnId : undefined
  }

  /** A signal is about the caller's own turn, not about one that took its place or waits behind it. */
  async #cancelOn(signal: AbortSignal, own: () => string | undefined): Promise<{ over(): Promise<void> }> {
    let cancelling: Promise<void> | undefined
    const cancel = (): void => {
      cancelling = this.#cancel(own())
      cancelling.catch(() => {}) // `over` tells
    }
    if (signal.aborted) await this.#cancel(own())
    else signal.addEventListener('abort', cancel, { once: true })
    return {
      over: async () => {
        signal.removeEventListener('abort', cancel)
        await cancelling
      },
    }
  }

  async #cancel(turnId: string | undefined): Promise<void> {
    await this.log.change((state) =>
      state.turn.phase === 'rest' || state.turn.turnId !== turnId ? {} : eventsOf(decideCancel(state)),
    )
    this.#drive?.wake()
  }

  #result(turnId: string | undefined): TurnResult {
    return resultOf(this.log.events, this.log.state, this.agent.mode, turnId)
  }

  #world(options: SendOptions): World {
    const { agent } = this
    return {
      agent,
      log: this.log,
      scope: options.scope ?? nobody,
      requestId: options.requestId,
      output: this.#outputRule(options),
      briefs: this.#briefs,
      maxSteps: options.maxSteps ?? agent.maxSteps,
      mayWork: () => this.#around.mayWork(),
      term: () => this.#around.term(),
      scopeFor: (by, given) => this.#around.scope?.(by) ?? given,
      later: (name, work) => this.#afterwards.begin(name, work),
      tell: (notice) => this.#around.tell?.(notice) ?? nobodyToTell(),
      problem: (error) => this.#around.problem?.(error),
      watched: () => this.audience.watching || this.#around.relay?.watched(this.log.state) === true,
      emit: (frame) => this.#emit(frame),
    }
  }

  /** What a handler says after its call is over is nobody's business any more. */
  #emit(frame: Frame): void {
    if (frame.type === 'call-progress' && findCall(this.log.state, frame.callId)?.at !== 'running') return
    this.audience.show(frame)
    this.#around.relay?.show(frame, this.log.state, this.agent)
  }

  #outputRule({ output, structuredFinalize }: SendOptions): OutputRule | undefined {
    const { agent } = this
    const finalize = structuredFinalize ?? agent.structuredFinalize
    if (output) return outputRule(output, finalize, agent.ports.compileJsonSchema)
    return agent.output && { ...agent.output, plan: { ...agent.output.plan, finalize } }
  }
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function eventsOf(decision: Decision): { readonly events: readonly EventBody[]; readonly decision: Decision } {
  return { events: decision.ok ? decision.events : [], decision }
}
