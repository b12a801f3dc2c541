/**
 * The values of an input that rules read, by pointer, as a record of Cedar. Cedar has no null, no fractions, no lists with an order and no length of a
 * text, so a value is not passed as it is, but as facts about it:
 *
 * | fact | of | |
 * |---|---|---|
 * | `json` | any value | its canonical JSON: equal values have equal texts |
 * | `text` | a text | as in JSON, without its quotes: so a lone surrogate stays what it is, and a prefix stays a prefix |
 * | `up` | a text | whether it has a part `..` |
 * | `floor`, `ceil` | a number | the whole numbers around it |
 * | `length` | a text or a list | |
 */
import type { CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs'
import { canonical, hasParentPart, pointerParts, valuesAt, type Condition, type Json } from '@holdpoint/core'

/** The largest bound of a rule is below it, so a number at this limit compares as the real one does. */
export const LARGEST_NUMBER: number = Number.MAX_SAFE_INTEGER

/** The facts by pointer, without those of values that are missing. */
export function inputFacts(input: Json, conditions: Iterable<Condition>): Record<string, CedarValueJson> {
  const facts = new Map<string, CedarValueJson>()
  for (const { at } of conditions) {
    const [value] = facts.has(at) ? [] : valuesAt(input, pointerParts(at) ?? [])
    if (value !== undefined) facts.set(at, factsOf(value))
  }
  return Object.fromEntries(facts)
}

function factsOf(value: Json): Record<string, CedarValueJson> {
  const json = canonical(value)
  if (typeof value === 'string')
    return { json, text: textInJson(value), up: hasParentPart(value), length: value.length }
  if (typeof value === 'number') return { json, floor: whole(Math.floor(value)), ceil: whole(Math.ceil(value)) }
  return Array.isArray(value) ? { json, length: value.length } : { json }
}

export function textInJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Without the sign of -0. */
function whole(value: number): number {
  return Math.min(Math.max(value, -LARGEST_NUMBER), LARGEST_NUMBER) + 0
}
