import type { LogEvent, Member, ResolveResult } from '@holdpoint/core'
import type { SpaceRefusal, SpaceRow } from '@holdpoint/spaces'
import type { SpaceView } from '@holdpoint/spaces/view'
import {
  paths,
  type CreateSpaceBody,
  type JoinBody,
  type ListOf,
  type PostBody,
  type PostedBody,
  type StreamMessage,
} from '@holdpoint/protocol'
import { orRefused, orUndefined, orVerdict, SPACE_REFUSALS, type Refused } from './answers.ts'
import { follow, type FollowOptions } from './follow.ts'
import type { Http, RequestOptions } from './http.ts'
import type { PageQuery } from './page-query.ts'

export type RefusedBySpace = Refused<SpaceRefusal | 'key-reused'>

export type SpaceChanged = { readonly ok: true; readonly seq: number } | RefusedBySpace

export interface PostOptions extends RequestOptions, Omit<PostBody, 'text'> {}

export interface SpacePage {
  readonly limit?: number
  readonly before?: number
}

export interface SpaceAnswerOptions extends RequestOptions {
  readonly from?: Member
  /** The number of the hold that the answer is for: `hold.nth` of the message. */
  readonly hold?: number
}

/** A person's token acts for that person. A program with a key names the person: `by`, `from`, `member`. */
export interface Spaces {
  create(
    space: CreateSpaceBody,
    options?: RequestOptions,
  ): Promise<{ readonly ok: true; readonly id: string; readonly seq: number } | RefusedBySpace>
  /** The spaces of the person, or all spaces for a program. A page may be short without being the last. */
  list(query?: PageQuery, options?: RequestOptions): Promise<ListOf<SpaceRow>>
  /** The members and the newest messages, or messages before a seq. Undefined if the space does not exist. */
  view(id: string, query?: SpacePage, options?: RequestOptions): Promise<SpaceView | undefined>
  /** When this resolves, the message is stored, and every other agent in the space will get it once. */
  post(id: string, text: string, options?: PostOptions): Promise<({ readonly ok: true } & PostedBody) | RefusedBySpace>
  /** Adds a member, or changes the role of one. */
  join(id: string, member: Member, options?: RequestOptions & JoinBody): Promise<SpaceChanged>
  leave(id: string, member: Member, options?: RequestOptions & { readonly by?: string }): Promise<SpaceChanged>
  /** Erases the space for good: its members and messages. A tombstone remains. For owners, and admins. */
  erase(
    id: string,
    options?: RequestOptions & { readonly reason?: string; readonly by?: string },
  ): Promise<{ readonly ok: true } | RefusedBySpace>
  /** Marks the messages up to this seq as read. */
  read(id: string, upTo: number, options?: RequestOptions & { readonly member?: Member }): Promise<SpaceChanged>
  /** Answers a call that asks the people in the space. */
  answer(id: string, callId: string, value: unknown, options?: SpaceAnswerOptions): Promise<ResolveResult>
  /** Settles the call as failed. The model reads `error`. */
  fail(id: string, callId: string, error: string, options?: SpaceAnswerOptions): Promise<ResolveResult>
  events(
    id: string,
    query?: { readonly after?: number; readonly limit?: number },
    options?: RequestOptions,
  ): Promise<ListOf<LogEvent>>
  /** Every event after a seq, once and in order, and the texts being written. Reconnects until it is aborted. */
  follow(id: string, options?: FollowOptions): AsyncGenerator<StreamMessage, void, undefined>
}

export function spacesOf(http: Http): Spaces {
  const changed = async (asking: Promise<{ readonly seq: number }>): Promise<SpaceChanged> =>
    orRefused(asking, SPACE_REFUSALS)
  const resolve = (
    id: string,
    body: object,
    { from, hold, ...options }: SpaceAnswerOptions = {},
  ): Promise<ResolveResult> => orVerdict(http.post(paths.spaceToolResults(id), { ...body, from, hold }, options))
  return {
    create: async (body, options) =>
      orRefused(http.post<{ id: string; seq: number }>(paths.spaces(), body, options), SPACE_REFUSALS),
    list: (query, options) => http.get(paths.spaces(), options, query),
    view: async (id, query, options) =>
      orUndefined(http.get(paths.space(id), options, query), { 'space-missing': true }),
    post: async (id, text, { from, replyTo, ...options } = {}) => {
      const body = { text, from, replyTo }
      return orRefused(http.post<PostedBody>(paths.spaceMessages(id), body, options), SPACE_REFUSALS)
    },
    join: (id, member, { role, by, ...options } = {}) =>
      changed(http.ask({ ...options, method: 'PUT', path: paths.spaceMember(id, member), body: { role, by } })),
    leave: (id, member, { by, ...options } = {}) =>
      changed(http.ask({ ...options, method: 'DELETE', path: paths.spaceMember(id, member), query: { by } })),
    erase: async (id, { reason, by, ...options } = {}) =>
      orRefused(
        http.ask({ ...options, method: 'DELETE', path: paths.space(id), query: { reason, by } }).then(() => ({})),
        SPACE_REFUSALS,
      ),
    read: (id, upTo, { member, ...options } = {}) =>
      changed(http.ask({ ...options, method: 'PUT', path: paths.spaceRead(id), body: { upTo, member } })),
    // JSON has no `undefined`.
    answer: async (id, callId, value = null, options) => resolve(id, { callId, result: value }, options),
    fail: async (id, callId, error, options) => resolve(id, { callId, error }, options),
    events: async (id, query, options) => http.get(paths.spaceEvents(id), options, query),
    follow: (id, options) => follow(http, paths.spaceEvents(id), options),
  }
}
