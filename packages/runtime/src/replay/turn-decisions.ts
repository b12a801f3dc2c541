/** What a model decided in a turn: the calls it asked for, and its texts. */
import type { Json } from '@holdpoint/core/internal/json'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { Conversation } from '@holdpoint/core/internal/turn/turn-state'
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
}

export interface TurnDecisions {
  readonly steps: readonly DecidedStep[]
  /** The text of the last step. */
  readonly text: string
  readonly inputTokens: number
  readonly outputTokens: number
}

export function decisionsOf(events: readonly LogEvent[], state: Conversation, turnId: string): TurnDecisions {
  const { steps, text, usage } = resultOf(events, state, 'auto', turnId)
  return {
    steps: steps.map(({ step, reply, text: said, calls }) => ({
      step,
      text: said,
      calls: calls.map(({ name, input }) => ({ name, input })),
      inputTokens: reply.usage.inputTokens,
      outputTokens: reply.usage.outputTokens,
    })),
    text,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
  }
}
