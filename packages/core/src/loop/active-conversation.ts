/**
 * A conversation in this process's memory. Commands go in, are decided on the newest state and appended; one driver at a
 * time does what follows (`ActiveLog` has the phases). A session is the public face of one, and a runtime keeps many.
 */
import { HoldpointError } from '../failure.ts'
import { Briefs } from '../hooks/before-message.ts'
import type { Frame } from '../live/frame.ts'
import type { LogEvent } from '../log/log-event.ts'
import { UNKNOWN_AUTHOR, userMessage } from '../log/message.ts'
import { noScope } from '../tool/context.ts'
import { decideCancel, decideSend, findCall, type Refusal } from '../turn/decide.ts'
import { lookAt, type Resolution } from '../turn/hold.ts'
import type { ResolveAnswer, Verdict } from '../turn/resolve.ts'
import type { Conversation, Effect } from '../turn/turn-state.ts'
import { giveUpAbsent } from './absence.ts'
import { ActiveLog } from './active-log.ts'
import type { Agent } from './agent.ts'
import { answerQuestion } from './answer-question.ts'
import { BackgroundWork } from './background-work.ts'
import { begunBefore, ownTurn, type Begun, type Waits } from './begun.ts'
import { cancelledBy } from './cancel-on.ts'
import { judge, readResolution } from './check-resolution.ts'
import { checkContent, checkOptions, checkResolveOptions } from './check-send.ts'
import type { ConversationLog } from './conversation-log.ts'
import { ConversationPerformer } from './conversation-performer.ts'
import { decided } from './decided.ts'
import { InOrder } from './in-order.ts'
import { outputOf } from './output.ts'
import { firePlans, settleExpired } from './overdue.ts'
import type { Performer } from './performer.ts'
import { resultOf, type TurnResult } from './result.ts'
import type { ResolveOptions, SendOptions } from './session-options.ts'
import { scopeFor, TurnCallers } from './turn-callers.ts'
import { planTurn, type TurnContext } from './turn-context.ts'
import { kept, ofTurn, settingsOf, toolSettings, type TurnSettings } from './turn-settings.ts'
import { checkWhose } from './whose.ts'
import type { Relay, World } from './world.ts'

export type CancelAnswer =
  | { readonly ok: true }
  | { readonly ok: false; readonly refusal: Refusal; readonly message: string }

export class ActiveConversation extends ActiveLog<Conversation, Effect, ConversationLog> {
  readonly agent: Agent
  readonly #callers = new TurnCallers()
  /** Answers on their way into the log. */
  readonly #answering = new Set<Promise<ResolveAnswer>>()
  readonly #background: BackgroundWork
  readonly #briefs = new Briefs()
  /** Messages of this process are appended in the order in which they were sent. */
  readonly #order = new InOrder()
  readonly #relay: Relay | undefined
  /** Given with the message that the turn is about. */
  #settings: TurnSettings

  constructor(agent: Agent, log: ConversationLog, world: World, settings: TurnSettings = {}) {
    super(log, world)
    this.agent = agent
    this.#settings = ofTurn(log.state, settings)
    this.#relay = world.relay(log.address)
    this.#background = new BackgroundWork((error) => this.#report(error, agent.ports.problem))
  }

  override appended(event: LogEvent): void {
    if (event.type === 'call.held') this.world.wakeAt(lookAt(event.hold))
    if (event.type === 'plan.set') this.world.wakeAt(event.plan.nextAt)
    if (event.type === 'plan.fired' && event.next !== undefined) this.world.wakeAt(event.next)
    super.appended(event)
  }

  override wrote(events: readonly LogEvent[]): void {
    this.world.wrote(events, this.log.state, this.log.address)
  }

  /** Sends a message, or none, and drives until the turn is over or a hold is open. */
  async run(
    given: { readonly content: unknown } | undefined,
    options: SendOptions,
    goOn: (ownTurn: () => string | undefined) => Promise<void>,
  ): Promise<TurnResult> {
    checkOptions(options)
    const answered = await answerQuestion(given, options, this)
    if (answered && !answered.ok) return this.refused(answered.refusal, answered.message)
    const said = answered ? undefined : given
    const context = this.#context(options, said ? {} : this.#settings)
    const watching = this.audience.admit(options.watch)
    try {
      const begin = (): Promise<Begun & Waits> => this.#begin(said, options, context)
      const begun = await (said ? this.#order.run(begin) : begin())
      if (!begun.ok) return this.refused(begun.refusal, begun.message)
      const own = (): string | undefined => ownTurn(this.log, begun)
      // A signal is about the caller's own turn, not about one that took its place or waits behind it.
      await cancelledBy(
        options.signal,
        () => this.#cancel(own()),
        () => goOn(own),
      )
      watching?.check()
      if (begun.waitsAt !== undefined) await this.log.reachBack(begun.waitsAt)
      await this.log.reachTurn(own())
      const result = this.#result(own())
      return result.output === undefined ? result : { ...result, output: await outputOf(result, context.output) }
    } finally {
      watching?.leave()
      this.#callers.leaves(context)
    }
  }

  /** Appends a message and returns: the owner drives the turn. */
  async submit(content: unknown, options: SendOptions): Promise<Begun> {
    checkOptions(options)
    const answered = await answerQuestion({ content }, options, this)
    if (answered && !answered.ok) return answered
    const said = answered ? undefined : { content }
    const begin = (): Promise<Begun & Waits> => this.#begin(said, options, undefined)
    const { waitsAt: _waitsAt, ...begun } = await (said ? this.#order.run(begin) : begin())
    return begun
  }

  async resolve(callId: string, resolution: Resolution, options: ResolveOptions, key?: string): Promise<ResolveAnswer> {
    checkResolveOptions(options)
    const answering = this.#resolve(callId, resolution, options, key)
    this.#answering.add(answering)
    try {
      return await answering
    } finally {
      this.#answering.delete(answering)
    }
  }

  async #resolve(
    callId: string,
    resolution: Resolution,
    options: ResolveOptions,
    key: string | undefined,
  ): Promise<ResolveAnswer> {
    const read = readResolution(resolution, options)
    if ('why' in read) return { verdict: 'invalid', message: read.why }
    if (typeof callId !== 'string') return { verdict: 'unknown', message: 'The id of a call is text.' }
    await settleExpired(this.log, this.agent.ports)
    this.wake()
    const changed = await this.log.change(async () => {
      const command = { ...read, callId, now: this.agent.ports.now() }
      const scope = options.scope ?? this.world.scope(this.log.address, options.by, UNKNOWN_AUTHOR)
      const context = this.#context(scope ? { scope } : {}, this.#settings)
      const call = await this.log.find(callId)
      return { ...(await judge(call, command, context)), ...(call && { recalled: [call] }) }
    }, key)
    if ('repeated' in changed) return { verdict: 'duplicate', message: 'A message with this key was taken already.' }
    const { events, recalled: _recalled, ...told } = changed
    if (events.length > 0) this.wake()
    return told
  }

  /** Settles every hold whose deadline has come, and fires every plan that is due. */
  async expire(): Promise<void> {
    await this.log.refresh()
    await this.#settleByClock()
    this.wake()
  }

  async #settleByClock(): Promise<void> {
    await settleExpired(this.log, this.agent.ports)
    await firePlans(this.log, this.agent.ports)
  }

  protected override async settleDue(): Promise<void> {
    await this.#settleByClock()
    this.wake()
    const { world, log } = this
    const later = await giveUpAbsent(
      log,
      () => world.ports.now(),
      (tool, place = log.id) => world.clientSeenAt({ ...log.address, id: place }, tool),
    )
    if (later !== undefined) world.postpone(log.address, later)
  }

  async cancel(message: string | undefined): Promise<CancelAnswer> {
    if (message !== undefined && typeof message !== 'string')
      throw new HoldpointError('config-invalid', 'What cancel() says is text.')
    const { decision } = await this.log.change((state) => decided(decideCancel(state, message)))
    this.wake()
    return decision.ok ? { ok: true } : decision
  }

  refused(reason: Refusal | Verdict, message: string): TurnResult {
    return { ...this.#result(undefined), status: 'refused', reason, message }
  }

  /** Turns that no caller waits for run with what the log knows. A caller's own turn runs with what that caller gave. */
  protected override performer(): Performer<Conversation, Effect> {
    return new ConversationPerformer(this.#context({}), this.#callers)
  }

  /** An answer that was on its way when the driver saw nothing left to do may be in the log by now. */
  protected override async answersOnTheirWay(): Promise<void> {
    if (this.#answering.size > 0) await Promise.allSettled(this.#answering)
  }

  protected override get busy(): boolean {
    return this.#background.busy
  }

  override drain(): void {
    super.drain()
    this.#background.leave()
  }

  /** Until this turn is over, or only people, clients and outside services can go on. */
  turnOver(ownTurn: () => string | undefined): Promise<void> {
    return this.quiet(({ turn }) => {
      const turnId = turn.phase === 'rest' ? undefined : turn.turnId
      return ownTurn() !== undefined && ownTurn() !== turnId
    })
  }

  /** Writes what the caller wants, and tells which turn is the caller's: none when its message waits. */
  async #begin(
    said: { readonly content: unknown } | undefined,
    options: SendOptions,
    caller: TurnContext | undefined,
  ): Promise<Begun & Waits> {
    if (!said && this.isDriven && this.log.drivable && this.log.state.turn.phase !== 'rest')
      // A caller that only waits for a turn that is driven here need not ask the store: the driver reads what is newer.
      return { ok: true, turnId: this.log.state.turn.turnId }
    const item = said && ({ kind: 'message', message: userMessage(checkContent(said.content), options.by) } as const)
    const { whileBusy: wanted = 'answer' } = options
    const whileBusy = wanted === 'answer' ? this.agent.whileBusy : wanted
    const plan = planTurn(caller ?? this.#context(options))
    // Before it is written: a driver may meet the turn at once.
    if (caller) this.#callers.takes(plan.turnId, caller)
    let waitsAt: number | undefined
    const changed = await this.log.change((state) => {
      if (this.world.oneAgent) checkWhose(this.log.id, state, this.agent.name)
      const send = decided(decideSend(state, { item, plan, whileBusy }))
      waitsAt = send.events[0]?.type === 'message.queued' ? state.seq + 1 : undefined
      if (caller && item && waitsAt !== undefined) this.#callers.waits(caller, waitsAt, item)
      return send
    }, options.key)
    if ('repeated' in changed) return begunBefore(this.log, changed.repeated, item)
    const { decision } = changed
    if (!decision.ok) {
      // What is refused now may have been taken before, and be what the conversation is busy with.
      const before = options.key === undefined ? undefined : await this.log.findKey(options.key)
      return before === undefined ? decision : begunBefore(this.log, before, item)
    }
    // A driver may be busy with what this message takes the place of.
    if (decision.events.length > 0) this.wake()
    const begins = decision.events.some(({ type }) => type === 'turn.started')
    if (begins) this.#settings = kept(options, plan.turnId, item ? {} : this.#settings)
    if (begins) return { ok: true, turnId: plan.turnId }
    if (waitsAt !== undefined) return { ok: true, turnId: undefined, waitsAt }
    const { turn } = this.log.state
    if (turn.phase === 'rest') {
      if (caller) this.#callers.goesOn(caller)
      return { ok: true, turnId: undefined }
    }
    this.#settings = kept(options, turn.turnId, this.#settings)
    if (caller && !this.isDriven) this.#callers.takes(turn.turnId, caller)
    return { ok: true, turnId: turn.turnId }
  }

  async #cancel(turnId: string | undefined): Promise<void> {
    await this.log.change((state) =>
      state.turn.phase === 'rest' || state.turn.turnId !== turnId ? {} : decided(decideCancel(state)),
    )
    this.wake()
  }

  #result(turnId: string | undefined): TurnResult {
    return resultOf(this.log.events, this.log.state, this.agent.mode, turnId)
  }

  #context(options: SendOptions, settings: TurnSettings = {}): TurnContext {
    const { agent, log, world } = this
    return {
      agent,
      log,
      scope: options.scope ?? noScope,
      given: options.scope,
      ...settingsOf(agent, options, settings),
      briefs: this.#briefs,
      term: () => world.term(),
      forTurn: (turn) => ({
        scope: world.scope(log.address, turn.by, turn.askedBy) ?? scopeFor(turn, options),
        ...(turn.turnId === this.#settings.turnId && toolSettings(agent, options, this.#settings)),
      }),
      later: (name, work) => this.#background.begin(name, work),
      deliver: (delivery) => world.deliver(log.address, delivery),
      problem: (error) => this.#report(error, options.onProblem ?? agent.ports.problem),
      watched: () => this.audience.watching || this.#relay?.watched(log.state) === true,
      emit: (frame) => this.#emit(frame),
    }
  }

  /** Progress that a handler reports after its call is over is dropped. */
  #emit(frame: Frame): void {
    if (frame.type === 'call-progress' && findCall(this.log.state, frame.callId)?.at !== 'running') return
    this.audience.show(frame)
    this.#relay?.show(frame, this.log.state, this.agent)
  }

  /** To the runtime. A session has none, so its caller is told. */
  #report(error: unknown, otherwise: ((error: unknown) => void) | undefined): void {
    try {
      if (this.world.problem) this.world.problem(error, this.log.address)
      else otherwise?.(error)
    } catch {
      // A listener that throws stops nothing here.
    }
  }
}
