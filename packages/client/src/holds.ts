import type { Evidence, Json, ResolveResult, Resolution } from '@holdpoint/core'
import type { PendingHold } from '@holdpoint/runtime'
import { paths, type HoldsQuery, type ListOf } from '@holdpoint/protocol'
import { HOLD_REFUSALS, NO_CALL, orRefused, orUndefined, orVerdict, type Refused } from './answers.ts'
import { eachOf } from './each-of.ts'
import type { Http, RequestOptions } from './http.ts'

export interface ResolveOptions extends RequestOptions {
  /** The person that a program acts for. A person's token always acts for that person. */
  readonly by?: string
  /** The number of the hold that the answer is for: `nth` of the hold. */
  readonly hold?: number
}

/** `mine`: holds that the caller may resolve; `'asked'`: holds of calls that the caller asked for. Default: all. */
export interface HoldsFilter extends Omit<HoldsQuery, 'view'> {
  readonly mine?: true | 'asked'
}

/** A hold as it was shown: `nth`, so that an answer does not apply to a later hold of the same call. */
export interface ResolveOne extends Pick<PendingHold, 'conversationId' | 'callId'> {
  readonly nth: number
  readonly resolution: Resolution
  /** As a list with `tenants: 'all'` has it. */
  readonly tenant?: string
}

/** `error`: there was no verdict, and the answer may or may not have been saved. */
export type ResolvedOne = ResolveOne &
  ({ readonly answer: ResolveResult; readonly error?: never } | { readonly error: Error; readonly answer?: never })

export interface HoldRow extends PendingHold {
  /** The person to whom it was assigned, who may no longer decide it. Then it has no assignee. */
  readonly formerAssignee?: string
  /** With `tenants: 'all'`: the tenant to give when the hold is resolved. */
  readonly tenant?: string
  /** The display names of the people in it, by id. Left out when no person has one. */
  readonly names?: Readonly<Record<string, string>>
}

export type HoldChanged = { readonly ok: true } | Refused<keyof typeof HOLD_REFUSALS>

/** Holds. Every answer to a hold returns a verdict, and never throws because of it. */
export interface Holds {
  /** Open holds, the oldest first. */
  list(query?: HoldsFilter, options?: RequestOptions): Promise<ListOf<HoldRow>>
  /** Undefined if the call is not held. */
  show(
    conversationId: string,
    callId: string,
    options?: RequestOptions & { readonly by?: string },
  ): Promise<HoldRow | undefined>
  resolve(
    conversationId: string,
    callId: string,
    resolution: Resolution,
    options?: ResolveOptions,
  ): Promise<ResolveResult>
  /** With `input`, the call runs with that input instead of the model's. */
  approve(
    conversationId: string,
    callId: string,
    options?: ResolveOptions & { readonly input?: Json },
  ): Promise<ResolveResult>
  reject(conversationId: string, callId: string, reason?: string, options?: ResolveOptions): Promise<ResolveResult>
  answer(conversationId: string, callId: string, value: unknown, options?: ResolveOptions): Promise<ResolveResult>
  /** Settles the call as failed. The model reads `error`. */
  fail(conversationId: string, callId: string, error: string, options?: ResolveOptions): Promise<ResolveResult>
  /** What is recorded about a call that is or was held. */
  evidence(conversationId: string, callId: string, options?: RequestOptions): Promise<Evidence>
  /** One request and one verdict for each hold, in their order. A hold that fails does not stop the others. */
  resolveMany(
    holds: readonly ResolveOne[],
    options?: Pick<ResolveOptions, 'by' | 'signal'>,
  ): Promise<readonly ResolvedOne[]>
  /** Assigns the hold to the caller, or to another person. The others may still resolve it. */
  assign(
    conversationId: string,
    callId: string,
    options?: ResolveOptions & { readonly assignee?: string },
  ): Promise<HoldChanged>
  /** Removes the assignee. */
  release(conversationId: string, callId: string, options?: ResolveOptions): Promise<HoldChanged>
  /** Adds a comment for the other approvers. The model does not read it. */
  comment(conversationId: string, callId: string, text: string, options?: ResolveOptions): Promise<HoldChanged>
}

/** The number of concurrent requests of `resolveMany`. */
const AT_ONCE = 4

export function holdsOf(http: Http): Holds {
  const resolve = async (
    conversationId: string,
    callId: string,
    resolution: object,
    { by, hold, ...options }: ResolveOptions = {},
  ): Promise<ResolveResult> =>
    orVerdict(http.post(paths.resolve(conversationId, callId), { ...resolution, by, hold }, options))
  const change = (path: string, body: object, { by, hold, ...options }: ResolveOptions = {}): Promise<HoldChanged> =>
    orRefused(http.post<object>(path, { ...body, by, hold }, options), HOLD_REFUSALS)
  return {
    resolve,
    list: (filter, options) => http.get(paths.holds(), options, queryOf(filter)),
    show: async (conversationId, callId, { by, ...options } = {}) =>
      orUndefined(http.get(paths.hold(conversationId, callId), options, { by }), NO_CALL),
    approve: async (conversationId, callId, { input, ...options } = {}) =>
      resolve(conversationId, callId, { kind: 'approve', input }, options),
    reject: (conversationId, callId, reason, options) =>
      resolve(conversationId, callId, { kind: 'reject', reason }, options),
    // JSON has no `undefined`.
    answer: (conversationId, callId, value = null, options) =>
      resolve(conversationId, callId, { kind: 'answer', value }, options),
    fail: (conversationId, callId, error, options) =>
      resolve(conversationId, callId, { kind: 'answer', error }, options),
    evidence: (conversationId, callId, options) => http.get(paths.evidence(conversationId, callId), options),
    resolveMany: (all, options) =>
      eachOf(all, AT_ONCE, (one) => {
        const { conversationId, callId, nth: hold, resolution, tenant } = one
        const where = tenant === undefined ? {} : { tenant }
        return resolve(conversationId, callId, resolution, { ...options, ...where, hold }).then(
          (answer) => ({ ...one, answer }),
          (error: Error) => ({ ...one, error }),
        )
      }),
    assign: async (conversationId, callId, { assignee, ...options } = {}) =>
      change(paths.assign(conversationId, callId), { assignee }, options),
    release: async (conversationId, callId, options) =>
      change(paths.assign(conversationId, callId), { assignee: null }, options),
    comment: async (conversationId, callId, text, options) =>
      change(paths.comments(conversationId, callId), { text }, options),
  }
}

function queryOf({ mine, ...query }: HoldsFilter = {}): HoldsQuery {
  return mine === undefined ? query : { ...query, view: mine === true ? 'mine' : mine }
}
