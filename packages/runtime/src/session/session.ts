/**
 * One conversation in this process. A session is plain data: save it with `JSON.stringify` whenever it stops, and open it
 * in another process. Each answer to a hold gets an accurate verdict before the turn continues.
 */
import { noteOf } from '@holdpoint/core/internal/context/summary'
import type { Json } from '@holdpoint/core/internal/json'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import { memoryStore } from '@holdpoint/core/internal/log/memory-store'
import type { Note, Store } from '@holdpoint/core/internal/log/store'
import type { Resolution } from '@holdpoint/core/internal/turn/hold'
import type { ResolveResult } from '@holdpoint/core/internal/turn/verdict'
import type { Conversation } from '@holdpoint/core/internal/turn/turn-state'
import type { Agent } from '@holdpoint/core/internal/agent/agent'
import { checkOpen } from '../conversation/check-send.ts'
import { ActiveConversation, type CancelResult } from '../conversation/active-conversation.ts'
import { LiveStream } from './live-stream.ts'
import { ConversationLog } from '../conversation/conversation-log.ts'
import { openHolds, type HeldCall, type TurnResult } from './result.ts'
import { readSession, type SessionData } from './session-data.ts'
import { sessionHost } from '../drive/log-host.ts'
import type { Content, OpenSessionOptions, ResolveOptions, SendOptions } from './session-options.ts'

export type SessionStatus = 'idle' | 'awaiting_tools' | 'awaiting_user' | 'completed' | 'error'
export type ChatResult = TurnResult & { readonly session: Session }

export class Session {
  readonly #active: ActiveConversation

  private constructor(active: ActiveConversation) {
    this.#active = active
  }

  /** A new conversation. */
  static begin(agent: Agent): Session {
    return new Session(activeNew(agent, agent.ports.id(), memoryStore({ now: agent.ports.now, chain: false })))
  }

  /** Opens a new session, saved data, or a conversation in a store. */
  static async open(agent: Agent, from: OpenSessionOptions = {}): Promise<Session> {
    checkOpen(from)
    const { tools } = from
    const data = from.data === undefined ? undefined : readSession(from.data)
    const id = from.id ?? data?.id ?? agent.ports.id()
    const kept = data && { log: { id, ...logOf(data) } }
    const store = from.store ?? memoryStore({ now: agent.ports.now, chain: false, ...kept })
    const log = newLog(agent, id, store)
    await log.refresh()
    await log.reachBack(1)
    await log.summary()
    return new Session(new ActiveConversation(agent, log, sessionHost(store, agent.ports), tools && { tools }))
  }

  get agent(): Agent {
    return this.#active.agent
  }

  get id(): string {
    return this.#active.log.id
  }

  get events(): readonly LogEvent[] {
    return this.#active.log.events
  }

  get state(): Conversation {
    return this.#active.log.state
  }

  /** All open holds, including those of async calls of earlier turns. */
  get holds(): readonly HeldCall[] {
    return openHolds(this.#active.log.state)
  }

  get status(): SessionStatus {
    const { turn } = this.#active.log.state
    if (turn.phase === 'calls')
      return this.holds.some(({ kind }) => kind === 'approval' || kind === 'elicitation')
        ? 'awaiting_user'
        : 'awaiting_tools'
    if (turn.phase === 'model' || !turn.last) return 'idle'
    const { reason } = turn.last
    if (reason === 'completed') return 'completed'
    return reason === 'model_failed' || reason === 'interrupted' || reason === 'output_invalid' ? 'error' : 'idle'
  }

  /** Sends a message and drives until the turn is over or a hold is open. */
  send(content: Content, options: SendOptions = {}): Promise<ChatResult> {
    return this.#told(this.#active.run({ content }, options, () => this.#active.drive('all')))
  }

  /** The same as `send`, to iterate. */
  stream(content: Content, options: SendOptions = {}): LiveStream<ChatResult> {
    return streamOf((watching) => this.send(content, watching), options)
  }

  /** One model call and the tool calls it asks for. Without content: the next step of the turn. */
  step(content?: Content, options: SendOptions = {}): Promise<ChatResult> {
    return this.#told(
      this.#active.run(content === undefined ? undefined : { content }, options, () => this.#active.drive('one-step')),
    )
  }

  /** Continues the turn after answers, or starts a turn again that stopped early. */
  continue(options: SendOptions = {}): Promise<ChatResult> {
    return this.#told(this.#active.run(undefined, options, () => this.#active.drive('all')))
  }

  /** The same as `continue`, to iterate. */
  continueStream(options: SendOptions = {}): LiveStream<ChatResult> {
    return streamOf((watching) => this.continue(watching), options)
  }

  /** The newest progress of each running call, for watchers that come later. */
  get progress(): ReadonlyMap<string, Json> {
    return this.#active.watchers.progress
  }

  /** Resolves a hold. The verdict is durable when this resolves; the turn continues with `continue`. */
  resolve(callId: string, resolution: Resolution, options: ResolveOptions = {}): Promise<ResolveResult> {
    return this.#active.resolve(callId, resolution, options)
  }

  approve(callId: string, options: ResolveOptions & { readonly input?: Json } = {}): Promise<ResolveResult> {
    const { input, ...rest } = options
    return this.resolve(callId, input === undefined ? { kind: 'approve' } : { kind: 'approve', input }, rest)
  }

  reject(callId: string, reason?: string, options: ResolveOptions = {}): Promise<ResolveResult> {
    return this.resolve(callId, reason === undefined ? { kind: 'reject' } : { kind: 'reject', reason }, options)
  }

  /** `value` must be JSON, and match the tool's output schema or the question. */
  answer(callId: string, value: unknown, options: ResolveOptions = {}): Promise<ResolveResult> {
    return this.resolve(callId, { kind: 'answer', value: value as Json }, options)
  }

  /** Settles the call with an error of its executor, which the model reads. */
  fail(callId: string, error: string, options: ResolveOptions = {}): Promise<ResolveResult> {
    return this.resolve(callId, { kind: 'answer', error }, options)
  }

  /** The result of a call that was handed to the caller (manual mode, client or external tools). */
  submitToolResult(callId: string, result: unknown, options: ResolveOptions = {}): Promise<ResolveResult> {
    return this.answer(callId, result, options)
  }

  /** Answers the open question of a tool, and continues the turn. Without an open question, it sends a message. */
  async reply(text: string, options: SendOptions = {}): Promise<ChatResult> {
    const asked = this.holds.find(({ kind }) => kind === 'elicitation')
    if (!asked) return this.send(text, options)
    const { by, scope } = options
    const { verdict, message } = await this.answer(asked.callId, text, {
      ...(by !== undefined && { by }),
      ...(scope && { scope }),
    })
    return verdict === 'accepted'
      ? this.continue(options)
      : { ...this.#active.refused(verdict, message), session: this }
  }

  /** Expires holds whose deadline has passed. `send` and `continue` do this too. */
  expire(): Promise<void> {
    return this.#active.expire()
  }

  /** Cancels the turn in any state. Each open call gets a result. */
  cancel(message?: string): Promise<CancelResult> {
    return this.#active.cancel(message)
  }

  toJSON(): SessionData {
    const summary = this.#active.log.knownSummary
    return { version: 1, id: this.id, events: [...this.events], ...(summary && { summary }) }
  }

  #told(result: Promise<TurnResult>): Promise<ChatResult> {
    return result.then((told) => ({ ...told, session: this }))
  }
}

function logOf({ events, summary }: SessionData): {
  readonly events: readonly LogEvent[]
  readonly notes: readonly Note[]
} {
  return { events, notes: summary ? [noteOf(summary, events.at(-1)?.at ?? 0)] : [] }
}

function activeNew(agent: Agent, id: string, store: Store): ActiveConversation {
  return new ActiveConversation(agent, newLog(agent, id, store), sessionHost(store, agent.ports))
}

function newLog(agent: Agent, id: string, store: Store): ConversationLog {
  const rolledBack = (error: unknown): void => agent.ports.problem?.(error)
  return new ConversationLog({ tenant: '', id }, store, agent.ports, { whole: true, rolledBack })
}

/** Runs work when the stream is read. The caller's own `watch` gets the same items. */
export function streamOf(
  work: (options: SendOptions) => Promise<ChatResult>,
  options: SendOptions,
): LiveStream<ChatResult> {
  return new LiveStream((show) => {
    const { watch } = options
    return work({ ...options, watch: watch ? (item) => (show(item), watch(item)) : show })
  })
}
