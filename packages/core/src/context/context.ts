/** An agent's settings for prompts, checked and with defaults. */
import { HoldpointError } from '../failure.ts'
import { isObject, describeValue } from '../json.ts'
import {
  DEFAULT_BUDGET,
  type Budget,
  type ContextOptions,
  type SummarizeOptions,
  type TokenCounter,
  type Window,
} from './context-options.ts'
import type { Retention } from '../tool/tool-options.ts'
import { checkedCounter, estimateTokens } from './count.ts'

export interface Context {
  readonly budget: Budget & { readonly reserve: number }
  /** The agent limits the size of a prompt, and a larger one is an error. Without the limit, the vendor decides. */
  readonly strict: boolean
  readonly window: Window | undefined
  readonly retention: Retention | undefined
  readonly ownWordsAfter: number | undefined
  readonly summarize: SummarizeOptions | undefined
  readonly count: TokenCounter
}

export function contextOf(agent: string, options: ContextOptions = {}): Context {
  check(agent, options)
  const { budget = DEFAULT_BUDGET, window, retention, ownWords, summarize, count } = options
  const whole = typeof budget === 'number' ? { tokens: budget } : budget
  return {
    budget: { ...whole, reserve: whole.reserve ?? 0 },
    strict: options.budget !== undefined,
    window,
    retention,
    ownWordsAfter: ownWords?.after,
    summarize,
    count: count ? checkedCounter(count) : estimateTokens,
  }
}

const BUDGET = ['tokens', 'reserve', 'instructions', 'tools', 'summary', 'conversation', 'injected'] as const
const SETTINGS: readonly (keyof ContextOptions)[] = ['budget', 'window', 'retention', 'ownWords', 'summarize', 'count']

function check(agent: string, options: ContextOptions): void {
  const invalid = (what: string): HoldpointError => new HoldpointError('config-invalid', `Agent "${agent}": ${what}`)
  const given: unknown = options
  if (!isObject(given)) throw invalid(`"context" must be an object, not ${describeValue(given)}.`)
  const unknown = Object.keys(given).find((key) => !SETTINGS.some((setting) => setting === key))
  if (unknown !== undefined) throw invalid(`there is no setting "context.${unknown}". It takes ${SETTINGS.join(', ')}.`)
  const numbers = (name: string, value: unknown, keys: readonly string[], least: number): void => {
    if (!isObject(value)) throw invalid(`"context.${name}" must be an object, not ${describeValue(value)}.`)
    for (const [key, each] of Object.entries(value)) {
      if (!keys.includes(key)) throw invalid(`"context.${name}" takes ${keys.join(', ')}, not "${key}".`)
      if (!(Number.isInteger(each) && Number(each) >= least))
        throw invalid(`"context.${name}.${key}" must be a whole number from ${least}, not ${describeValue(each)}.`)
    }
  }
  const { budget, window, retention, ownWords, summarize, count } = options
  if (typeof budget === 'object') {
    numbers('budget', budget, BUDGET, 0)
    if (budget.tokens === undefined) throw invalid('"context.budget" needs "tokens", the most a prompt may take.')
    if (budget.tokens <= (budget.reserve ?? 0)) throw invalid('"context.budget.reserve" leaves nothing for the prompt.')
  } else if (budget !== undefined) numbers('budget', { tokens: budget }, BUDGET, 1)
  if (window !== undefined) {
    numbers('window', window, ['messages', 'turns', 'tokens'], 1)
    if (Object.keys(window).length !== 1) throw invalid('"context.window" takes one of messages, turns and tokens.')
  }
  if (retention !== undefined && retention !== 'keep') numbers('retention', retention, ['turns', 'last'], 0)
  if (ownWords !== undefined) numbers('ownWords', ownWords, ['after'], 1)
  if (summarize !== undefined) checkSummarize(summarize, invalid)
  if (count !== undefined && typeof count !== 'function')
    throw invalid(`"context.count" must be a function of a text or a message, not ${describeValue(count)}.`)
}

function checkSummarize(summarize: SummarizeOptions, invalid: (what: string) => HoldpointError): void {
  const given: unknown = summarize
  if (!isObject(given)) throw invalid(`"context.summarize" must be an object, not ${describeValue(given)}.`)
  const { model, instructions, from = 0.75, chunk = 1, length = 1, ...rest } = summarize
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw invalid(`"context.summarize" has no setting "${unknown}".`)
  if (model !== undefined && typeof model?.stream !== 'function')
    throw invalid('"context.summarize.model" must be a model, with a stream() method.')
  if (instructions !== undefined && typeof instructions !== 'string')
    throw invalid('"context.summarize.instructions" must be text.')
  if (!(from > 0 && from <= 1)) throw invalid('"context.summarize.from" must be a part of the budget, such as 0.75.')
  for (const [key, value] of Object.entries({ chunk, length }))
    if (!(Number.isInteger(value) && value >= 1))
      throw invalid(`"context.summarize.${key}" must be a whole number from 1, not ${describeValue(value)}.`)
}
