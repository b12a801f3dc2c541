/** A rule in words. Text from outside is quoted as JSON with hidden characters escaped, so that it cannot look like another rule. */
import type { Json } from '../json.ts'
import { pointerParts } from './pointer.ts'
import type { Bounds, Condition, RuleEffect, RuleText } from './rule.ts'

const EFFECTS: Readonly<Record<RuleEffect, string>> = {
  allow: 'Allow',
  ask: 'Ask a person about',
  deny: 'Deny',
}

export function ruleWords(
  rule: Pick<RuleText, 'effect' | 'tool' | 'when' | 'unless' | 'scope' | 'uses' | 'shadow'>,
): string {
  const { effect, tool, when, unless = [], scope = {}, uses, shadow } = rule
  const every = effect === 'allow'
  const text = [
    `${EFFECTS[effect]} ${tool}`,
    when.length > 0 ? ` when ${conditionsWords(when, every)}` : ' with any input',
    ...unless.map((exception) => `, unless ${conditionsWords(exception, true)}`),
    ...scopeWords(scope),
    uses === undefined ? '' : `, for ${uses === 1 ? 'one call' : `${uses} calls`}`,
  ].join('')
  return `${shadow ? 'Only record, do not enforce: ' : ''}${text}.`
}

export function conditionsWords(conditions: readonly Condition[], every: boolean): string {
  return conditions.map((condition) => conditionWords(condition, every)).join(' and ')
}

function conditionWords(condition: Condition, every: boolean): string {
  const field = fieldWords(condition.at, every)
  if ('equals' in condition) return `${field} is ${quoted(condition.equals)}`
  if ('in' in condition) return `${field} is one of ${condition.in.map(quoted).join(', ')}`
  if ('prefix' in condition) return `${field} begins with ${quoted(condition.prefix)}`
  if ('range' in condition) return `${field} is ${boundsWords(condition.range)}`
  return `${field} has a length of ${boundsWords(condition.length)}`
}

function fieldWords(pointer: string, every: boolean): string {
  const parts = pointerParts(pointer) ?? []
  if (parts.length === 0) return 'the whole input'
  const name = parts
    .map((part) => (part === '*' ? (every ? '(every element)' : '(any element)') : shown(part)))
    .join(' › ')
  return name
}

function boundsWords({ min, max }: Bounds): string {
  if (min !== undefined && max !== undefined) return `${min === max ? `exactly ${min}` : `from ${min} to ${max}`}`
  return min === undefined ? `at most ${max}` : `at least ${min}`
}

function scopeWords({ conversation, person, agent }: NonNullable<RuleText['scope']>): readonly string[] {
  return [
    conversation === undefined ? '' : `, in conversation ${quoted(conversation)}`,
    person === undefined ? '' : `, when ${quoted(person)} asked`,
    agent === undefined ? '' : `, by agent ${quoted(agent)}`,
  ]
}

function quoted(value: Json): string {
  return escaped(JSON.stringify(value))
}

/** A plain name needs no quotes. */
function shown(part: string): string {
  return /^[\w-]+$/.test(part) ? part : quoted(part)
}

/** Characters that are not seen, or that change the order of others: bidirectional marks, joiners, other spaces. */
const HIDDEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu

function escaped(text: string): string {
  return text.replaceAll(HIDDEN, (each) => (each === ' ' ? each : `\\u{${each.codePointAt(0)!.toString(16)}}`))
}
