/** How much of a conversation the model is told, and what happens to the rest. */
import type { Model } from '../model/model.ts'
import type { PromptMessage } from '../prompt/prompt.ts'
import type { Retention } from '../tool/tool-options.ts'

export interface ContextOptions {
  /** The most a prompt may take. Default: older turns are left out above 100,000 tokens, and no prompt is refused. */
  readonly budget?: number | Budget
  /** At most so much of the conversation, but never less than the newest turn. Results of one round are one message. */
  readonly window?: Window
  /** How long results stay of tools that set no retention of their own. Default: they stay. */
  readonly retention?: Retention
  /**
   * Turns older than so many are told in the agent's own words: what was said, and what the agent said at last, without
   * the calls in between. Costs nothing, for an agent that says at the end of a turn what came of it.
   */
  readonly ownWords?: { readonly after: number }
  /** What is too long is summarised by a model, after the turn, oldest first. */
  readonly summarize?: SummarizeOptions
  /** Tokens of a text or a message; an estimate unless given. */
  readonly count?: TokenCounter
}

export interface Budget {
  readonly tokens: number
  /** Kept free for what hooks and plugins put beside the user's words. */
  readonly reserve?: number
  /** The most that each part may take of it. */
  readonly instructions?: number
  readonly tools?: number
  readonly summary?: number
  readonly conversation?: number
  readonly injected?: number
}

export type Window = { readonly messages: number } | { readonly turns: number } | { readonly tokens: number }

export interface SummarizeOptions {
  /** The model that writes it. Default: the agent's own. */
  readonly model?: Model
  /** What to keep, in your own words, besides our own instructions. */
  readonly instructions?: string
  /** Begins when the conversation takes more than this part of its room; Default: 0.75. */
  readonly from?: number
  /** Tokens of the conversation in one call of the model; Default: 8,000. */
  readonly chunk?: number
  /** The most a summary may take; Default: 1,000 tokens. */
  readonly length?: number
}

export type TokenCounter = (what: string | PromptMessage) => number

/** Once something has to give, this much of the room is left filled: else something would have to give every turn. */
export const LOW_WATER = 0.75

export const DEFAULT_BUDGET = 100_000

/** Results of so many newest rounds are never left out. */
export const RECENT_ROUNDS = 2
