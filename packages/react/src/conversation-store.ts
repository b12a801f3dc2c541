/** The state of a live conversation for React. Unchanged parts stay the same objects: streamed text changes only `streaming`. */
import {
  holdsOf,
  messagesOf,
  type Client,
  type Connection,
  type LiveConversation,
  type RequestOptions,
  type ResolveOptions,
  type SendOptions,
  type ClientToolSet,
  type Json,
  type ResolveResult,
  type View,
  type ViewCall,
  type ViewHold,
  type ViewMessage,
} from '@holdpoint/client'
import { LiveStore } from './live-store.ts'

type Verdict = Promise<ResolveResult>

export interface ConversationState extends Actions {
  readonly id: string
  readonly agent: string
  readonly status: View['status']
  /** The state of the connection. `live` if it receives updates. */
  readonly connection: Connection
  /** True once the newest turns are loaded. False while the conversation does not exist. */
  readonly loaded: boolean
  /** All messages except the one that is being streamed. */
  readonly messages: readonly ViewMessage[]
  /** The agent's message of the current turn. */
  readonly streaming: Extract<ViewMessage, { readonly role: 'assistant' }> | undefined
  /** Messages that wait for the end of the current turn. */
  readonly queue: View['queue']
  /** Visible calls that are not settled, each with its newest progress. */
  readonly calls: readonly ViewCall[]
  /** The open holds. */
  readonly holds: readonly ViewHold[]
  /** There are older turns. `earlier()` loads them. */
  readonly hasEarlier: boolean
  readonly view: View
}

/** These functions stay the same while the conversation is shown. */
interface Actions {
  readonly send: LiveConversation['send']
  readonly cancel: LiveConversation['cancel']
  readonly resolve: LiveConversation['resolve']
  readonly approve: (hold: Answerable, options?: ResolveOptions & { readonly input?: Json }) => Verdict
  readonly reject: (hold: Answerable, reason?: string, options?: ResolveOptions) => Verdict
  readonly answer: (hold: Answerable, value: unknown, options?: ResolveOptions) => Verdict
  readonly continue: LiveConversation['continue']
  readonly earlier: (turns?: number, options?: RequestOptions) => Promise<boolean>
  readonly reconnect: () => void
}

/** With `nth`, the answer applies only to that hold, and not to a later hold of the call that the user has not seen. */
export interface Answerable {
  readonly callId: string
  readonly nth?: number
}

export type ConversationStore = LiveStore<LiveConversation, ConversationState>

export function conversationStore(client: Client, id: string, tools: () => ClientToolSet): ConversationStore {
  const live = client.conversation(id)
  const actions = actionsOf(client, live)
  return new LiveStore(live, tools, (before) => stateOf(before, live, actions))
}

function stateOf(before: ConversationState | undefined, live: LiveConversation, actions: Actions): ConversationState {
  const { id, view, connection } = live
  const { agent, status, queue } = view
  const all = messagesOf(view)
  const last = all.at(-1)
  const streaming = last?.role === 'assistant' && !last.ended ? last : undefined
  const parts = streaming?.parts ?? []
  return {
    ...actions,
    id,
    agent,
    status,
    connection,
    loaded: view.seq > 0,
    messages: kept(before?.messages, streaming ? all.slice(0, -1) : all),
    streaming,
    queue,
    calls: kept(
      before?.calls,
      parts.flatMap((part) => (part.type === 'call' && part.call.state !== 'settled' ? [part.call] : [])),
    ),
    holds: kept(before?.holds, holdsOf(view)),
    hasEarlier: view.from > 1,
    view,
  }
}

/** The previous list, if it has the same items. */
function kept<T>(before: readonly T[] | undefined, now: readonly T[]): readonly T[] {
  return before?.length === now.length && before.every((item, index) => item === now[index]) ? before : now
}

function actionsOf(client: Client, live: LiveConversation): Actions {
  const { id } = live
  const which = (hold: Answerable, options?: ResolveOptions): ResolveOptions => ({
    ...(hold.nth !== undefined && { hold: hold.nth }),
    ...options,
  })
  return {
    send: (content, options?: SendOptions) => live.send(content, options),
    cancel: (message, options) => live.cancel(message, options),
    resolve: (callId, resolution, options) => live.resolve(callId, resolution, options),
    approve: (hold, options) => client.holds.approve(id, hold.callId, which(hold, options)),
    reject: (hold, reason, options) => client.holds.reject(id, hold.callId, reason, which(hold, options)),
    answer: (hold, value, options) => client.holds.answer(id, hold.callId, value, which(hold, options)),
    continue: (options) => live.continue(options),
    earlier: (turns, options) => live.earlier(turns, options),
    reconnect: () => live.reconnect(),
  }
}
