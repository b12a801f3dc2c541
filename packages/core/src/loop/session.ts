/**
 * One conversation in this process, with everything that can be said to it. A session is its log: `JSON.stringify` it
 * at any halt, open it elsewhere, go on. Whoever answers a hold is told the truth before anything else happens.
 */
import { HoldpointError } from '../failure.ts'
import type { Json } from '../json.ts'
import type { EventBody, LogEvent } from '../log/log-event.ts'
import { userMessage, type UserPart } from '../log/message.ts'
import { memoryStore, type Store } from '../log/store.ts'
import { systemScope, type Scope } from '../tool/context.ts'
import type { StandardSchema } from '../tool/schema.ts'
import { decideCancel, decideExpire, decideSend, type Decision, type Refusal, type WhileBusy } from '../turn/decide.ts'
import type { Resolution } from '../turn/hold.ts'
import { decideResolve, type ResolveAnswer } from '../turn/resolve.ts'
import type { Conversation } from '../turn/turn-state.ts'
import type { Agent } from './agent.ts'
import { checkResolution, shapeOf } from './check-resolution.ts'
import { drive, type Drive } from './drive.ts'
import { LiveStream, type StreamItem, type Watch } from './live-stream.ts'
import { Log } from './log.ts'
import { outputRule, type OutputRequest } from './output.ts'
import { openHolds, resultOf, type HeldCall, type TurnResult } from './result.ts'
import { readSession, type SessionData } from './session-data.ts'
import { planTurn, type World } from './world.ts'

export interface SendOptions {
  readonly scope?: Scope
  readonly requestId?: string
  readonly signal?: AbortSignal
  /** Who says it. */
  readonly by?: string
  readonly whileBusy?: WhileBusy
  readonly maxSteps?: number
  readonly output?: StandardSchema | OutputRequest
  readonly structuredFinalize?: boolean
  /** Shown every frame and event of this work, as it happens. */
  readonly watch?: Watch
}

export type Content = string | readonly UserPart[]
export type SessionStatus = 'idle' | 'awaiting_tools' | 'awaiting_user' | 'completed' | 'error'
export type ChatResult = TurnResult & { readonly session: Session }

/** Saved data, as `JSON.parse` gives it back; or a store, with the id of a conversation in it. */
export type OpenFrom = { readonly data?: unknown; readonly store?: never; readonly id?: string } | { readonly data?: never; readonly store: Store; readonly id: string }

export class Session {
  readonly agent: Agent
  readonly #log: Log
  #drive: Drive | undefined
  readonly #watchers = new Set<Watch>()

  private constructor(agent: Agent, log: Log) {
    this.agent = agent
    this.#log = log
    log.listen((event) => this.#show(event))
  }

  /** From nothing, from saved data, or from a conversation in a store. */
  static async open(agent: Agent, from: OpenFrom = {}): Promise<Session> {
    const data = from.data === undefined ? undefined : readSession(from.data)
    const id = from.id ?? data?.id ?? agent.ports.id()
    const store = from.store ?? memoryStore(data && [[id, data.events]])
    return new Session(agent, await Log.open(id, store, agent.ports))
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
    if (turn.phase === 'calls') return this.holds.some(({ kind }) => kind === 'approval' || kind === 'elicitation') ? 'awaiting_user' : 'awaiting_tools'
    if (turn.phase === 'model' || !turn.last) return 'idle'
    const { reason } = turn.last
    if (reason === 'completed') return 'completed'
    return reason === 'model_failed' || reason === 'interrupted' || reason === 'output_invalid' ? 'error' : 'idle'
  }

  /** Says something and goes on until rest, or until somebody outside must answer. */
  send(content: Content, options: SendOptions = {}): Promise<ChatResult> {
    return this.#run(content, options, false)
  }

  /** The same as `send`, to iterate. */
  stream(content: Content, options: SendOptions = {}): LiveStream<ChatResult> {
    return streamOf((watching) => this.send(content, watching), options)
  }

  /** One model call and the calls it asks for, then back to the caller. Without content: the next one of this turn. */
  step(content?: Content, options: SendOptions = {}): Promise<ChatResult> {
    return this.#run(content, options, true)
  }

  /** Goes on with what was answered since, or takes up again a turn that stopped early. */
  continue(options: SendOptions = {}): Promise<ChatResult> {
    return this.#run(undefined, options, false)
  }

  /** The same as `continue`, to iterate. */
  continueStream(options: SendOptions = {}): LiveStream<ChatResult> {
    return streamOf((watching) => this.continue(watching), options)
  }

  /** The one door for answers. The verdict is true and durable when it comes; the turn goes on afterwards. */
  async resolve(callId: string, resolution: Resolution, options: { readonly by?: string } = {}): Promise<ResolveAnswer> {
    const wrong = shapeOf(resolution)
    if (wrong) return { verdict: 'invalid', message: wrong }
    await this.expire()
    const answer = await this.#log.change(async () => {
      const call = this.#log.find(callId)
      const command = { callId, resolution, by: options.by, now: this.agent.ports.now() }
      const decision = decideResolve(call, command)
      if (decision.verdict !== 'accepted' || !call) return decision
      const checked = await checkResolution(call, command, this.#world({}))
      return 'verdict' in checked ? checked : decideResolve(call, checked)
    })
    if (answer.events.length > 0) this.#drive?.wake()
    const { events: _events, ...told } = answer
    return told
  }

  approve(callId: string, options: { readonly by?: string; readonly input?: Json } = {}): Promise<ResolveAnswer> {
    const { by, input } = options
    return this.resolve(callId, input === undefined ? { kind: 'approve' } : { kind: 'approve', input }, by === undefined ? {} : { by })
  }

  reject(callId: string, reason?: string, options: { readonly by?: string } = {}): Promise<ResolveAnswer> {
    return this.resolve(callId, reason === undefined ? { kind: 'reject' } : { kind: 'reject', reason }, options)
  }

  answer(callId: string, value: Json, options: { readonly by?: string } = {}): Promise<ResolveAnswer> {
    return this.resolve(callId, { kind: 'answer', value }, options)
  }

  /** The result of a call that was handed to the caller (manual mode, client or external tools). */
  submitToolResult(callId: string, result: Json, options: { readonly by?: string } = {}): Promise<ResolveAnswer> {
    return this.answer(callId, result, options)
  }

  /** Answers the question a tool asked, and goes on; with no question open it is an ordinary message. */
  async reply(text: string, options: SendOptions = {}): Promise<ChatResult> {
    const asked = this.holds.find(({ kind }) => kind === 'elicitation')
    if (!asked) return this.send(text, options)
    const { verdict, message } = await this.answer(asked.callId, text, options.by === undefined ? {} : { by: options.by })
    if (verdict !== 'accepted') throw new HoldpointError('config-invalid', `The question of "${asked.name}" was not answered: ${message}`)
    return this.continue(options)
  }

  /** Settles every hold whose deadline has come. Driving does this too; a store's timers will. */
  async expire(): Promise<void> {
    const { now } = this.agent.ports
    for (const { callId, expiresAt } of this.holds) {
      if (now() >= expiresAt) await this.#log.change((state) => eventsOf(decideExpire(state, callId, now())))
    }
    this.#drive?.wake()
  }

  /** Ends the turn from whatever state it is in, with a result behind every call. */
  async cancel(message?: string): Promise<{ readonly ok: true } | { readonly ok: false; readonly refusal: Refusal; readonly message: string }> {
    const { decision } = await this.#log.change((state) => eventsOf(decideCancel(state, message)))
    this.#drive?.wake()
    return decision.ok ? { ok: true } : decision
  }

  toJSON(): SessionData {
    return { version: 1, id: this.id, events: this.events }
  }

  async #run(content: Content | undefined, options: SendOptions, oneStep: boolean): Promise<ChatResult> {
    const { watch } = options
    if (watch) this.#watchers.add(watch)
    try {
      const world = this.#world(options)
      const item = content === undefined ? undefined : ({ kind: 'message', message: userMessage(content, options.by) } as const)
      const whileBusy = options.whileBusy ?? this.agent.whileBusy
      const { decision } = await this.#log.change((state) => eventsOf(decideSend(state, { item, plan: planTurn(world), whileBusy })))
      if (!decision.ok) return this.#refused(decision)
      await this.#driveOn(world, options, oneStep)
      return { ...resultOf(this.events, this.state, this.agent.mode), session: this }
    } finally {
      if (watch) this.#watchers.delete(watch)
    }
  }

  /** One driver at a time: whoever comes while it works wakes it, and waits for it to finish. */
  async #driveOn(world: World, { signal }: SendOptions, oneStep: boolean): Promise<void> {
    if (this.#drive) {
      this.#drive.wake()
      return this.#drive.done
    }
    this.#drive = drive(world, { signal, oneStep })
    try {
      await this.#drive.done
    } finally {
      this.#drive = undefined
    }
  }

  #refused({ refusal, message }: Extract<Decision, { ok: false }>): ChatResult {
    return { ...resultOf(this.events, this.state, this.agent.mode), status: 'refused', reason: refusal, message, session: this }
  }

  #world(options: SendOptions): World {
    const { agent } = this
    const finalize = options.structuredFinalize ?? agent.structuredFinalize
    return {
      agent,
      log: this.#log,
      scope: options.scope ?? systemScope,
      requestId: options.requestId,
      output: outputRule(options.output ?? agent.output, finalize, agent.ports.compileJsonSchema),
      maxSteps: options.maxSteps ?? agent.maxSteps,
      watched: () => this.#watchers.size > 0,
      emit: (frame) => this.#show(frame),
    }
  }

  #show(item: StreamItem): void {
    for (const watch of this.#watchers) watch(item)
  }
}

/** Work that can be watched, as something to iterate; the caller's own watcher sees the same. */
export function streamOf(work: (options: SendOptions) => Promise<ChatResult>, options: SendOptions): LiveStream<ChatResult> {
  return new LiveStream((show) => {
    const { watch } = options
    if (!show) return work(options)
    return work({ ...options, watch: watch ? (item) => (show(item), watch(item)) : show })
  })
}

function eventsOf(decision: Decision): { readonly events: readonly EventBody[]; readonly decision: Decision } {
  return { events: decision.ok ? decision.events : [], decision }
}
