/** Calls of external tools, for programs that run them. `worker` is the simpler way. */
import type { ResolveResult } from '@holdpoint/core'
import type { KnownCall } from '@holdpoint/runtime'
import {
  paths,
  type CallResultBody,
  type CallsQuery,
  type ClaimBody,
  type ClaimedCall,
  type ProgressBody,
  type ListOf,
  type ToolResult,
  type WorkerRow,
} from '@holdpoint/protocol'
import { NO_CALL, orElse, orUndefined, orVerdict } from './answers.ts'
import type { Http, RequestOptions } from './http.ts'
import type { PageQuery } from './page-query.ts'

/** The claim has expired. Another worker may have the call now. */
export interface ClaimLost {
  readonly verdict: 'claim-lost'
  readonly message: string
}

export interface Calls {
  claim(body: ClaimBody, options?: RequestOptions): Promise<{ readonly items: readonly ClaimedCall[] }>
  /** Renews the claim and publishes `value` as progress. `shown` is false if the tool is not streaming. */
  progress(
    callId: string,
    body: ProgressBody,
    options?: RequestOptions,
  ): Promise<{ readonly claimedUntil: number; readonly shown?: boolean } | ClaimLost>
  result(callId: string, body: CallResultBody, options?: RequestOptions): Promise<ResolveResult | ClaimLost>
  /** Gives the call back, so that another worker can claim it. */
  release(callId: string, claim: string, options?: RequestOptions): Promise<ClaimLost | undefined>
  /** The workers that were active in the last hour. */
  workers(query?: PageQuery, options?: RequestOptions): Promise<ListOf<WorkerRow>>
  /** Calls by status: open calls, or with `conversationId` all calls of that conversation that were ever held. */
  list(query?: CallsQuery, options?: RequestOptions): Promise<ListOf<KnownCall>>
  /** A call that is or was held. Undefined if there is none. */
  show(callId: string, options?: RequestOptions): Promise<KnownCall | undefined>
  /** Posts a result without a claim, by the id of the run. */
  toolResult(runId: string, body: ToolResult, options?: RequestOptions): Promise<ResolveResult>
}

export function callsOf(http: Http): Calls {
  return {
    claim: async (body, options) => http.post(paths.claim(), body, { ...options, wait: body.wait }),
    progress: async (callId, body, options) => orLost(http.post(paths.callProgress(callId), body, options)),
    result: async (callId, body, options) => orLost(orVerdict(http.post(paths.callResult(callId), body, options))),
    release: async (callId, claim, options) =>
      orLost(http.post<undefined>(paths.callRelease(callId), { claim }, options)),
    workers: (query, options) => http.get(paths.workers(), options, query),
    list: (query, options) => http.get(paths.calls(), options, query),
    show: async (callId, options) => orUndefined(http.get(paths.call(callId), options), NO_CALL),
    toolResult: async (runId, body, options) => orVerdict(http.post(paths.toolResults(runId), body, options)),
  }
}

function orLost<T>(asking: Promise<T>): Promise<T | ClaimLost> {
  return orElse(asking, { 'claim-lost': true }, ({ detail }) => ({ verdict: 'claim-lost', message: detail }))
}
