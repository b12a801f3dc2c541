import type { ConversationStatus, Explanation, ListedConversation, LogEvent, UserPart } from '@holdpoint/core'
import type { View } from '@holdpoint/core/view'
import {
  paths,
  type CreateConversation,
  type ListOf,
  type SendMessage,
  type Sent,
  type StreamMessage,
} from '@holdpoint/protocol'
import { NOT_FOUND, orRefused, orUndefined, type Refused } from './answers.ts'
import { follow, type FollowOptions } from './follow.ts'
import type { Http, RequestOptions } from './http.ts'
import type { PageQuery } from './page-query.ts'
import { randomKey } from './random-key.ts'

export interface SendOptions extends RequestOptions, Omit<SendMessage, 'content'> {
  /** Seconds to wait for what comes of it; not at all unless said. It goes on whether or not anybody waits. */
  readonly wait?: number
}

export type SendAnswer = ({ readonly ok: true } & Sent) | Refused

export interface Conversations {
  /** Sending to a new id makes the conversation, too. */
  create(conversation?: CreateConversation, options?: RequestOptions): Promise<{ readonly id: string }>
  list(
    query?: PageQuery & { readonly agent?: string; readonly status?: ConversationStatus },
    options?: RequestOptions,
  ): Promise<ListOf<ListedConversation>>
  /** Once this answers, the message is durable. */
  send(id: string, content: string | readonly UserPart[], options?: SendOptions): Promise<SendAnswer>
  /** The newest turns, or those before a seq. Undefined when there is no such conversation. */
  view(
    id: string,
    query?: { readonly turns?: number; readonly before?: number },
    options?: RequestOptions,
  ): Promise<View | undefined>
  events(
    id: string,
    query?: { readonly after?: number; readonly limit?: number },
    options?: RequestOptions,
  ): Promise<ListOf<LogEvent>>
  /** Every event after a seq, once and in order, and frames between them; through every break, until it is aborted. */
  follow(id: string, options?: FollowOptions): AsyncGenerator<StreamMessage, void, undefined>
  cancel(id: string, message?: string, options?: RequestOptions): Promise<{ readonly ok: true } | Refused>
  /** Takes up a turn that stopped early, or waits for the one that goes on. */
  continue(id: string, options?: RequestOptions & { readonly by?: string; readonly wait?: number }): Promise<SendAnswer>
  explain(id: string, turnId?: string, options?: RequestOptions): Promise<Explanation | undefined>
}

/** The gateway waits no longer than this for one request; who waits longer asks again, under the same key. */
const LONGEST_WAIT = 30

export function conversationsOf(http: Http): Conversations {
  return {
    create: (body = {}, options) => http.post(paths.conversations(), body, options),
    list: (query, options) => http.get(paths.conversations(), options, query),
    send: (id, content, options) => orRefused(send(http, id, content, options)),
    view: async (id, query, options) => orUndefined(http.get(paths.conversation(id), options, query), NOT_FOUND),
    events: async (id, query, options) => http.get(paths.events(id), options, query),
    follow: (id, options) => follow(http, paths.events(id), options),
    cancel: async (id, message, options) => orRefused(http.post<object>(paths.cancel(id), { message }, options)),
    continue: async (id, { by, wait = LONGEST_WAIT, ...options } = {}) =>
      orRefused(http.post<Sent>(paths.continue(id), { by }, { ...options, query: { wait }, wait })),
    explain: async (id, turnId, options) => orUndefined(http.get(paths.explain(id), options, { turnId }), NOT_FOUND),
  }
}

async function send(
  http: Http,
  id: string,
  content: SendMessage['content'],
  { wait: seconds = 0, key = randomKey(), signal, ...settings }: SendOptions = {},
): Promise<Sent> {
  const ends = Date.now() + seconds * 1000
  const ask = (wait: number): Promise<Sent> =>
    http.post(
      paths.messages(id),
      { content, ...settings },
      { query: wait > 0 ? { wait } : {}, key, wait, ...(signal && { signal }) },
    )
  const first = await ask(Math.min(seconds, LONGEST_WAIT))
  let sent = first
  while (!sent.result && Date.now() < ends) sent = await ask(Math.min((ends - Date.now()) / 1000, LONGEST_WAIT))
  return {
    ...first,
    ...(sent.turnId !== undefined && { turnId: sent.turnId }),
    ...(sent.result && { result: sent.result }),
  }
}
