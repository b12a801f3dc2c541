/**
 * The port to language models: a prompt goes in, a stream of parts comes out. `@holdpoint/models` makes a model of any AI SDK
 * provider, and `@holdpoint/testing` has a scripted one.
 *
 * A model reports a failure by throwing `ModelError` from the stream, or by ending the stream early. It runs no tools, except those
 * that its vendor runs, whose results it yields as `provider-result`.
 */
import type { Json, JsonObject } from '../json.ts'
import type { FileFacts } from '../log/file-store.ts'
import type { Finish, ProviderData, Usage } from './reply.ts'
import type { PromptMessage } from '../prompt/prompt.ts'

export interface Model {
  /** For people and logs: `openai/gpt-5`. */
  readonly id: string
  /**
   * The media types of files that it reads, such as `image/*`. Text files are given to it as text. For a file of another type it
   * gets a line that names the file. Default: images and PDF.
   */
  readonly accepts?: readonly string[]
  stream(request: ModelRequest): ModelStream
}

/** The parts of a reply. If the stream has `forEach`, the parts are read with it, which saves a promise for each part. */
export interface ModelStream extends AsyncIterable<ModelPart> {
  forEach?(take: (part: ModelPart) => void): Promise<void>
}

export interface ModelRequest {
  readonly prompt: readonly PromptMessage[]
  /** The names are in the form that vendors accept. */
  readonly tools: readonly ToolSpec[]
  /** `none` forbids calls, although the request has tools. `required` demands a call. */
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly name: string }
  /** Limits the text of the reply to JSON of this schema. */
  readonly output?: OutputSpec
  readonly settings: ModelSettings
  /** For vendors that cache the beginning of prompts. */
  readonly cache?: CacheHints
  readonly signal: AbortSignal
}

export interface CacheHints {
  /** The indexes of messages up to which the next prompt is likely to be the same. */
  readonly breakpoints: readonly number[]
  /** The same for prompts with the same beginning. */
  readonly key: string
}

export type ToolSpec =
  | {
      readonly kind: 'function'
      readonly name: string
      readonly description: string
      /** The author's JSON Schema, unchanged. */
      readonly inputSchema: JsonObject
    }
  | {
      /** The vendor runs it. `id` is the vendor's name of the tool, such as `openai.web_search`. */
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

/** Settings that all vendors have. Settings of one vendor go into `provider`, by vendor name. */
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
 * One part of a reply as it arrives. Text and reasoning come in blocks, which `id` identifies. `data` is the vendor's data, such as
 * signatures and item ids. The data of all parts of a block is merged, stored, and sent back with the next prompt.
 */
export type ModelPart =
  | { readonly type: 'text'; readonly id: string; readonly delta: string; readonly data?: ProviderData }
  | { readonly type: 'reasoning'; readonly id: string; readonly delta: string; readonly data?: ProviderData }
  /** A piece of a call's arguments. The first piece has the `name`. */
  | { readonly type: 'call-input'; readonly id: string; readonly name?: string; readonly delta: string }
  /** A whole call. `input` is JSON text exactly as the model wrote it. */
  | {
      readonly type: 'call'
      readonly id: string
      readonly name: string
      readonly input: string
      /** The vendor runs the call. Its result comes as `provider-result`, in this reply or a later one. */
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
  /** The vendor's data about the whole reply. May come more than once. */
  | {
      readonly type: 'info'
      readonly responseId?: string
      readonly modelId?: string
      readonly warnings?: readonly Json[]
    }
  | { readonly type: 'finish'; readonly reason: Finish; readonly usage: Usage; readonly data?: ProviderData }

/** A file as base64, its URL, or in the store's `files`. A model gets the first two only. */
export type FileData =
  | { readonly kind: 'base64'; readonly base64: string }
  | { readonly kind: 'url'; readonly url: string }
  | ({ readonly kind: 'stored'; readonly id: string } & FileFacts)

/** Thrown by a model's stream. `retryable`: the same request may succeed later. */
export class ModelError extends Error {
  readonly retryable: boolean
  readonly status: number | undefined
  /** The wait that the vendor asked for. */
  readonly retryAfterMs: number | undefined
  /** The vendor's id of the request, for its support. */
  readonly requestId: string | undefined

  constructor(
    message: string,
    details: { retryable: boolean; status?: number; retryAfterMs?: number; requestId?: string; cause?: unknown },
  ) {
    super(message, { cause: details.cause } as ErrorOptions)
    this.name = 'ModelError'
    this.retryable = details.retryable
    this.status = details.status
    this.retryAfterMs = details.retryAfterMs
    this.requestId = details.requestId
  }
}
