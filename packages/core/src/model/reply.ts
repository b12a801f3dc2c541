/**
 * The reply of one step. An error of the model (a call that is cut off, a stream that ends early, a result without a call) does not
 * throw: the reply has a note about it.
 */
import type { Json, JsonObject } from '../json.ts'
import type { FileData } from './model.ts'

/** Data of vendors, by vendor name. It is stored and sent back unchanged. */
export type ProviderData = Readonly<Record<string, JsonObject>>

/** Why the model stopped. `interrupted`: its stream ended without saying why. */
export type Finish = 'stop' | 'length' | 'content-filter' | 'calls' | 'error' | 'interrupted' | 'other'

export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** The input tokens that were read from the vendor's cache, and those that were written to it. */
  readonly cachedTokens?: number
  readonly cacheWriteTokens?: number
  readonly reasoningTokens?: number
}

export interface Reply {
  readonly parts: readonly ReplyPart[]
  readonly finish: Finish
  readonly usage: Usage
  readonly responseId?: string
  readonly modelId?: string
  /** Warnings of the vendor, and invalid parts that were left out. */
  readonly notes?: readonly Json[]
  readonly data?: ProviderData
}

export type ReplyPart =
  | { readonly type: 'text' | 'reasoning'; readonly text: string; readonly data?: ProviderData }
  | CallPart
  | {
      readonly type: 'provider-call'
      readonly id: string
      readonly name: string
      readonly input: Json
      readonly data?: ProviderData
    }
  | {
      readonly type: 'provider-result'
      readonly id: string
      readonly name: string
      readonly result: Json
      readonly isError: boolean
      readonly data?: ProviderData
    }
  | {
      readonly type: 'file'
      readonly mediaType: string
      readonly file: FileData
      readonly reasoning?: boolean
      readonly data?: ProviderData
    }
  | { readonly type: 'source'; readonly source: JsonObject; readonly data?: ProviderData }
  | { readonly type: 'custom'; readonly kind: string; readonly data?: ProviderData }

/** A call that we run or hold. */
export interface CallPart {
  readonly type: 'call'
  /** Our id: unique everywhere, and the tool's idempotency key. */
  readonly callId: string
  /** The vendor's id, which may repeat. It is sent back so that the vendor can pair call and result. */
  readonly vendorId: string
  readonly name: string
  /** The input that the model proposed. Null if it was not JSON; then `malformed` has the text. */
  readonly input: Json
  readonly malformed?: string
  readonly data?: ProviderData
}

export function callsOf(reply: Reply): CallPart[] {
  return reply.parts.filter((part) => part.type === 'call')
}

export function textOf(reply: Reply): string {
  return reply.parts.reduce((text, part) => (part.type === 'text' ? text + part.text : text), '')
}

export function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens
}
