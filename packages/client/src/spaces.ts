import type { Json, LogEvent, Member, ResolveAnswer, SpaceRefusal, SpaceRow } from '@holdpoint/core'
import type { SpaceView } from '@holdpoint/core/view'
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

/** A person's token acts for that person; a program with a key says for whom: `by`, `from`, `member`. */
export interface Spaces {
  create(
    space: CreateSpaceBody,
    options?: RequestOptions,
  ): Promise<{ readonly ok: true; readonly id: string; readonly seq: number } | RefusedBySpace>
  /** Those that a person is in; for a program all of them. A page may be short, and not the last. */
  list(query?: PageQuery, options?: RequestOptions): Promise<ListOf<SpaceRow>>
  /** Who is there, and the newest messages, or those before a seq. Undefined when there is no such space. */
  view(id: string, query?: SpacePage, options?: RequestOptions): Promise<SpaceView | undefined>
  /** Once this answers, it was said, and every other agent there hears of it once. */
  post(id: string, text: string, options?: PostOptions): Promise<({ readonly ok: true } & PostedBody) | RefusedBySpace>
  /** Lets somebody in, or changes their role. */
  join(id: string, member: Member, options?: RequestOptions & JoinBody): Promise<SpaceChanged>
  leave(id: string, member: Member, options?: RequestOptions & { readonly by?: string }): Promise<SpaceChanged>
  /** Everything up to this seq was read. */
  read(id: string, upTo: number, options?: RequestOptions & { readonly member?: Member }): Promise<SpaceChanged>
  /** The answer to a call that is shown there and asks the people in it. */
  answer(
    id: string,
    callId: string,
    value: unknown,
    options?: RequestOptions & { readonly from?: Member },
  ): Promise<ResolveAnswer>
  events(
    id: string,
    query?: { readonly after?: number; readonly limit?: number },
    options?: RequestOptions,
  ): Promise<ListOf<LogEvent>>
  /** Every event after a seq, once and in order, and what is being written; through every break, until it is aborted. */
  follow(id: string, options?: FollowOptions): AsyncGenerator<StreamMessage, void, undefined>
}

export function spacesOf(http: Http): Spaces {
  const changed = async (asking: Promise<{ readonly seq: number }>): Promise<SpaceChanged> =>
    orRefused(asking, SPACE_REFUSALS)
  return {
    create: async (body, options) =>
      orRefused(
        http.ask<{ id: string; seq: number }>({ ...options, method: 'POST', path: paths.spaces(), body }),
        SPACE_REFUSALS,
      ),
    list: (query, options) => http.ask({ ...options, path: paths.spaces(), query: { ...query } }),
    view: async (id, query, options) =>
      orUndefined(http.ask({ ...options, path: paths.space(id), query: { ...query } }), 'space-missing'),
    post: async (id, text, { from, replyTo, ...options } = {}) => {
      const body = { text, from, replyTo }
      return orRefused(
        http.ask<PostedBody>({ ...options, method: 'POST', path: paths.spaceMessages(id), body }),
        SPACE_REFUSALS,
      )
    },
    join: (id, member, { role, by, ...options } = {}) =>
      changed(http.ask({ ...options, method: 'PUT', path: paths.spaceMember(id, member), body: { role, by } })),
    leave: (id, member, { by, ...options } = {}) =>
      changed(http.ask({ ...options, method: 'DELETE', path: paths.spaceMember(id, member), query: { by } })),
    read: (id, upTo, { member, ...options } = {}) =>
      changed(http.ask({ ...options, method: 'PUT', path: paths.spaceRead(id), body: { upTo, member } })),
    answer: async (id, callId, value = null, { from, ...options } = {}) => {
      const body = { callId, result: value as Json, from }
      return orVerdict(http.ask({ ...options, method: 'POST', path: paths.spaceToolResults(id), body }))
    },
    events: async (id, query, options) => http.ask({ ...options, path: paths.spaceEvents(id), query: { ...query } }),
    follow: (id, options) => follow(http, paths.spaceEvents(id), options),
  }
}
