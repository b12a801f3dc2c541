/**
 * The finish reason and the usage of a reply in our format. A required count that the vendor did not report is 0, and an
 * optional one is absent.
 */
import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Finish, Usage } from '@holdpoint/core'

export function finishOf(reason: LanguageModelV4FinishReason | undefined): Finish {
  switch (reason?.unified) {
    case 'stop':
    case 'length':
    case 'content-filter':
    case 'error':
    case 'interrupted':
      return reason.unified
    case 'tool-calls':
      return 'calls'
    case 'other':
    case undefined:
      return 'other'
  }
  // A reason that this version of the specification does not define.
  return 'other'
}

export function usageOf(reported: LanguageModelV4Usage | undefined): Usage {
  const { inputTokens: input, outputTokens: output } = reported ?? {}
  return {
    inputTokens: count(input?.total) ?? 0,
    outputTokens: count(output?.total) ?? 0,
    ...optional('cachedTokens', input?.cacheRead),
    ...optional('cacheWriteTokens', input?.cacheWrite),
    ...optional('reasoningTokens', output?.reasoning),
  }
}

function optional(key: keyof Usage, reported: number | undefined): Partial<Usage> {
  const value = count(reported)
  return value === undefined ? {} : { [key]: value }
}

/** A sum with a missing number arrives as NaN, which JSON cannot represent. */
function count(reported: number | undefined): number | undefined {
  return Number.isFinite(reported) ? reported : undefined
}
