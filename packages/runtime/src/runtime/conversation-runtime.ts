/**
 * Conversations in a store, addressed by their ids. There are no handles: any process that opened the same store may send,
 * answer, cancel and subscribe. Accepted work continues without the caller, in this process or another, also after a
 * restart.
 */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { Json } from '@holdpoint/core/internal/json'
import type { Agent } from '@holdpoint/core/internal/agent/agent'
import type { MessageTaken, TurnOfMessage } from '../conversation/turn-of-message.ts'
import type { ActiveConversation, CancelResult } from '../conversation/active-conversation.ts'
import { OtherMachine } from '../log/other-machine.ts'
import { checkConversationAgent } from '../conversation/conversation-agent.ts'
import { resultOf, type TurnResult } from '../session/result.ts'
import type { AssignOptions, Content, HoldOptions, ResolveOptions } from '../session/session-options.ts'
import type { Resolution } from '@holdpoint/core/internal/turn/hold'
import { decideParticipants } from '@holdpoint/core/internal/turn/people'
import type { ResolveResult } from '@holdpoint/core/internal/turn/verdict'
import { emptyConversation } from '@holdpoint/core/internal/turn/turn-state'
import {
  checkId,
  checkNotSpace,
  checkRequestOptions,
  checkSend,
  checkSeq,
  checkTenant,
  checkToolNames,
  OPTIONS,
} from './check-request.ts'
import { checkPrincipal } from '../conversation/check-principal.ts'
import { actorOf, principalOf, type Principal } from '@holdpoint/core/internal/principal'
import { checkRuntimeOptions } from './check-runtime.ts'
import { Engine } from '../node/engine.ts'
import { erase, eraseRequest } from './erase.ts'
import { fork, type ForkOptions, type ForkResult } from './fork.ts'
import { handOver, type HandOverOptions, type HandOverResult } from './hand-over.ts'
import { assignment, comment, type HoldChange } from './hold-changes.ts'
import { importConversations, type ImportOptions, type ImportResult } from './import-conversations.ts'
import { replayConversation, replayMany, type ReplayOptions } from './replay.ts'
import type { ReplayedTurn } from '../replay/replay-turn.ts'
import { participantChange, type ParticipantOptions } from './participants.ts'
import type { RuntimeCallback, RuntimeEvents } from './callbacks.ts'
import type { EraseOptions, ListFilter, RuntimeOptions, RuntimeSendOptions } from './runtime-options.ts'
import { ConversationQueries } from './conversation-queries.ts'

export class ConversationRuntime extends ConversationQueries {
  /** The tenant whose events `on` tells; undefined: every tenant's. */
  readonly #hears: string | undefined

  protected constructor(engine: Engine, tenantName: string, hears: string | undefined) {
    super(engine, tenantName)
    this.#hears = hears
  }

  static async open(options: RuntimeOptions): Promise<ConversationRuntime> {
    checkRuntimeOptions('A runtime', options)
    return new ConversationRuntime(await Engine.start(options), '', undefined)
  }

  /** The same runtime for one tenant. It has no access to other tenants. */
  tenant(name: string): ConversationRuntime {
    return new ConversationRuntime(this.engine, checkTenant(name), name)
  }

  /**
   * Calls a function with each event of this name that this process writes, after it is durable and at most once. The runtime
   * of one tenant tells only of that tenant. Returns a function that ends it. An error in the callback goes to `onProblem`.
   * What happened before, or in another process, is not told: `pending()` has every open hold.
   */
  on<E extends keyof RuntimeEvents>(name: E, callback: RuntimeCallback<E>): () => void {
    return this.engine.callbacks.on(name, callback, this.#hears)
  }

  /** Creates a conversation without a message. Sending to a new id creates it too. */
  async create(
    options: { readonly id?: string; readonly agent?: string; readonly by?: string | Principal } = {},
  ): Promise<string> {
    const { id = this.engine.ports.id(), agent: wanted } = checkRequestOptions(options, OPTIONS.create)
    checkNotSpace(wanted)
    const by = checkPrincipal(options.by)
    await this.engine.quotas.admitWrite(this.address(id))
    await this.#use(id, wanted, undefined, ({ log, agent }) =>
      log.change((state) => {
        checkConversationAgent(id, state, agent.name)
        if (state.seq > 0) return {}
        return { events: [{ type: 'conversation.opened', agent: agent.name, ...actorOf(principalOf(by)) }] }
      }),
    )
    return id
  }

  /** Sends a message, and waits until the turn is over or a hold is open. The turn goes on if the caller stops waiting. */
  send(id: string, content: Content, options: RuntimeSendOptions = {}): Promise<TurnResult> {
    return this.#run(id, { content }, options)
  }

  /** Sends a message and returns. Once this resolves, the message is durable, and a process works on it. */
  async submit(id: string, content: Content, options: RuntimeSendOptions = {}): Promise<MessageTaken> {
    const { agent, sender, ...rest } = checkSend(id, options)
    await this.engine.quotas.admitMessage(this.address(id))
    return this.#use(id, agent, sender, (active) => active.submit(content, rest)).catch((error: unknown) => {
      if (error instanceof OtherMachine) return { ok: false, refusal: 'is-a-space', message: isSpace(id) }
      throw error
    })
  }

  /**
   * Waits until the turn of a message is over or a hold is open. `message` is what `submit` returned. Undefined when
   * there is no such turn.
   */
  async settled(id: string, message: TurnOfMessage): Promise<TurnResult | undefined> {
    const { turnId, waitsAt } = message
    if (turnId !== undefined) checkId('The id of a turn', turnId)
    if (waitsAt !== undefined) checkSeq('waitsAt', waitsAt)
    return this.engine.useExisting(this.address(id), (active) => active.settled(message))
  }

  /** Starts a turn again that stopped early, or waits for the turn in progress. */
  async continue(id: string, options: RuntimeSendOptions = {}): Promise<TurnResult> {
    return this.#run(id, undefined, options)
  }

  /** Resolves a hold. The verdict is durable when this resolves; the turn continues afterwards. */
  async resolve(
    id: string,
    callId: string,
    resolution: Resolution,
    options: ResolveOptions = {},
  ): Promise<ResolveResult> {
    checkRequestOptions(options, OPTIONS.resolve)
    const told = await this.engine.useExisting(this.address(id), (active) =>
      active.resolve(callId, resolution, options),
    )
    return told ?? { verdict: 'unknown', message: missing(id) }
  }

  async approve(
    id: string,
    callId: string,
    options: ResolveOptions & { readonly input?: Json } = {},
  ): Promise<ResolveResult> {
    const { input, ...rest } = checkRequestOptions(options, OPTIONS.approve)
    return this.resolve(id, callId, input === undefined ? { kind: 'approve' } : { kind: 'approve', input }, rest)
  }

  reject(id: string, callId: string, reason?: string, options: ResolveOptions = {}): Promise<ResolveResult> {
    return this.resolve(id, callId, reason === undefined ? { kind: 'reject' } : { kind: 'reject', reason }, options)
  }

  /** `value` must be JSON, and match the tool's output schema or the question. */
  answer(id: string, callId: string, value: unknown, options: ResolveOptions = {}): Promise<ResolveResult> {
    return this.resolve(id, callId, { kind: 'answer', value: value as Json }, options)
  }

  /** Settles the call with an error of its executor, which the model reads. */
  fail(id: string, callId: string, error: string, options: ResolveOptions = {}): Promise<ResolveResult> {
    return this.resolve(id, callId, { kind: 'answer', error }, options)
  }

  /** Assigns an open hold to a person; default: `by`. Others see the assignee, and may still resolve the hold. */
  async assign(
    id: string,
    callId: string,
    { assignee, ...options }: AssignOptions & { readonly assignee?: string },
  ): Promise<CancelResult> {
    const who = assignee ?? principalOf(checkPrincipal(options.by))?.id
    return this.#changeHold(id, assignment(callId, who, options))
  }

  /** Removes the assignee of a hold. */
  async release(id: string, callId: string, options: AssignOptions): Promise<CancelResult> {
    return this.#changeHold(id, assignment(callId, undefined, options))
  }

  /**
   * Hands over every open hold that is assigned to a person who left: to another person, or to no one. For an operator, who
   * need not be an approver. It reads every open hold of the tenant.
   */
  handOver(person: string, options: HandOverOptions = {}): Promise<HandOverResult> {
    return handOver(this.engine, this.tenantName, person, options)
  }

  /** Adds a comment to an open hold, for the people who decide. The model does not read it. */
  async comment(id: string, callId: string, text: string, options: HoldOptions): Promise<CancelResult> {
    return this.#changeHold(id, comment(callId, text, options))
  }

  async #changeHold(id: string, change: HoldChange): Promise<CancelResult> {
    const told = await this.engine.useExisting(this.address(id), (active) => active.changeHold(change))
    return told ?? { ok: false, refusal: 'hold-not-open', message: missing(id) }
  }

  /**
   * Registers a connected client that can run these tools. Call the result when it disconnects. A call of a tool with a
   * `grace` fails when no such client has been connected for that long, in any process.
   */
  async attend(id: string, tools: readonly string[]): Promise<() => Promise<void>> {
    const address = this.address(id)
    const names = checkToolNames(tools)
    if (this.engine.closing) throw new HoldpointError('closed', 'This runtime was closed. Open another one.')
    return this.engine.clients.attend(address, names)
  }

  /** Cancels the turn in any state. Each open call gets a result. */
  async cancel(
    id: string,
    message?: string,
    options: { readonly by?: string | Principal } = {},
  ): Promise<CancelResult> {
    const by = principalOf(checkPrincipal(checkRequestOptions(options, OPTIONS.cancel).by))
    const told = await this.engine.useExisting(this.address(id), (active) => active.cancel(message, by))
    return told ?? { ok: false, refusal: 'nothing-to-cancel', message: missing(id) }
  }

  /**
   * Erases the conversation: its events, notes, holds and what is stored about it elsewhere. A tombstone remains, which
   * says when, by whom and why. `reason` is kept, so it must not contain what is erased. Refused while a turn is in
   * progress or a call is held, unless `cancel` is set. To erase it again changes nothing.
   */
  async erase(id: string, options: EraseOptions = {}): Promise<CancelResult> {
    return erase(this.engine, this.address(id), eraseRequest(options))
  }

  /**
   * Replays recorded turns with another agent, in memory: no tool runs, and nothing is written. Calls get the results that
   * the recorded turn has for the same input.
   */
  replay(id: string, options: ReplayOptions = {}): AsyncGenerator<ReplayedTurn, void, undefined> {
    return replayConversation(this.engine, this.address(id), options)
  }

  /** Replays the turns of many conversations. Pass what it yields to `replayReport`. */
  replayMany(
    options: ReplayOptions & { readonly filter?: Omit<ListFilter, 'after' | 'participant'> } = {},
  ): AsyncGenerator<ReplayedTurn, void, undefined> {
    return replayMany(this.engine, this.tenantName, options)
  }

  /**
   * Copies the conversation up to an event, under another id. Results that the log has stand, and nothing runs again:
   * the turn of the fork is over, and `continue` starts it.
   */
  async fork(id: string, options: ForkOptions = {}): Promise<ForkResult> {
    return fork(this.engine, this.tenantName, this.address(id).id, options)
  }

  /**
   * Imports an export, of this store or another one. `open` returns its lines, and is called twice: every line is checked
   * before anything is written.
   */
  async import(
    open: () => Iterable<string> | AsyncIterable<string>,
    options: ImportOptions = {},
  ): Promise<ImportResult> {
    return importConversations(this.engine, this.tenantName, open, checkRequestOptions(options, OPTIONS.import))
  }

  /** Adds people to a conversation, removes them, or gives it another owner. */
  async changeParticipants(id: string, options: ParticipantOptions): Promise<CancelResult> {
    const change = participantChange(options)
    const told = await this.engine.useExisting(this.address(id), (active) =>
      active.change((state) => decideParticipants(state, change)),
    )
    return told ?? { ok: false, refusal: 'not-allowed', message: missing(id) }
  }

  /** Finishes work under way, or hands it over. Open holds stay open. */
  close(): Promise<void> {
    return this.engine.close()
  }

  async #run(
    id: string,
    said: { readonly content: unknown } | undefined,
    given: RuntimeSendOptions,
  ): Promise<TurnResult> {
    const { agent, sender, ...options } = checkSend(id, given)
    // A caller for whom no scope can be made is told so before anything is written.
    this.engine.scope(this.address(id), principalOf(options.by)?.id)
    const work = async (active: ActiveConversation): Promise<TurnResult> => {
      checkSender(active.agent, sender)
      return active.run(said, options, (ownTurn) => active.turnOver(ownTurn))
    }
    if (said) await this.engine.quotas.admitMessage(this.address(id))
    if (said)
      return this.engine.use(this.address(id), agent, work).catch((error: unknown) => {
        if (error instanceof OtherMachine) return refused('is-a-space', isSpace(id))
        throw error
      })
    return (await this.engine.useExisting(this.address(id), work, agent)) ?? nothingToContinue(id)
  }

  async #use<T>(
    id: string,
    agent: string | undefined,
    sender: symbol | undefined,
    work: (active: ActiveConversation) => Promise<T>,
  ): Promise<T> {
    return this.engine.use(this.address(id), agent, async (active) => {
      checkSender(active.agent, sender)
      return work(active)
    })
  }
}

/** Refuses messages to an agent that accepts them only from the code that made it. */
function checkSender({ name, sender }: Agent, given: symbol | undefined): void {
  if (sender !== undefined && sender !== given)
    throw new HoldpointError(
      'config-invalid',
      `Agent "${name}" accepts no messages from this caller: only the code that made it may send to it.`,
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
  return `"${id}" is a space, not a conversation. Post a message to the space instead.`
}
