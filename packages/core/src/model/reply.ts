/**
 * What the model said in one step: parts in, one reply out. Nonsense (a call cut off in the middle, a stream that just
 * ends, a result for nothing) becomes data with a note; nothing here throws.
 */
import type { Json, JsonObject } from '../json.ts'
import type { FileData } from './model.ts'

/** A vendor's own data, by vendor name. Opaque: stored and handed back. */
export type ProviderData = Readonly<Record<string, JsonObject>>

/** Why the model stopped. `interrupted`: its stream ended without saying why. */
export type Finish = 'stop' | 'length' | 'content-filter' | 'calls' | 'error' | 'interrupted' | 'other'

export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Of the input tokens, those read from and written to the vendor's cache. */
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
  /** What the vendor warned about, and what of the reply made no sense and was left out. */
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

/** A call for us to see to. */
export interface CallPart {
  readonly type: 'call'
  /** Ours: unique everywhere, and the tool's idempotency key. */
  readonly callId: string
  /** The vendor's, which may repeat; sent back so that the vendor can pair call and result. */
  readonly vendorId: string
  readonly name: string
  /** What the model proposed. Null when that was not JSON; then `malformed` has what it was. */
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
