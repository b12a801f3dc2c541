/**
 * One conversation in this process, with everything that can be said to it. A session is its log: `JSON.stringify` it
 * at any halt, open it elsewhere, go on. Every answer to a hold gets an accurate verdict before the turn goes on.
 */
import { noteOf } from '../context/summary.ts'
import type { Json } from '../json.ts'
import type { LogEvent } from '../log/log-event.ts'
import { memoryStore } from '../log/memory-store.ts'
import type { Note, Store } from '../log/store.ts'
import type { Resolution } from '../turn/hold.ts'
import type { ResolveAnswer } from '../turn/resolve.ts'
import type { Conversation } from '../turn/turn-state.ts'
import type { Agent } from './agent.ts'
import { checkOpen } from './check-send.ts'
import { ActiveConversation, type CancelAnswer } from './active-conversation.ts'
import { LiveStream } from './live-stream.ts'
import { ConversationLog } from './conversation-log.ts'
import { openHolds, type HeldCall, type TurnResult } from './result.ts'
import { readSession, type SessionData } from './session-data.ts'
import { sessionWorld } from './world.ts'
import type { Content, OpenFrom, ResolveOptions, SendOptions } from './session-options.ts'

export type SessionStatus = 'idle' | 'awaiting_tools' | 'awaiting_user' | 'completed' | 'error'
export type ChatResult = TurnResult & { readonly session: Session }

export class Session {
  readonly #active: ActiveConversation

  private constructor(active: ActiveConversation) {
    this.#active = active
  }

  /** A new conversation. */
  static begin(agent: Agent): Session {
    return new Session(activeNew(agent, agent.ports.id(), memoryStore({ now: agent.ports.now })))
  }

  /** From nothing, from saved data, or from a conversation in a store. */
  static async open(agent: Agent, from: OpenFrom = {}): Promise<Session> {
    checkOpen(from)
    const { tools } = from
    const data = from.data === undefined ? undefined : readSession(from.data)
    const id = from.id ?? data?.id ?? agent.ports.id()
    const kept = data && { log: { id, ...logOf(data) } }
    const store = from.store ?? memoryStore({ now: agent.ports.now, ...kept })
    const log = newLog(agent, id, store)
    await log.refresh()
    await log.reachBack(1)
    await log.summary()
    return new Session(new ActiveConversation(agent, log, sessionWorld(store, agent.ports), tools && { tools }))
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

  /** Every open hold, async calls of earlier turns included. */
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

  /** One model call and the calls it asks for, then back to the caller. Without content: the next one of this turn. */
  step(content?: Content, options: SendOptions = {}): Promise<ChatResult> {
    return this.#told(
      this.#active.run(content === undefined ? undefined : { content }, options, () => this.#active.drive('one-step')),
    )
  }

  /** Goes on with what was answered since, or takes up again a turn that stopped early. */
  continue(options: SendOptions = {}): Promise<ChatResult> {
    return this.#told(this.#active.run(undefined, options, () => this.#active.drive('all')))
  }

  /** The same as `continue`, to iterate. */
  continueStream(options: SendOptions = {}): LiveStream<ChatResult> {
    return streamOf((watching) => this.continue(watching), options)
  }

  /** The newest progress of each running call, for late watchers. */
  get progress(): ReadonlyMap<string, Json> {
    return this.#active.audience.progress
  }

  /** The one door for answers. The verdict is true and durable when it comes; the turn goes on afterwards. */
  resolve(callId: string, resolution: Resolution, options: ResolveOptions = {}): Promise<ResolveAnswer> {
    return this.#active.resolve(callId, resolution, options)
  }

  approve(callId: string, options: ResolveOptions & { readonly input?: Json } = {}): Promise<ResolveAnswer> {
    const { input, ...rest } = options
    return this.resolve(callId, input === undefined ? { kind: 'approve' } : { kind: 'approve', input }, rest)
  }

  reject(callId: string, reason?: string, options: ResolveOptions = {}): Promise<ResolveAnswer> {
    return this.resolve(callId, reason === undefined ? { kind: 'reject' } : { kind: 'reject', reason }, options)
  }

  /** `value` must be JSON, and fit what the tool says it gives. */
  answer(callId: string, value: unknown, options: ResolveOptions = {}): Promise<ResolveAnswer> {
    return this.resolve(callId, { kind: 'answer', value: value as Json }, options)
  }

  /** The executor could not carry out the call: the model reads why. */
  fail(callId: string, error: string, options: ResolveOptions = {}): Promise<ResolveAnswer> {
    return this.resolve(callId, { kind: 'answer', error }, options)
  }

  /** The result of a call that was handed to the caller (manual mode, client or external tools). */
  submitToolResult(callId: string, result: unknown, options: ResolveOptions = {}): Promise<ResolveAnswer> {
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
    return verdict === 'accepted'
      ? this.continue(options)
      : { ...this.#active.refused(verdict, message), session: this }
  }

  /** Settles every hold whose deadline has come. Driving does this too; a store's timers will. */
  expire(): Promise<void> {
    return this.#active.expire()
  }

  /** Ends the turn from whatever state it is in, with a result behind every call. */
  cancel(message?: string): Promise<CancelAnswer> {
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
  return new ActiveConversation(agent, newLog(agent, id, store), sessionWorld(store, agent.ports))
}

function newLog(agent: Agent, id: string, store: Store): ConversationLog {
  return new ConversationLog({ tenant: '', id }, store, agent.ports, { whole: true })
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
