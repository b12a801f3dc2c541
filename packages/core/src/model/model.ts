/**
 * The port to language models: a prompt goes in, a stream of parts comes out. The core drives it and knows
 * no vendor; `@holdpoint/models` turns any AI SDK provider into one, `@holdpoint/testing` has a scripted one.
 *
 * A model reports failure by throwing `ModelError` from the stream (or yielding nothing more). It never runs a tool,
 * except those its vendor runs itself, whose results it yields as `provider-result`.
 */
import type { Json, JsonObject } from '../json.ts'
import type { Finish, ProviderData, Usage } from './reply.ts'
import type { PromptMessage } from '../prompt/prompt.ts'

export interface Model {
  /** For people and logs: `openai/gpt-5`. */
  readonly id: string
  stream(request: ModelRequest): ModelStream
}

/** Parts to iterate. A stream that can hand them over without a promise for each says so with `forEach`, which is used then. */
export interface ModelStream extends AsyncIterable<ModelPart> {
  forEach?(take: (part: ModelPart) => void): Promise<void>
}

export interface ModelRequest {
  readonly prompt: readonly PromptMessage[]
  /** Names here are already ones that vendors accept. */
  readonly tools: readonly ToolSpec[]
  /** `none` forbids calls although tools are described; `required` demands one. */
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly name: string }
  /** Constrains the reply's text to JSON of this schema. */
  readonly output?: OutputSpec
  readonly settings: ModelSettings
  /** For vendors that keep the beginning of prompts they have seen. */
  readonly cache?: CacheHints
  readonly signal: AbortSignal
}

export interface CacheHints {
  /** Messages after which the prompt is likely to be the same next time, by index. */
  readonly breakpoints: readonly number[]
  /** The same for prompts that begin alike. */
  readonly key: string
}

export type ToolSpec =
  | {
      readonly kind: 'function'
      readonly name: string
      readonly description: string
      /** The author's JSON Schema, untouched. */
      readonly inputSchema: JsonObject
    }
  | {
      /** Carried out by the vendor: `id` is the vendor's own name for it, such as `openai.web_search`. */
      readonly kind: 'provider'
      readonly name: string
      readonly id: string
      readonly args: JsonObject
    }

export interface OutputSpec {
  readonly name?: string
  readonly description?: string
  readonly schema: JsonObject
}

/** What vendors agree on; the rest goes through `provider`, by vendor name. */
export interface ModelSettings {
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly stopSequences?: readonly string[]
  readonly seed?: number
  readonly reasoning?: 'provider-default' | 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'
  readonly headers?: Readonly<Record<string, string>>
  readonly provider?: ProviderData
}

/**
 * One piece of a reply as it arrives. Text and reasoning come in blocks, told apart by `id`; `data` is the vendor's
 * own (signatures, item ids), merged over a block's pieces, kept, and sent back with the next prompt.
 */
export type ModelPart =
  | { readonly type: 'text'; readonly id: string; readonly delta: string; readonly data?: ProviderData }
  | { readonly type: 'reasoning'; readonly id: string; readonly delta: string; readonly data?: ProviderData }
  /** A call's arguments as they are written. `name` comes with the first piece. */
  | { readonly type: 'call-input'; readonly id: string; readonly name?: string; readonly delta: string }
  /** A whole call. `input` is JSON text exactly as the model wrote it. */
  | {
      readonly type: 'call'
      readonly id: string
      readonly name: string
      readonly input: string
      /** The vendor runs it; its result comes as `provider-result`, in this reply or a later one. */
      readonly byProvider?: boolean
      readonly data?: ProviderData
    }
  | {
      readonly type: 'provider-result'
      readonly id: string
      readonly name: string
      readonly result: Json
      readonly isError?: boolean
      readonly data?: ProviderData
    }
  | {
      readonly type: 'file'
      readonly mediaType: string
      readonly file: FileData
      readonly data?: ProviderData
      readonly reasoning?: boolean
    }
  | { readonly type: 'source'; readonly source: JsonObject; readonly data?: ProviderData }
  | { readonly type: 'custom'; readonly kind: string; readonly data?: ProviderData }
  /** What the vendor said about the reply as a whole; may come more than once. */
  | {
      readonly type: 'info'
      readonly responseId?: string
      readonly modelId?: string
      readonly warnings?: readonly Json[]
    }
  | { readonly type: 'finish'; readonly reason: Finish; readonly usage: Usage; readonly data?: ProviderData }

/** Bytes as base64, or where to find them. */
export type FileData =
  | { readonly kind: 'base64'; readonly base64: string }
  | { readonly kind: 'url'; readonly url: string }

/** Thrown out of a model's stream. `retryable` says whether the same request may succeed later. */
export class ModelError extends Error {
  readonly retryable: boolean
  readonly status: number | undefined
  /** How long the vendor asked us to wait. */
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    details: { retryable: boolean; status?: number; retryAfterMs?: number; cause?: unknown },
  ) {
    super(message, { cause: details.cause } as ErrorOptions)
    this.name = 'ModelError'
    this.retryable = details.retryable
    this.status = details.status
    this.retryAfterMs = details.retryAfterMs
  }
}
