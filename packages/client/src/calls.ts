/** Calls of external tools, for whoever carries them out. `worker` does all of this for you. */
import type { KnownCall, ResolveAnswer } from '@holdpoint/core'
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

/** Somebody else is at the call now, or nobody: the claim ran out. */
export interface ClaimLost {
  readonly verdict: 'claim-lost'
  readonly message: string
}

export interface Calls {
  claim(body: ClaimBody, options?: RequestOptions): Promise<{ readonly items: readonly ClaimedCall[] }>
  /** Keeps the claim, and shows `value` to those who watch. `shown` is false when the tool is not streaming. */
  progress(
    callId: string,
    body: ProgressBody,
    options?: RequestOptions,
  ): Promise<{ readonly claimedUntil: number; readonly shown?: boolean } | ClaimLost>
  result(callId: string, body: CallResultBody, options?: RequestOptions): Promise<ResolveAnswer | ClaimLost>
  /** Gives it back, for another worker. */
  release(callId: string, claim: string, options?: RequestOptions): Promise<ClaimLost | undefined>
  /** Those that were heard of lately. */
  workers(query?: PageQuery, options?: RequestOptions): Promise<ListOf<WorkerRow>>
  /** Calls by their status: those that are open, or with `conversationId` all of that conversation that waited. */
  list(query?: CallsQuery, options?: RequestOptions): Promise<ListOf<KnownCall>>
  /** A call that waits or has ever waited; undefined when there is none. */
  show(callId: string, options?: RequestOptions): Promise<KnownCall | undefined>
  /** A result without a claim, by the id of the run. */
  toolResult(runId: string, body: ToolResult, options?: RequestOptions): Promise<ResolveAnswer>
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
