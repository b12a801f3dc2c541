/**
 * One conversation in this process, with everything that can be said to it. A session is its log: `JSON.stringify` it
 * at any halt, open it elsewhere, go on. Whoever answers a hold is told the truth before anything else happens.
 */
import { HoldpointError } from '../failure.ts'
import type { Json } from '../json.ts'
import type { EventBody, LogEvent } from '../log/log-event.ts'
import { userMessage } from '../log/message.ts'
import { memoryStore } from '../log/store.ts'
import { systemScope } from '../tool/context.ts'
import { decideCancel, decideExpire, decideSend, type Decision, type Refusal } from '../turn/decide.ts'
import type { Resolution } from '../turn/hold.ts'
import type { ResolveAnswer, Verdict } from '../turn/resolve.ts'
import type { Conversation } from '../turn/turn-state.ts'
import type { Agent } from './agent.ts'
import { judge, readResolution } from './check-resolution.ts'
import { checkContent, checkOptions } from './check-send.ts'
import { Callers } from './callers.ts'
import { drive, type Drive } from './drive.ts'
import { LiveStream, watcher, type StreamItem, type Watch } from './live-stream.ts'
import { Log } from './log.ts'
import { outputOf, outputRule } from './output.ts'
import { openHolds, resultOf, type HeldCall, type TurnResult } from './result.ts'
import { readSession, type SessionData } from './session-data.ts'
import type { Content, OpenFrom, ResolveOptions, SendOptions } from './session-options.ts'
import { planTurn, type World } from './world.ts'

export type SessionStatus = 'idle' | 'awaiting_tools' | 'awaiting_user' | 'completed' | 'error'
export type ChatResult = TurnResult & { readonly session: Session }

export class Session {
  readonly agent: Agent
  readonly #log: Log
  #drive: Drive | undefined
  readonly #callers = new Callers()
  readonly #watchers = new Set<Watch>()
  readonly #progress = new Map<string, Json>()

  private constructor(agent: Agent, log: Log) {
    this.agent = agent
    this.#log = log
    log.listen((event) => {
      if (event.type === 'call.settled') this.#progress.delete(event.callId)
      this.#show(event)
    })
  }

  /** A conversation that nobody knows of yet. */
  static begin(agent: Agent): Session {
    return new Session(agent, new Log(agent.ports.id(), memoryStore(), agent.ports))
  }

  /** From nothing, from saved data, or from a conversation in a store. */
  static async open(agent: Agent, from: OpenFrom = {}): Promise<Session> {
    const data = from.data === undefined ? undefined : readSession(from.data)
    const id = from.id ?? data?.id ?? agent.ports.id()
    const log = new Log(id, from.store ?? memoryStore(data && [[id, data.events]]), agent.ports)
    if (data || from.store) await log.refresh()
    return new Session(agent, log)
  }

  get id(): string {
    return this.#log.id
  }

  get events(): readonly LogEvent[] {
    return this.#log.events
  }

  get state(): Conversation {
    return this.#log.state
  }

  /** Everything that waits for somebody outside, async calls of earlier turns included. */
  get holds(): readonly HeldCall[] {
    return openHolds(this.#log.state)
  }

  get status(): SessionStatus {
    const { turn } = this.#log.state
    if (turn.phase === 'calls')
      return this.holds.some(({ kind }) => kind === 'approval' || kind === 'elicitation')
        ? 'awaiting_user'
        : 'awaiting_tools'
    if (turn.phase === 'model' || !turn.last) return 'idle'
    const { reason } = turn.last
    if (reason === 'completed') return 'completed'
    return reason === 'model_failed' || reason === 'interrupted' || reason === 'output_invalid' ? 'error' : 'idle'
  }

  /** Says something and goes on until rest, or until somebody outside must answer. */
  send(content: Content, options: SendOptions = {}): Promise<ChatResult> {
    return this.#run({ content }, options, false)
  }

  /** The same as `send`, to iterate. */
  stream(content: Content, options: SendOptions = {}): LiveStream<ChatResult> {
    return streamOf((watching) => this.send(content, watching), options)
  }

  /** One model call and the calls it asks for, then back to the caller. Without content: the next one of this turn. */
  step(content?: Content, options: SendOptions = {}): Promise<ChatResult> {
    return this.#run(content === undefined ? undefined : { content }, options, true)
  }

  /** Goes on with what was answered since, or takes up again a turn that stopped early. */
  continue(options: SendOptions = {}): Promise<ChatResult> {
    return this.#run(undefined, options, false)
  }

  /** The same as `continue`, to iterate. */
  continueStream(options: SendOptions = {}): LiveStream<ChatResult> {
    return streamOf((watching) => this.continue(watching), options)
  }

  /** The newest progress of each running call, for whoever comes to watch late. */
  get progress(): ReadonlyMap<string, Json> {
    return this.#progress
  }

  /** The one door for answers. The verdict is true and durable when it comes; the turn goes on afterwards. */
  async resolve(callId: string, resolution: Resolution, options: ResolveOptions = {}): Promise<ResolveAnswer> {
    const read = readResolution(resolution, options.by)
    if ('why' in read) return { verdict: 'invalid', message: read.why }
    if (typeof callId !== 'string') return { verdict: 'unknown', message: 'The id of a call is text.' }
    await this.expire()
    const answer = await this.#log.change(async () => {
      const command = { ...read, callId, now: this.agent.ports.now() }
      return judge(this.#log.find(callId), command, this.#world(options.scope ? { scope: options.scope } : {}))
    })
    if (answer.events.length > 0) this.#drive?.wake()
    const { events: _events, ...told } = answer
    return told
  }

  approve(callId: string, options: ResolveOptions & { readonly input?: Json } = {}): Promise<ResolveAnswer> {
    const { input, ...rest } = options
    return this.resolve(callId, input === undefined ? { kind: 'approve' } : { kind: 'approve', input }, rest)
  }

  reject(callId: string, reason?: string, options: ResolveOptions = {}): Promise<ResolveAnswer> {
    return this.resolve(callId, reason === undefined ? { kind: 'reject' } : { kind: 'reject', reason }, options)
  }

  answer(callId: string, value: Json, options: ResolveOptions = {}): Promise<ResolveAnswer> {
    return this.resolve(callId, { kind: 'answer', value }, options)
  }

  /** Whoever was to carry the call out could not: the model reads why. */
  fail(callId: string, error: string, options: ResolveOptions = {}): Promise<ResolveAnswer> {
    return this.resolve(callId, { kind: 'answer', error }, options)
  }

  /** The result of a call that was handed to the caller (manual mode, client or external tools). */
  submitToolResult(callId: string, result: Json, options: ResolveOptions = {}): Promise<ResolveAnswer> {
    return this.answer(callId, result, options)
  }

  /** Answers the question a tool asked, and goes on; with no question open it is an ordinary message. */
  async reply(text: string, options: SendOptions = {}): Promise<ChatResult> {
    const asked = this.holds.find(({ kind }) => kind === 'elicitation')
    if (!asked) return this.send(text, options)
    const { by, scope } = options
    const { verdict, message } = await this.answer(asked.callId, text, {
      ...(by !== undefined && { by }),
      ...(scope && { scope }),
    })
    return verdict === 'accepted' ? this.continue(options) : this.#refused(verdict, message)
  }

  /** Settles every hold whose deadline has come. Driving does this too; a store's timers will. */
  async expire(): Promise<void> {
    const { now } = this.agent.ports
    await this.#log.refresh()
    for (const { callId, expiresAt } of this.holds) {
      if (now() >= expiresAt) await this.#log.change((state) => eventsOf(decideExpire(state, callId, now())))
    }
    this.#drive?.wake()
  }

  /** Ends the turn from whatever state it is in, with a result behind every call. */
  async cancel(
    message?: string,
  ): Promise<{ readonly ok: true } | { readonly ok: false; readonly refusal: Refusal; readonly message: string }> {
    if (message !== undefined && typeof message !== 'string')
      throw new HoldpointError('config-invalid', 'What cancel() says is text.')
    const { decision } = await this.#log.change((state) => eventsOf(decideCancel(state, message)))
    this.#drive?.wake()
    return decision.ok ? { ok: true } : decision
  }

  toJSON(): SessionData {
    return { version: 1, id: this.id, events: [...this.events] }
  }

  async #run(
    said: { readonly content: unknown } | undefined,
    options: SendOptions,
    oneStep: boolean,
  ): Promise<ChatResult> {
    checkOptions(options)
    const content = said && checkContent(said.content)
    const world = this.#world(options)
    const watching = watcher(options.watch)
    if (watching) this.#watchers.add(watching.show)
    try {
      const begun = await this.#begin(content, options, world)
      if ('refusal' in begun) return this.#refused(begun.refusal, begun.message)
      const signal = options.signal && (await this.#cancelOn(options.signal, begun.turnId))
      try {
        await this.#driveOn(world, options, oneStep)
      } finally {
        await signal?.over()
      }
      watching?.check()
      const result = resultOf(this.events, this.state, this.agent.mode, begun.turnId)
      const output = result.output === undefined ? undefined : await outputOf(result, world.output)
      return { ...result, output, session: this }
    } finally {
      if (watching) this.#watchers.delete(watching.show)
      this.#callers.leaves(world)
    }
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
    if (item && this.holds.length > 0) await this.expire() // a message is not refused for the sake of a hold whose time is up
    // Before it is written: a driver may meet the turn at once.
    this.#callers.takes(plan.turnId, world)
    const { decision } = await this.#log.change((state) => eventsOf(decideSend(state, { item, plan, whileBusy })))
    if (!decision.ok) return decision
    if (decision.events.some(({ type }) => type === 'turn.started')) return { turnId: plan.turnId }
    const { turn } = this.state
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
    await this.#log.change((state) =>
      state.turn.phase === 'rest' || state.turn.turnId !== turnId ? {} : eventsOf(decideCancel(state)),
    )
    this.#drive?.wake()
  }

  /** One driver at a time: whoever comes while it works wakes it, and waits for it to finish. */
  async #driveOn(
    world: World,
    { output: _output, structuredFinalize: _finalize, maxSteps: _steps, ...others }: SendOptions,
    oneStep: boolean,
  ): Promise<void> {
    if (this.#drive?.wake()) return this.#drive.done
    const special = _output !== undefined || _finalize !== undefined || _steps !== undefined
    const own = drive(special ? this.#world(others) : world, this.#callers, { oneStep })
    this.#drive = own
    try {
      await own.done
    } finally {
      if (this.#drive === own) this.#drive = undefined
    }
  }

  #refused(reason: Refusal | Verdict, message: string): ChatResult {
    return { ...resultOf(this.events, this.state, this.agent.mode), status: 'refused', reason, message, session: this }
  }

  #world(options: SendOptions): World {
    const { agent } = this
    const output = options.output ?? agent.output
    const finalize = options.structuredFinalize ?? agent.structuredFinalize
    return {
      agent,
      log: this.#log,
      scope: options.scope ?? systemScope,
      requestId: options.requestId,
      output: output && outputRule(output, finalize, agent.ports.compileJsonSchema),
      maxSteps: options.maxSteps ?? agent.maxSteps,
      watched: () => this.#watchers.size > 0,
      emit: (frame) => {
        if (frame.type === 'call-progress') this.#progress.set(frame.callId, frame.value)
        this.#show(frame)
      },
    }
  }

  #show(item: StreamItem): void {
    for (const watch of this.#watchers) watch(item)
  }
}

/** Work that can be watched, as something to iterate; the caller's own watcher sees the same. */
export function streamOf(
  work: (options: SendOptions) => Promise<ChatResult>,
  options: SendOptions,
): LiveStream<ChatResult> {
  return new LiveStream((show) => {
    const { watch } = options
    return work({ ...options, watch: watch ? (item) => (show(item), watch(item)) : show })
  })
}

function eventsOf(decision: Decision): { readonly events: readonly EventBody[]; readonly decision: Decision } {
  return { events: decision.ok ? decision.events : [], decision }
}
