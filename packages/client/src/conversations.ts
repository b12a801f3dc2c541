import type { ConversationLine, ConversationStatus, Explanation, LogEvent, SignedHead, UserPart } from '@holdpoint/core'
import type {
  ForkOptions,
  ImportOptions,
  ImportResult,
  ListedConversation,
  ReplayedTurn,
  SearchFilter,
  SearchPage,
} from '@holdpoint/runtime'
import type { View } from '@holdpoint/core/view'
import {
  paths,
  type ChangeParticipants,
  type CreateConversation,
  type ListOf,
  type Participants,
  type SendMessage,
  type Sent,
  type StreamMessage,
} from '@holdpoint/protocol'
import { NOT_FOUND, orRefused, orUndefined, type Refused } from './answers.ts'
import { erase, type EraseOptions } from './erase.ts'
import { exportLines, exportText } from './export-lines.ts'
import { follow, type FollowOptions } from './follow.ts'
import type { Http, RequestOptions } from './http.ts'
import type { PageQuery } from './page-query.ts'
import { randomKey } from './random-key.ts'

export interface SendOptions extends RequestOptions, Omit<SendMessage, 'content'> {
  /** Seconds to wait for the end of the turn. Default: 0. The turn continues even if the wait ends. */
  readonly wait?: number
}

export type SendResult = ({ readonly ok: true } & Sent) | Refused

export type Imported = Omit<Extract<ImportResult, { readonly ok: true }>, 'ok'>

export interface Conversations {
  /** Creates a conversation. `send` to a new id creates one too. */
  create(conversation?: CreateConversation, options?: RequestOptions): Promise<{ readonly id: string }>
  list(
    query?: PageQuery & { readonly agent?: string; readonly status?: ConversationStatus },
    options?: RequestOptions,
  ): Promise<ListOf<ListedConversation>>
  /**
   * Searches conversations, and the messages, replies and calls in them. Each page searches a limited part of the store: one
   * may be empty and have a `next`.
   */
  search(query?: Omit<SearchFilter, 'participant'>, options?: RequestOptions): Promise<SearchPage>
  /** When this resolves, the message is stored. */
  send(id: string, content: string | readonly UserPart[], options?: SendOptions): Promise<SendResult>
  /** The newest turns, or those before a seq. Undefined if the conversation does not exist. */
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
  /** Every event after a seq, once and in order, and the frames between them. Reconnects until it is aborted. */
  follow(id: string, options?: FollowOptions): AsyncGenerator<StreamMessage, void, undefined>
  cancel(id: string, message?: string, options?: RequestOptions): Promise<{ readonly ok: true } | Refused>
  /** Continues a turn that ended early, or waits for the end of the current turn. */
  continue(id: string, options?: RequestOptions & { readonly by?: string; readonly wait?: number }): Promise<SendResult>
  /** The owner and the participants. Undefined when there is no such conversation. */
  participants(
    id: string,
    /** `names: 'all'`: the display names also of the people who wrote or decided in the newest turns. */
    options?: RequestOptions & { readonly names?: 'all' },
  ): Promise<Participants | undefined>
  /** Adds or removes participants, or names another owner. Only the owner may, except that a participant may leave. */
  changeParticipants(
    id: string,
    change: ChangeParticipants,
    options?: RequestOptions,
  ): Promise<({ readonly ok: true } & Participants) | Refused>
  /**
   * Erases the conversation for good. A tombstone remains. Refused while a turn is in progress or a call is held, unless
   * `cancel` is set.
   */
  erase(id: string, options?: EraseOptions): Promise<{ readonly ok: true } | Refused>
  explain(id: string, turnId?: string, options?: RequestOptions): Promise<Explanation | undefined>
  /** Replays a recorded turn with another agent or other instructions. No tool runs, and nothing is written. */
  replay(
    id: string,
    options?: RequestOptions & { readonly turn?: string; readonly agent?: string; readonly instructions?: string },
  ): Promise<ReplayedTurn>
  /** Copies the conversation up to an event. Nothing of the copy runs by itself; `continue` starts its turn again. */
  fork(
    id: string,
    options?: RequestOptions & Omit<ForkOptions, 'by'> & { readonly by?: string },
  ): Promise<{ readonly ok: true; readonly id: string; readonly seq: number } | Refused>
  /** The lines of a conversation; without an id, of everything that the tenant has. Throws when the export is incomplete. */
  export(id?: string, options?: Omit<RequestOptions, 'key'>): AsyncGenerator<ConversationLine, void, undefined>
  /**
   * Like `export`, with hashes and signed heads, as text: write each line with a line feed, and check the file with
   * `holdpoint verify`.
   */
  exportChain(id?: string, options?: Omit<RequestOptions, 'key'>): AsyncGenerator<string, void, undefined>
  /** The signed heads, newest first. */
  signedHeads(id: string, options?: RequestOptions): Promise<{ readonly items: readonly SignedHead[] }>
  /** Imports the lines of an export. Throws for a wrong line, and nothing is imported. */
  import(lines: readonly ConversationLine[], options?: RequestOptions & ImportOptions): Promise<Imported>
}

/** A replay calls the model several times. */
const LONGEST_REPLAY = 300
/** The longest wait of one request, in seconds. For a longer wait the request is repeated with the same key. */
const LONGEST_WAIT = 30

export function conversationsOf(http: Http): Conversations {
  return {
    create: (body = {}, options) => http.post(paths.conversations(), body, options),
    list: (query, options) => http.get(paths.conversations(), options, query),
    search: (query, options) => http.get(paths.search(), options, query),
    send: (id, content, options) => orRefused(send(http, id, content, options)),
    view: async (id, query, options) => orUndefined(http.get(paths.conversation(id), options, query), NOT_FOUND),
    events: async (id, query, options) => http.get(paths.events(id), options, query),
    follow: (id, options) => follow(http, paths.events(id), options),
    cancel: async (id, message, options) => orRefused(http.post<object>(paths.cancel(id), { message }, options)),
    continue: async (id, { by, wait = LONGEST_WAIT, ...options } = {}) =>
      orRefused(http.post<Sent>(paths.continue(id), { by }, { ...options, query: { wait }, wait })),
    participants: async (id, { names, ...options } = {}) =>
      orUndefined(http.get(paths.participants(id), options, { names }), NOT_FOUND),
    changeParticipants: async (id, change, options) =>
      orRefused(http.post<Participants>(paths.participants(id), change, options)),
    erase: async (id, options) => orRefused(erase(http, paths.conversation(id), options)),
    replay: (id, { turn, agent, instructions, ...options } = {}) =>
      http.post(paths.replay(id), { turn, agent, instructions }, { ...options, wait: LONGEST_REPLAY }),
    fork: async (id, { at, to, held, by, ...options } = {}) =>
      orRefused(
        http.post<{ readonly id: string; readonly seq: number }>(paths.fork(id), { at, to, held, by }, options),
      ),
    export: (id, options) =>
      exportLines(http, id === undefined ? paths.export() : paths.conversationExport(id), options),
    exportChain: (id, options) =>
      exportText(http, `${id === undefined ? paths.export() : paths.conversationExport(id)}?hashes=true`, options),
    signedHeads: (id, options) => http.get(paths.signedHeads(id), options),
    import: async (lines, { underWay, ...options } = {}) =>
      http.ask({ ...options, method: 'POST', path: paths.import(), query: { underWay }, lines }),
    explain: async (id, turnId, options) => orUndefined(http.get(paths.explain(id), options, { turnId }), NOT_FOUND),
  }
}

async function send(
  http: Http,
  id: string,
  content: SendMessage['content'],
  { wait: seconds = 0, key = randomKey(), signal, tenant, ...settings }: SendOptions = {},
): Promise<Sent> {
  const ends = Date.now() + seconds * 1000
  const ask = (wait: number): Promise<Sent> =>
    http.post(
      paths.messages(id),
      { content, ...settings },
      {
        query: wait > 0 ? { wait } : {},
        key,
        wait,
        ...(signal && { signal }),
        ...(tenant !== undefined && { tenant }),
      },
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
