/**
 * A conversation that is worked on in this process: commands go in, are decided on the newest state and written, and
 * one driver at a time does what follows. A session is the face of it, and a runtime keeps many.
 */
import { HoldpointError } from '../failure.ts'
import { Briefs } from '../hooks/before-message.ts'
import type { EventBody } from '../log/log-event.ts'
import type { Frame } from '../live/frame.ts'
import { userMessage } from '../log/message.ts'
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
import { hasWork } from '../turn/derive.ts'
import type { Resolution } from '../turn/hold.ts'
import type { ResolveAnswer, Verdict } from '../turn/resolve.ts'
import { Afterwards, sinceWritten } from './afterwards.ts'
import type { Agent } from './agent.ts'
import { Audience } from './audience.ts'
import { begunBefore, ownTurn, waiting, type Begun, type Waits } from './begun.ts'
import { Callers } from './callers.ts'
import { judge, readResolution } from './check-resolution.ts'
import { checkContent, checkOptions } from './check-send.ts'
import { cancelOn } from './cancel-on.ts'
import { drive, type Drive } from './drive.ts'
import { Driver } from './driver.ts'
import type { Log } from './log.ts'
import type { Through } from './log-options.ts'
import { Opening } from './opening.ts'
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
  readonly #opening = new Opening()
  #drained = false

  constructor(agent: Agent, log: Log, around: Surroundings = alone) {
    this.agent = agent
    this.log = log
    this.#around = around
    this.#afterwards = new Afterwards((error) => around.problem?.(error))
    log.listen((event) => this.audience.show(event))
    // A function that is assigned to a property where it is written is taken by V8 for one that lives long: it would keep
    // all of this, however short its life, until old garbage is collected.
    const othersWrote = (): void => void this.#drive?.wake()
    log.onOthers = othersWrote
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
      const own = (): string | undefined => ownTurn(this.log, begun)
      // A signal is about the caller's own turn, not about one that took its place or waits behind it.
      const { signal } = options
      const cancelling = signal && cancelOn(signal, () => this.#cancel(own()))
      try {
        await cancelling?.begun
        await goOn(own)
        await cancelling?.over()
      } catch (error) {
        await cancelling?.over().catch(() => {})
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
    if (this.#opening.writing) {
      await this.#opening.writing
      return this.driveOn(oneStep)
    }
    const own = drive(this.#opening.take() ?? this.#driver(oneStep))
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

  /** What nobody here asked for runs as the system; the turns of callers run with what they gave. */
  #driver(oneStep: boolean): Driver {
    const driver = new Driver(this.log, this.#world({ scope: systemScope }), this.#callers, { oneStep })
    driver.draining = this.#drained
    return driver
  }

  /** Whatever is to be driven here once it is written is begun before. */
  readonly #through: Through = (draft, write) => {
    const atRest = !this.#drive && !this.#opening.busy && !hasWork(draft.before) && !this.log.inDoubt
    if (!atRest || !this.#around.drivesAtOnce || this.#drained) return write()
    return this.#opening.begin(this.#driver(false), draft, write)
  }

  /** What is under way is finished, and nothing is driven here any more. */
  drain(): void {
    this.#drained = true
    this.#drive?.drain()
    this.#opening.drain()
    this.#afterwards.leave()
  }

  /** Stops at once and leaves everything as it is. */
  abandon(): void {
    this.#drive?.abandon()
    this.#opening.abandon()
  }

  /** There is nothing to go on with here, for others were faster: nor with what was begun before that was known. */
  letGo(): void {
    if (!this.#opening.writing) this.#opening.take()?.abandon()
  }

  /** Something is still being done for it after its last turn. */
  get busy(): boolean {
    return this.#afterwards.busy || this.#opening.busy
  }

  /** Whether it began something with what was written last, and nobody has gone on with that yet. */
  async hasBegun(): Promise<boolean> {
    await this.#opening.writing
    return this.#opening.busy
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
    const changed = await this.log.change(
      (state) => {
        if (this.#around.oneAgent) checkWhose(this.log.id, state, this.agent.name)
        return eventsOf(decideSend(state, { item, plan, whileBusy }))
      },
      options.key,
      // Whoever does not want it any more has it written and cancelled, and nothing begun.
      caller && options.key === undefined && !options.signal?.aborted ? this.#through : undefined,
    )
    if ('repeated' in changed) return begunBefore(this.log, changed.repeated, item)
    const { decision } = changed
    if (!decision.ok) {
      // What is refused now may have been taken before, and be what the conversation is busy with.
      const before = options.key === undefined ? undefined : await this.log.findKey(options.key)
      return before === undefined ? decision : begunBefore(this.log, before, item)
    }
    // A driver may be busy with what this message takes the place of.
    if (decision.events.length > 0) this.#drive?.wake()
    if (decision.events.some(({ type }) => type === 'turn.started')) return { ok: true, turnId: plan.turnId }
    const { turn } = this.log.state
    if (turn.phase === 'rest' || decision.events.length > 0) {
      if (caller) this.#callers.waits(caller)
      return { ok: true, turnId: undefined, ...waiting(this.log, item) }
    }
    if (caller && !this.#drive) this.#callers.takes(turn.turnId, caller)
    return { ok: true, turnId: turn.turnId }
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

function eventsOf(decision: Decision): { readonly events: readonly EventBody[]; readonly decision: Decision } {
  return { events: decision.ok ? decision.events : [], decision }
}
