/**
 * Conversations in a store, addressed by their ids. There are no handles: any process that opened the same store may
 * send, answer, cancel and watch, and what was accepted goes on by itself, here or elsewhere, now or after a restart.
 */
import { AUDIT, recordOf, type AuditRecord } from '../audit/audit.ts'
import { explain, type Explanation } from '../audit/explain.ts'
import { HoldpointError } from '../failure.ts'
import type { Json } from '../json.ts'
import { agentOfLog } from '../log/agent-log.ts'
import type { View } from '../live/view-shape.ts'
import type { LogEvent } from '../log/log-event.ts'
import type { Address, Page } from '../log/store.ts'
import type { Agent } from '../loop/agent.ts'
import type { Begun } from '../loop/begun.ts'
import type { ActiveConversation, CancelAnswer } from '../loop/active-conversation.ts'
import type { StreamItem } from '../loop/live-stream.ts'
import { checkOptions as checkSendOptions } from '../loop/check-send.ts'
import { OtherMachine } from '../loop/log.ts'
import { checkWhose } from '../loop/whose.ts'
import { resultOf, type TurnResult } from '../loop/result.ts'
import type { Content, ResolveOptions } from '../loop/session-options.ts'
import { SPACE } from '../log/space-event.ts'
import type { Resolution } from '../turn/hold.ts'
import type { ResolveAnswer } from '../turn/resolve.ts'
import { emptyConversation } from '../turn/turn-state.ts'
import {
  checkBy,
  checkFilter,
  checkId,
  checkLimit,
  checkNotSpace,
  checkOptions,
  checkSeq,
  checkSignal,
  checkTenant,
  checkToolNames,
  LIST,
  OPTIONS,
  PENDING,
} from './check-request.ts'
import { checkRuntimeOptions } from './check-runtime.ts'
import { Engine } from './engine.ts'
import { knownCall, type KnownCall } from './known-call.ts'
import { earlierTurns, newestTurns } from './page.ts'
import { pending } from './pending.ts'
import type {
  ListedConversation,
  ListFilter,
  PendingFilter,
  PendingHold,
  RuntimeOptions,
  RuntimeSendOptions,
} from './runtime-options.ts'

export class ConversationRuntime {
  readonly #engine: Engine
  readonly #tenant: string

  protected constructor(engine: Engine, tenant: string) {
    this.#engine = engine
    this.#tenant = tenant
  }

  static async open(options: RuntimeOptions): Promise<ConversationRuntime> {
    checkRuntimeOptions('A runtime', options)
    return new ConversationRuntime(await Engine.start(options), '')
  }

  /** The same runtime for one tenant: it sees nothing of any other. */
  tenant(name: string): ConversationRuntime {
    return new ConversationRuntime(this.#engine, checkTenant(name))
  }

  /** Makes a place before anything is said. Sending to a new id does it too. */
  async create(options: { readonly id?: string; readonly agent?: string; readonly by?: string } = {}): Promise<string> {
    const { id = this.#engine.ports.id(), agent: wanted } = checkOptions(options, OPTIONS.create)
    checkNotSpace(wanted)
    const by = checkBy(options.by)
    await this.#use(id, wanted, undefined, ({ log, agent }) =>
      log.change((state) => {
        checkWhose(id, state, agent.name)
        if (state.seq > 0) return {}
        return { events: [{ type: 'conversation.opened', agent: agent.name, ...(by !== undefined && { by }) }] }
      }),
    )
    return id
  }

  /** Sends a message, and waits until the turn is over or a hold is open. The turn goes on if the caller stops waiting. */
  send(id: string, content: Content, options: RuntimeSendOptions = {}): Promise<TurnResult> {
    return this.#run(id, { content }, options)
  }

  /** Sends a message. Once this resolves, the message is durable and a process works on it. */
  async submit(id: string, content: Content, options: RuntimeSendOptions = {}): Promise<Begun> {
    const { agent, sender, ...rest } = checkSend(id, options)
    return this.#use(id, agent, sender, (active) => active.submit(content, rest)).catch((error: unknown) => {
      if (error instanceof OtherMachine) return { ok: false, refusal: 'is-a-space', message: isSpace(id) }
      throw error
    })
  }

  /** Takes up again a turn that stopped early, or waits for the one that goes on. */
  async continue(id: string, options: RuntimeSendOptions = {}): Promise<TurnResult> {
    return this.#run(id, undefined, options)
  }

  /** The one door for answers. The verdict is true and durable when it comes; the turn goes on afterwards. */
  async resolve(
    id: string,
    callId: string,
    resolution: Resolution,
    options: ResolveOptions = {},
  ): Promise<ResolveAnswer> {
    checkOptions(options, OPTIONS.resolve)
    const told = await this.#engine.useExisting(this.#address(id), (active) =>
      active.resolve(callId, resolution, options),
    )
    return told ?? { verdict: 'unknown', message: missing(id) }
  }

  async approve(
    id: string,
    callId: string,
    options: ResolveOptions & { readonly input?: Json } = {},
  ): Promise<ResolveAnswer> {
    const { input, ...rest } = checkOptions(options, OPTIONS.approve)
    return this.resolve(id, callId, input === undefined ? { kind: 'approve' } : { kind: 'approve', input }, rest)
  }

  reject(id: string, callId: string, reason?: string, options: ResolveOptions = {}): Promise<ResolveAnswer> {
    return this.resolve(id, callId, reason === undefined ? { kind: 'reject' } : { kind: 'reject', reason }, options)
  }

  /** `value` must be JSON, and fit what the tool says it gives. */
  answer(id: string, callId: string, value: unknown, options: ResolveOptions = {}): Promise<ResolveAnswer> {
    return this.resolve(id, callId, { kind: 'answer', value: value as Json }, options)
  }

  /** The executor could not carry out the call: the model reads why. */
  fail(id: string, callId: string, error: string, options: ResolveOptions = {}): Promise<ResolveAnswer> {
    return this.resolve(id, callId, { kind: 'answer', error }, options)
  }

  /**
   * Says that a client is there which can carry these tools out, until what it resolves to is called. Calls of tools with
   * a `grace` fail when no client has been connected for that long, in any process.
   */
  async attend(id: string, tools: readonly string[]): Promise<() => Promise<void>> {
    const address = this.#address(id)
    const names = checkToolNames(tools)
    if (this.#engine.closing) throw new HoldpointError('closed', 'This runtime was closed. Open another one.')
    return this.#engine.clients.attend(address, names)
  }

  /** Ends the turn from whatever state it is in, with a result behind every call. */
  async cancel(id: string, message?: string): Promise<CancelAnswer> {
    const told = await this.#engine.useExisting(this.#address(id), (active) => active.cancel(message))
    return told ?? { ok: false, refusal: 'nothing-to-cancel', message: missing(id) }
  }

  /** Open holds, oldest first. This is a query to the store: nothing is kept in memory for it. */
  async pending(filter: PendingFilter = {}): Promise<Page<PendingHold>> {
    const query = { ...checkFilter(filter, PENDING), tenant: this.#tenant }
    return pending(this.#engine.store, query, (error, address) => this.#engine.problem(error, address))
  }

  /** A call that waits or has ever waited, by its id. With several conversations that have it, say which. */
  async call(callId: string, options: { readonly conversationId?: string } = {}): Promise<KnownCall | undefined> {
    const { conversationId: id } = checkOptions(options, OPTIONS.call)
    const where = id === undefined ? id : this.#address(id).id
    return knownCall(this.#engine.store, this.#tenant, checkId('The id of a call', callId), where)
  }

  /** Conversations, newest first. Spaces have a list of their own; where they are left out, a page may be short. */
  async list(filter: ListFilter = {}): Promise<Page<ListedConversation>> {
    const page = await this.#engine.store.list({ ...checkFilter(filter, LIST), tenant: this.#tenant })
    const rows = page.items.filter(({ agent }) => agent !== SPACE)
    return { ...page, items: await this.#engine.firstWords.with(this.#tenant, rows) }
  }

  /** What a person sees of it: the newest turns, or with `before` the ones that come before that seq (`view.from`). */
  async view(
    id: string,
    options: { readonly turns?: number; readonly before?: number } = {},
  ): Promise<View | undefined> {
    const { store } = this.#engine
    const turns = checkLimit(checkOptions(options, OPTIONS.view).turns ?? 20)
    const address = this.#address(id)
    if (options.before === undefined) return newestTurns(store, address, turns)
    return earlierTurns(store, address, turns, checkSeq('before', options.before))
  }

  /**
   * Why the model said what it said: what it was shown in each step of a turn, and what was left out. The newest turn
   * unless another is named; undefined when there is none.
   */
  async explain(id: string, turnId?: string): Promise<Explanation | undefined> {
    if (turnId !== undefined) checkId('The id of a turn', turnId)
    return this.#engine.useExisting(this.#address(id), ({ agent, log }) =>
      explain(this.#engine.store, log.address, agent, turnId),
    )
  }

  /** What exactly the model was sent, the last first: for agents that keep an audit. Ask on with the last one's seq. */
  async audit(
    id: string,
    options: { readonly before?: number; readonly limit?: number } = {},
  ): Promise<readonly (AuditRecord & { readonly seq: number })[]> {
    const { before, limit } = checkOptions(options, OPTIONS.audit)
    const query = {
      kind: AUDIT,
      limit: checkLimit(limit ?? 20),
      ...(before !== undefined && { before: checkSeq('before', before) }),
    }
    const notes = await this.#engine.store.notes(this.#address(id), query)
    return notes.flatMap((note) => {
      const record = recordOf(note)
      return record ? [{ ...record, seq: note.seq }] : []
    })
  }

  /** The events after a seq, in order. Ask on with the last one's seq. */
  async events(id: string, after = 0, limit?: number): Promise<readonly LogEvent[]> {
    return this.#engine.store.read(this.#address(id), checkSeq('after', after), checkLimit(limit))
  }

  /** Every event after a seq, once and in order, then whatever happens; with live frames where it is driven here. */
  subscribe(
    id: string,
    options: { readonly after?: number; readonly signal?: AbortSignal } = {},
  ): AsyncIterableIterator<StreamItem, undefined> {
    const { after = 0, signal } = checkOptions(options, OPTIONS.subscribe)
    const address = this.#address(id)
    if (this.#engine.closing) throw new HoldpointError('closed', 'This runtime was closed. Open another one.')
    const { subscribers, logs } = this.#engine
    return subscribers.add(address, checkSeq('after', after), logs.peek(address), checkSignal(signal))
  }

  /** Finishes work under way, or hands it over. Open holds stay open. */
  close(): Promise<void> {
    return this.#engine.close()
  }

  async #run(
    id: string,
    said: { readonly content: unknown } | undefined,
    given: RuntimeSendOptions,
  ): Promise<TurnResult> {
    const { agent, sender, ...options } = checkSend(id, given)
    // A caller for whom no scope can be made is told so before anything is written.
    this.#engine.scope(this.#address(id), options.by)
    const work = async (active: ActiveConversation): Promise<TurnResult> => {
      checkSender(active.agent, sender)
      return active.run(said, options, (ownTurn) => active.turnOver(ownTurn))
    }
    if (said)
      return this.#engine.use(this.#address(id), agent, work).catch((error: unknown) => {
        if (error instanceof OtherMachine) return refused('is-a-space', isSpace(id))
        throw error
      })
    return (await this.#engine.useExisting(this.#address(id), work, agent)) ?? nothingToContinue(id)
  }

  async #use<T>(
    id: string,
    agent: string | undefined,
    sender: symbol | undefined,
    work: (active: ActiveConversation) => Promise<T>,
  ): Promise<T> {
    return this.#engine.use(this.#address(id), agent, async (active) => {
      checkSender(active.agent, sender)
      return work(active)
    })
  }

  #address(id: string): Address {
    return { tenant: this.#tenant, id: checkId('The id of a conversation', id) }
  }
}

/** The agent is the one that the decision is made for: it refuses a conversation of any other. */
function checkSender({ name, sender }: Agent, given: symbol | undefined): void {
  if (sender !== undefined && sender !== given)
    throw new HoldpointError(
      'config-invalid',
      `Agent "${name}" takes no messages from here: only the code that made it may send to it.`,
    )
}

function missing(id: string): string {
  return `There is no conversation "${id}".`
}

function nothingToContinue(id: string): TurnResult {
  return refused('nothing-to-continue', missing(id))
}

function refused(reason: 'nothing-to-continue' | 'is-a-space', message: string): TurnResult {
  return { ...resultOf([], emptyConversation, 'auto'), status: 'refused', reason, message }
}

function isSpace(id: string): string {
  return `"${id}" is a space, where no agent answers by itself. Post to it instead.`
}

function checkSend(id: string, options: RuntimeSendOptions): RuntimeSendOptions {
  const { agent, sender: _sender, ...rest } = checkOptions(options, OPTIONS.send)
  checkSendOptions(rest)
  checkNotSpace(agent)
  if (options.key === undefined) return options
  const key = checkId('A key', options.key)
  // An autonomous agent's log has keys of our own, for its inbox: a caller's key must not equal one of them.
  return agentOfLog(id) === undefined ? options : { ...options, key: `said:${key}` }
}
