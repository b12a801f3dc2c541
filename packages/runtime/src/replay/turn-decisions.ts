/** What a model decided in a turn: the calls it asked for, and its texts. */
import type { Json } from '@holdpoint/core/internal/json'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { Conversation } from '@holdpoint/core/internal/turn/turn-state'
import type { PriceOf } from '../scan/log-usage.ts'
import { resultOf } from '../session/result.ts'

export interface DecidedCall {
  readonly name: string
  readonly input: Json
}

export interface DecidedStep {
  readonly step: number
  readonly text: string
  readonly calls: readonly DecidedCall[]
  readonly inputTokens: number
  readonly outputTokens: number
  /** As the vendor named it, if it did. */
  readonly model?: string
}

export interface TurnDecisions {
  readonly steps: readonly DecidedStep[]
  /** The text of the last step. */
  readonly text: string
  readonly inputTokens: number
  readonly outputTokens: number
  /** Undefined without prices, or when a model has none. */
  readonly cost?: number
}

export function decisionsOf(
  events: readonly LogEvent[],
  state: Conversation,
  turnId: string,
  price: PriceOf | undefined,
): TurnDecisions {
  const { steps, text, usage } = resultOf(events, state, 'auto', turnId)
  const costs = steps.map(({ reply }) => price?.({ ...reply.usage, model: reply.modelId ?? '' }))
  const cost = costs.reduce((sum, each) => (sum === undefined || each === undefined ? undefined : sum + each), 0)
  return {
    steps: steps.map(({ step, reply, text: said, calls }) => ({
      step,
      text: said,
      calls: calls.map(({ name, input }) => ({ name, input })),
      inputTokens: reply.usage.inputTokens,
      outputTokens: reply.usage.outputTokens,
      ...(reply.modelId !== undefined && { model: reply.modelId }),
    })),
    text,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    ...(price && cost !== undefined && { cost }),
  }
}
