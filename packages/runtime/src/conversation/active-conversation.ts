/**
 * A conversation in the memory of this process. Each command is decided on the newest state, and its events are appended;
 * one driver at a time does the work that follows (`ActiveLog` has the phases). A session has one, a runtime has many.
 */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { BeforeMessageResults } from '../hooks/before-message.ts'
import type { Frame } from '@holdpoint/core/internal/live/frame'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import { UNKNOWN_AUTHOR } from '@holdpoint/core/internal/log/message'
import { principalOf, type Principal } from '@holdpoint/core/internal/principal'
import { noScope } from '@holdpoint/core/internal/tool/context'
import { decideCancel, decideSend } from '@holdpoint/core/internal/turn/decide'
import { refuseErased } from '@holdpoint/core/internal/turn/erased'
import { findCall } from '@holdpoint/core/internal/turn/find-call'
import { accept, type Decision, type Refusal } from '@holdpoint/core/internal/turn/decision'
import { lookAt, type Resolution } from '@holdpoint/core/internal/turn/hold'
import type { ResolveResult, Verdict } from '@holdpoint/core/internal/turn/verdict'
import { askersOf } from '@holdpoint/core/internal/turn/call'
import { refuseStranger } from '@holdpoint/core/internal/turn/people'
import type { Conversation, Effect } from '@holdpoint/core/internal/turn/turn-state'
import { expireClientGrace } from './expire-client-grace.ts'
import { ActiveLog } from '../log/active-log.ts'
import type { Agent } from '@holdpoint/core/internal/agent/agent'
import { answerQuestion } from './answer-question.ts'
import { BackgroundWork } from '../drive/background-work.ts'
import { hasTurnOf, turnOfMessage, type MessageTaken, type TurnOfMessage } from './turn-of-message.ts'
import { cancelOnSignal } from './cancel-on-signal.ts'
import { absenceOf } from './absence.ts'
import { checkResolution } from './check-resolution.ts'
import { readResolution } from './read-resolution.ts'
import { checkSendOptions, checkResolveOptions } from './check-send.ts'
import type { ConversationLog } from './conversation-log.ts'
import { ConversationPerformer } from './conversation-performer.ts'
import { messageItem } from './message-item.ts'
import { withEvents } from '../log/decision-events.ts'
import { SerialQueue } from '../log/serial-queue.ts'
import { isRuleOf, outputOf, type OutputRule } from '@holdpoint/core/internal/agent/output'
import { expireHolds, remindApprovers } from './expire-holds.ts'
import { fireDuePlans } from './fire-due-plans.ts'
import { answerIdempotencyKey, refusedOrRepeated } from './idempotency-key.ts'
import { reportProblem } from '../drive/report-problem.ts'
import type { Performer } from '../drive/performer.ts'
import { resultOf, type TurnResult } from '../session/result.ts'
import type { ResolveOptions, SendOptions } from '../session/session-options.ts'
import { scopeFor, TurnCallers } from './turn-callers.ts'
import { planTurn, type TurnContext } from './turn-context.ts'
import { kept, ofTurn, settingsOf, toolSettings, type TurnSettings } from './turn-settings.ts'
import { checkConversationAgent } from './conversation-agent.ts'
import { filesOf } from './files-of.ts'
import type { Relay, LogHost } from '../drive/log-host.ts'

export type CancelResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly refusal: Refusal; readonly message: string }

export class ActiveConversation extends ActiveLog<Conversation, Effect, ConversationLog> {
  readonly agent: Agent
  readonly #callers = new TurnCallers()
  /** Resolutions that are being appended. */
  readonly #answering = new Set<Promise<ResolveResult>>()
  readonly #background: BackgroundWork
  readonly #beforeMessage = new BeforeMessageResults()
  /** Messages of this process are appended in the order in which they were sent. */
  readonly #order = new SerialQueue()
  readonly #relay: Relay | undefined
  readonly #metered: Agent
  /** The settings that came with the message of the turn. */
  #settings: TurnSettings

  constructor(agent: Agent, log: ConversationLog, host: LogHost, settings: TurnSettings = {}) {
    super(log, host)
    this.agent = agent
    this.#settings = ofTurn(log.state, settings)
    this.#relay = host.relay(log.address)
    this.#metered = host.quotas?.metered(log.address, agent) ?? agent
    this.#background = new BackgroundWork((error) => reportProblem(host, log.address, error, agent.ports.problem))
  }

  override appended(event: LogEvent): void {
    if (event.type === 'call.held') this.host.wakeAt(lookAt(event.hold))
    if (event.type === 'plan.set') this.host.wakeAt(event.plan.nextAt)
    if (event.type === 'plan.fired' && event.next !== undefined) this.host.wakeAt(event.next)
    super.appended(event)
  }

  override wrote(events: readonly LogEvent[]): void {
    this.host.wrote(events, this.log.state, this.log.address)
  }

  /** Sends a message, or none, and drives until the turn is over or a hold is open. */
  async run(
    given: { readonly content: unknown } | undefined,
    options: SendOptions,
    goOn: (ownTurn: () => string | undefined) => Promise<void>,
  ): Promise<TurnResult> {
    checkSendOptions(options)
    const answered = await answerQuestion(given, options, this)
    if (answered && !answered.ok) return this.refused(answered.refusal, answered.message)
    const said = answered ? undefined : given
    const context = this.#context(options, said ? {} : this.#settings)
    const watching = this.watchers.admit(options.watch)
    try {
      const begin = (): Promise<MessageTaken> => this.#begin(said, options, context)
      const begun = await (said ? this.#order.run(begin) : begin())
      if (!begun.ok) return this.refused(begun.refusal, begun.message)
      const own = (): string | undefined => turnOfMessage(this.log, begun)
      const { loss } = this
      // The caller's signal cancels the caller's own turn, and no other one.
      await cancelOnSignal(
        options.signal,
        () => this.#cancelTurn(own()),
        () => goOn(own),
      )
      watching?.check()
      if (this.loss !== loss && !(await hasTurnOf(this.log, begun))) throw this.loss
      return await this.#resultOf(begun, context.output)
    } finally {
      watching?.leave()
      this.#callers.leaves(context)
    }
  }

  /** Appends a message and returns: the owner drives the turn. */
  async submit(content: unknown, options: SendOptions): Promise<MessageTaken> {
    checkSendOptions(options)
    const answered = await answerQuestion({ content }, options, this)
    if (answered && !answered.ok) return answered
    const begin = (): Promise<MessageTaken> => this.#begin(answered ? undefined : { content }, options, undefined)
    return answered ? begin() : this.#order.run(begin)
  }

  /** Waits until the turn of a message is over or a hold is open. Undefined when the log has no such turn. */
  async settled(message: TurnOfMessage): Promise<TurnResult | undefined> {
    // A driver in this process reads what other processes append. Without one, the state here may be old.
    if (!this.isDriven || !this.log.drivable) await this.log.refresh()
    if (message.waitsAt !== undefined) await this.log.reachBack(message.waitsAt)
    await this.turnOver(() => turnOfMessage(this.log, message))
    const result = await this.#resultOf(message, this.agent.output)
    const known = message.turnId === undefined || this.log.startOf(message.turnId) || this.log.state.erased
    return known ? result : undefined
  }

  async resolve(callId: string, resolution: Resolution, options: ResolveOptions, key?: string): Promise<ResolveResult> {
    checkResolveOptions(options)
    const answering = this.#resolve(callId, resolution, options, key)
    this.#answering.add(answering)
    return answering.finally(() => this.#answering.delete(answering))
  }

  async #resolve(
    callId: string,
    resolution: Resolution,
    options: ResolveOptions,
    key: string | undefined,
  ): Promise<ResolveResult> {
    const read = readResolution(resolution, options)
    if ('why' in read) return { verdict: 'invalid', message: read.why }
    if (typeof callId !== 'string') return { verdict: 'unknown', message: 'The id of a call must be a string.' }
    await expireHolds(this.log, this.agent.ports)
    this.wake()
    const changed = await this.log.change(async (state) => {
      // A caller who takes no part here resolves only holds that name it.
      const kinds = refuseStranger(state, read.by) && { kinds: [] }
      const scope = options.scope ?? this.host.scope(this.log.address, read.by?.id, UNKNOWN_AUTHOR)
      const context = this.#context(scope ? { scope } : {}, this.#settings)
      const call = await this.log.find(callId)
      const absent = await absenceOf(this.host, this.log.address, state, read.by, askersOf(call))
      const command = { ...read, ...kinds, absent, callId, now: this.agent.ports.now() }
      return { ...(await checkResolution(call, command, context)), ...(call && { recalled: [call] }) }
    }, key)
    if ('repeated' in changed) return { verdict: 'duplicate', message: 'A message with this key was taken already.' }
    const { events, recalled: _recalled, ...told } = changed
    if (events.length > 0) this.wake()
    return told
  }

  /** Expires holds whose deadline has passed, and fires plans that are due. */
  async expire(): Promise<void> {
    await this.log.refresh()
    await this.#settleByClock()
    this.wake()
  }

  async #settleByClock(): Promise<void> {
    await expireHolds(this.log, this.agent.ports)
    await remindApprovers(this.log, this.agent.ports)
    await fireDuePlans(this.log, this.agent.ports)
  }

  protected override async settleDue(): Promise<void> {
    await this.#settleByClock()
    this.wake()
    const { host, log } = this
    const later = await expireClientGrace(
      log,
      () => host.ports.now(),
      (tool, id = log.id) => host.clientSeenAt({ ...log.address, id }, tool),
    )
    if (later !== undefined) host.postpone(log.address, later)
  }

  /** Changes an open hold without resolving it. */
  async changeHold(decide: (state: Conversation, now: number) => Decision): Promise<CancelResult> {
    await this.#settleByClock()
    return this.change((state) => decide(state, this.agent.ports.now()))
  }

  async cancel(message: string | undefined, by?: Principal): Promise<CancelResult> {
    if (message !== undefined && typeof message !== 'string')
      throw new HoldpointError('config-invalid', 'The message of cancel() must be a string.')
    return this.change((state) => decideCancel(state, message, by))
  }

  async #cancelTurn(turnId: string | undefined): Promise<void> {
    await this.change((state) =>
      state.turn.phase === 'rest' || state.turn.turnId !== turnId ? accept() : decideCancel(state),
    )
  }

  async change(decide: (state: Conversation) => Decision): Promise<CancelResult> {
    const { decision } = await this.log.change((state) => withEvents(refuseErased(state) ?? decide(state)))
    this.wake()
    return decision.ok ? { ok: true } : decision
  }

  refused(reason: Refusal | Verdict, message: string): TurnResult {
    return { ...this.#result(undefined), status: 'refused', reason, message }
  }

  /** For turns without a caller in this process. A caller's own turn runs with the scope and tools that the caller gave. */
  protected override performer(): Performer<Conversation, Effect> {
    return new ConversationPerformer(this.#context({}), this.#callers)
  }

  /** A resolution that was being appended when the driver ended may have started new work. */
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

  /** Waits until this turn is over, or waits for a person, a client or another service. */
  turnOver(ownTurn: () => string | undefined): Promise<void> {
    return this.quiet(({ turn }) => {
      const turnId = turn.phase === 'rest' ? undefined : turn.turnId
      return ownTurn() !== undefined && ownTurn() !== turnId
    })
  }

  /** Appends the caller's message, or takes up the turn again. Returns the caller's turn. */
  async #begin(
    said: { readonly content: unknown } | undefined,
    options: SendOptions,
    caller: TurnContext | undefined,
  ): Promise<MessageTaken> {
    if (!said && this.isDriven && this.log.drivable && this.log.state.turn.phase !== 'rest')
      // The caller only waits for a turn that this process drives: the driver reads what others append.
      return { ok: true, turnId: this.log.state.turn.turnId }
    const read = said && messageItem(said.content, options, filesOf(this.host, this.log.address, this.agent))
    const item = read instanceof Promise ? await read : read
    if (item && 'refusal' in item) return item
    const { whileBusy: wanted = 'answer' } = options
    const whileBusy = wanted === 'answer' ? this.agent.whileBusy : wanted
    const plan = planTurn(caller ?? this.#context(options))
    // Before the append: a driver may start the turn at once.
    if (caller) this.#callers.takes(plan.turnId, caller)
    let waitsAt: number | undefined
    const changed = await this.log.change((state) => {
      if (this.host.oneAgent) checkConversationAgent(this.log.id, state, this.agent.name)
      const send = withEvents(decideSend(state, { item, plan, whileBusy, by: principalOf(options.by) }))
      waitsAt = send.events[0]?.type === 'message.queued' ? state.seq + 1 : undefined
      if (caller && item && waitsAt !== undefined) this.#callers.waits(caller, waitsAt, item)
      return send
    }, options.key)
    if ('repeated' in changed) return answerIdempotencyKey(this.log, changed.repeated, item)
    const { decision } = changed
    if (!decision.ok) return refusedOrRepeated(this.log, options.key, item, decision)
    // A driver may be busy with the turn that this message superseded.
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

  /** If the turn has the schema of `rule`, the rule checks the output again, for its defaults and transforms. */
  async #resultOf(message: TurnOfMessage, rule: OutputRule | undefined): Promise<TurnResult> {
    const erased = refuseErased(this.log.state)
    if (erased) return this.refused(erased.refusal, erased.message)
    if (message.waitsAt !== undefined) await this.log.reachBack(message.waitsAt)
    const turnId = turnOfMessage(this.log, message)
    await this.log.reachTurn(turnId)
    const result = this.#result(turnId)
    const plan = this.log.startOf(turnId)?.output
    if (result.output === undefined || !plan || !rule || !isRuleOf(rule, plan)) return result
    return { ...result, output: await outputOf(result, rule) }
  }

  #result(turnId: string | undefined): TurnResult {
    return resultOf(this.log.events, this.log.state, this.agent.mode, turnId)
  }

  #context(options: SendOptions, settings: TurnSettings = {}): TurnContext {
    const { agent, log, host } = this
    return {
      agent: this.#metered,
      log,
      scope: options.scope ?? noScope,
      given: options.scope,
      ...settingsOf(agent, options, settings),
      beforeMessage: this.#beforeMessage,
      term: () => host.term(),
      files: filesOf(host, log.address, agent),
      rules: host.rules,
      forTurn: (turn) => ({
        scope: host.scope(log.address, turn.by, turn.askedBy) ?? scopeFor(turn, options),
        ...(turn.turnId === this.#settings.turnId && toolSettings(agent, options, this.#settings)),
      }),
      later: (name, work) => this.#background.begin(name, work),
      tellsNews: host.tellsNews,
      deliver: (delivery) => host.deliver(log.address, delivery),
      problem: (error) => reportProblem(host, log.address, error, options.onProblem ?? agent.ports.problem),
      watched: () => this.watchers.watching || this.#relay?.watched(log.state) === true,
      emit: (frame) => this.#emit(frame),
      traceparent: (run) => host.traceparent({ address: log.address, ...run }),
    }
  }

  /** Drops progress that a handler reports after the end of its call. */
  #emit(frame: Frame): void {
    if (frame.type === 'call-progress' && findCall(this.log.state, frame.callId)?.at !== 'running') return
    this.watchers.show(frame)
    this.#relay?.show(frame, this.log.state, this.agent)
  }
}
