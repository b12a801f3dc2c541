import type { Json, PendingHold, ResolveAnswer, Resolution } from '@holdpoint/core'
import { paths, type HoldsQuery, type ListOf } from '@holdpoint/protocol'
import { NO_CALL, orUndefined, orVerdict } from './answers.ts'
import type { Http, RequestOptions } from './http.ts'

export interface ResolveOptions extends RequestOptions {
  /** For whom a program speaks; a person's token speaks for that person. */
  readonly by?: string
  /** Which of the call's holds is meant: `nth` of the hold you saw. */
  readonly hold?: number
}

/** Every answer to a hold comes back with its verdict, whichever that is. */
export interface Holds {
  /** What waits for somebody, the oldest first. */
  list(query?: HoldsQuery, options?: RequestOptions): Promise<ListOf<PendingHold>>
  /** Undefined when it does not wait, or not any more. */
  show(conversationId: string, callId: string, options?: RequestOptions): Promise<PendingHold | undefined>
  resolve(
    conversationId: string,
    callId: string,
    resolution: Resolution,
    options?: ResolveOptions,
  ): Promise<ResolveAnswer>
  /** With `input`, what runs is that, and not what the model asked for. */
  approve(
    conversationId: string,
    callId: string,
    options?: ResolveOptions & { readonly input?: Json },
  ): Promise<ResolveAnswer>
  reject(conversationId: string, callId: string, reason?: string, options?: ResolveOptions): Promise<ResolveAnswer>
  answer(conversationId: string, callId: string, value: unknown, options?: ResolveOptions): Promise<ResolveAnswer>
  /** Whoever was to carry the call out could not: the model reads why. */
  fail(conversationId: string, callId: string, error: string, options?: ResolveOptions): Promise<ResolveAnswer>
}

export function holdsOf(http: Http): Holds {
  const say = async (
    conversationId: string,
    callId: string,
    resolution: object,
    { by, hold, ...options }: ResolveOptions = {},
  ): Promise<ResolveAnswer> =>
    orVerdict(http.post(paths.resolve(conversationId, callId), { ...resolution, by, hold }, options))
  return {
    resolve: say,
    list: (query, options) => http.get(paths.holds(), options, query),
    show: async (conversationId, callId, options) =>
      orUndefined(http.get(paths.hold(conversationId, callId), options), NO_CALL),
    approve: async (conversationId, callId, { input, ...options } = {}) =>
      say(conversationId, callId, { kind: 'approve', input }, options),
    reject: (conversationId, callId, reason, options) =>
      say(conversationId, callId, { kind: 'reject', reason }, options),
    // JSON has no `undefined`.
    answer: (conversationId, callId, value = null, options) =>
      say(conversationId, callId, { kind: 'answer', value }, options),
    fail: (conversationId, callId, error, options) => say(conversationId, callId, { kind: 'answer', error }, options),
  }
}
