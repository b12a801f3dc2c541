/** What models cost, by the application: the vendors publish prices, and replies do not have them. */
import { HoldpointError } from '@holdpoint/core'
import type { PriceOf } from '@holdpoint/runtime'

export interface Prices {
  /** Such as `EUR`. The numbers are shown with it. */
  readonly currency: string
  /** By the name of the model, with or without its provider: `openai/gpt-5-mini`, `gpt-5-mini`. */
  readonly models: Readonly<Record<string, ModelPrice>>
}

/** For a million tokens. */
export interface ModelPrice {
  readonly input: number
  readonly output: number
  /** Input tokens that were read from the vendor's cache. Default: as `input`. */
  readonly cached?: number
}

const MILLION = 1_000_000

export function isPrices(value: unknown): value is Prices {
  if (typeof value !== 'object' || value === null) return false
  const { currency, models } = value as Partial<Record<keyof Prices, unknown>>
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) return false
  return typeof models === 'object' && models !== null && Object.values(models).every(isModelPrice)
}

export function checkPrices(given: Prices | undefined): Prices | undefined {
  if (given === undefined || isPrices(given)) return given
  throw new HoldpointError(
    'config-invalid',
    '"prices" must be { currency: "EUR", models: { name: { input, output, cached } } }, with prices for a million tokens.',
  )
}

/** Undefined for a model that is not in the table. */
export function priceOf({ models }: Prices): PriceOf {
  return ({ model, inputTokens, outputTokens, cachedTokens = 0 }) => {
    const price = namesOf(model)
      .map((name) => (Object.hasOwn(models, name) ? models[name] : undefined))
      .find((each) => each !== undefined)
    if (!price) return undefined
    const { input, output, cached = input } = price
    const read = Math.min(cachedTokens, inputTokens)
    return ((inputTokens - read) * input + read * cached + outputTokens * output) / MILLION
  }
}

/** Vendors answer with a dated name, such as `gpt-5-mini-2025-08-07`. The exact name comes first. */
function namesOf(model: string): readonly string[] {
  const short = model.slice(model.indexOf('/') + 1)
  const undated = (name: string): string => name.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '')
  return [model, short, undated(model), undated(short)]
}

function isModelPrice(value: unknown): value is ModelPrice {
  if (typeof value !== 'object' || value === null) return false
  const { input, output, cached = 0 } = value as Partial<Record<keyof ModelPrice, unknown>>
  return [input, output, cached].every((each) => typeof each === 'number' && Number.isFinite(each) && each >= 0)
}
