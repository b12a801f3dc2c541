/** How much of a conversation the prompt shows, and what happens to the rest. */
import type { Model } from '../model/model.ts'
import type { PromptMessage } from '../prompt/prompt.ts'
import type { Retention } from '../tool/tool-options.ts'

export interface ContextOptions {
  /** The largest size of a prompt. Default: older turns are left out above 100,000 tokens, and no prompt is refused. */
  readonly budget?: number | Budget
  /** The most of the conversation that is shown, but at least the newest turn. The results of one round are one message. */
  readonly window?: Window
  /** How long the results of tools without their own `retention` stay in the prompt. Default: always. */
  readonly retention?: Retention
  /**
   * Of turns older than `after` turns, the prompt shows only the message and the final reply, without the calls in between.
   * It loses little if the agent's final replies say what the turn did.
   */
  readonly ownWords?: { readonly after: number }
  /** After a turn, a model summarizes the part of the conversation that does not fit, oldest first. */
  readonly summarize?: SummarizeOptions
  /** Counts the tokens of a text or a message. Default: an estimate. */
  readonly count?: TokenCounter
}

export interface Budget {
  readonly tokens: number
  /** Tokens that are kept free for the texts that hooks and plugins add. */
  readonly reserve?: number
  /** The most tokens for each part. */
  readonly instructions?: number
  readonly tools?: number
  readonly summary?: number
  readonly conversation?: number
  readonly injected?: number
}

export type Window = { readonly messages: number } | { readonly turns: number } | { readonly tokens: number }

export interface SummarizeOptions {
  /** The model that writes summaries. Default: the agent's model. */
  readonly model?: Model
  /** Added to the built-in instructions: what a summary must keep. */
  readonly instructions?: string
  /** Summarizing begins when the conversation takes more than this part of its room. Default: 0.75. */
  readonly from?: number
  /** Tokens of the conversation in one model call. Default: 8,000. */
  readonly chunk?: number
  /** The longest summary, in tokens. Default: 1,000. */
  readonly length?: number
}

export type TokenCounter = (what: string | PromptMessage) => number

/** When something must be left out, the room is filled only to this part. Otherwise every turn would have to leave out more. */
export const LOW_WATER = 0.75

export const DEFAULT_BUDGET = 100_000

/** The results of this many newest rounds are never left out. */
export const RECENT_ROUNDS = 2
