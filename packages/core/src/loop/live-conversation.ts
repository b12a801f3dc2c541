/**
 * A conversation that is worked on in this process: commands go in, are decided on the newest state and written, and
 * one driver at a time does what follows. A session is the face of it.
 */
import { HoldpointError } from '../failure.ts'
import type { EventBody } from '../log/log-event.ts'
import type { Frame } from '../live/frame.ts'
import { userMessage } from '../log/message.ts'
import { systemScope, type Scope } from '../tool/context.ts'
import { decideCancel, decideExpire, decideSend, findCall, type Decision, type Refusal } from '../turn/decide.ts'
import type { Resolution } from '../turn/hold.ts'
import type { ResolveAnswer, Verdict } from '../turn/resolve.ts'
import type { Agent } from './agent.ts'
import { Audience } from './audience.ts'
import { Callers } from './callers.ts'
import { judge, readResolution } from './check-resolution.ts'
import { checkContent, checkOptions } from './check-send.ts'
import { drive, type Drive } from './drive.ts'
import type { Log } from './log.ts'
import { outputOf, outputRule, type OutputRule } from './output.ts'
import { openHolds, resultOf, type TurnResult } from './result.ts'
import type { Content, ResolveOptions, SendOptions } from './session-options.ts'
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
  readonly #callers = new Callers()
  /** Answers on their way into the log. */
  readonly #answering = new Set<Promise<ResolveAnswer>>()
  #drive: Drive | undefined

  constructor(agent: Agent, log: Log) {
    this.agent = agent
    this.log = log
    log.listen((event) => this.audience.show(event))
  }

  /** Says something, or nothing, and goes on until rest, or until somebody outside must answer. */
  async run(
    said: { readonly content: unknown } | undefined,
    options: SendOptions,
    oneStep: boolean,
  ): Promise<TurnResult> {
    checkOptions(options)
    const content = said && checkContent(said.content)
    const world = this.#world(options)
    const watching = this.audience.admit(options.watch)
    try {
      const begun = await this.#begin(content, options, world)
      if ('refusal' in begun) return this.refused(begun.refusal, begun.message)
      const signal = options.signal && (await this.#cancelOn(options.signal, begun.turnId))
      try {
        await this.#driveOn(oneStep)
      } finally {
        await signal?.over()
      }
      watching?.check()
      const result = this.#result(begun.turnId)
      return result.output === undefined ? result : { ...result, output: await outputOf(result, world.output) }
    } finally {
      watching?.leave()
      this.#callers.leaves(world)
    }
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
    await this.expire()
    const answer = await this.log.change(async () => {
      const { hold } = options
      const command = { ...read, callId, now: this.agent.ports.now(), ...(hold !== undefined && { hold }) }
      return judge(this.log.find(callId), command, this.#world(options.scope ? { scope: options.scope } : {}))
    })
    if (answer.events.length > 0) this.#drive?.wake()
    const { events: _events, ...told } = answer
    return told
  }

  async expire(): Promise<void> {
    const { now } = this.agent.ports
    await this.log.refresh()
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

  /** Writes what the caller wants, and tells which turn is the caller's: none when its message waits. */
  async #begin(
    content: Content | undefined,
    options: SendOptions,
    world: World,
  ): Promise<{ readonly turnId: string | undefined } | Extract<Decision, { ok: false }>> {
    const item =
      content === undefined ? undefined : ({ kind: 'message', message: userMessage(content, options.by) } as const)
    const whileBusy = options.whileBusy ?? this.agent.whileBusy
    const plan = planTurn(world)
    // Before it is written: a driver may meet the turn at once.
    this.#callers.takes(plan.turnId, world)
    const { decision } = await this.log.change((state) => eventsOf(decideSend(state, { item, plan, whileBusy })))
    if (!decision.ok) return decision
    if (decision.events.some(({ type }) => type === 'turn.started')) return { turnId: plan.turnId }
    const { turn } = this.log.state
    if (turn.phase === 'rest' || decision.events.length > 0) {
      this.#callers.waits(world)
      return { turnId: undefined }
    }
    if (!this.#drive) this.#callers.takes(turn.turnId, world)
    return { turnId: turn.turnId }
  }

  /** A signal is about the caller's own turn, not about one that took its place or waits behind it. */
  async #cancelOn(signal: AbortSignal, turnId: string | undefined): Promise<{ over(): Promise<void> }> {
    let cancelling: Promise<void> | undefined
    const cancel = (): void => {
      cancelling = this.#cancel(turnId)
      cancelling.catch(() => {}) // `over` tells
    }
    if (signal.aborted) await this.#cancel(turnId)
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

  /** One driver at a time: whoever comes while it works wakes it, and waits for it to finish. */
  async #driveOn(oneStep: boolean): Promise<void> {
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
      // Whoever began to answer while the driver worked may be heard only after it saw nothing left to do.
      if (this.#answering.size > 0) await Promise.allSettled(this.#answering)
      if (!oneStep && this.log.state.seq !== seq) await this.#driveOn(oneStep)
    } finally {
      if (this.#drive === own) this.#drive = undefined
    }
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
      maxSteps: options.maxSteps ?? agent.maxSteps,
      watched: () => this.audience.watching,
      emit: (frame) => this.#emit(frame),
    }
  }

  /** What a handler says after its call is over is nobody's business any more. */
  #emit(frame: Frame): void {
    if (frame.type === 'call-progress' && findCall(this.log.state, frame.callId)?.at !== 'running') return
    this.audience.show(frame)
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
