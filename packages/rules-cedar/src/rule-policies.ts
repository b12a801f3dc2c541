/**
 * A rule as policies of Cedar. Cedar knows permit and forbid, and a forbid wins, so the strictest rule decides:
 *
 * | rule | fits | is unclear, or the tool's definition changed |
 * |---|---|---|
 * | `allow` | permit | |
 * | `ask` | forbid, `@effect("ask")` | forbid, `@effect("ask")` |
 * | `deny` | forbid, `@effect("deny")` | forbid, `@effect("ask")` |
 *
 * A policy whose condition fails is skipped by Cedar, also a forbid. So each access is behind a `has`, and an evaluator must refuse a
 * decision with errors.
 */
import type { Expr, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import { canonical, pointerParts, type Bounds, type Condition, type RuleEffect, type RuleText } from '@holdpoint/core'
import { all, any, constant, context, equal, get, has, not, set } from './expressions.ts'
import { LARGEST_NUMBER, textInJson } from './input-facts.ts'

/** `unclear`: the policy applies where the rule neither fits nor does not fit. */
export type Part = 'fits' | 'unclear'

export type RulePolicies = Readonly<Partial<Record<Part, PolicyJson>>>

/** Why Cedar cannot say what the rule says. */
export function whyNotCedar(rule: RuleText): string | undefined {
  for (const condition of [...rule.when, ...(rule.unless ?? []).flat()]) {
    const where = JSON.stringify(condition.at)
    if (pointerParts(condition.at)?.includes('*'))
      return `Cedar has no test for the elements of a list, as ${where} needs. Name a single element, or use the built-in evaluator.`
    if ('range' in condition && [condition.range.min, condition.range.max].some((bound) => !isWhole(bound)))
      return `Cedar has no fractions and only 64-bit numbers: the range at ${where} needs whole numbers below 2^53.`
    if ('prefix' in condition && !condition.prefix.isWellFormed())
      return `Cedar has no half characters: the prefix at ${where} ends in the middle of one.`
  }
  return undefined
}

function isWhole(bound: number | undefined): boolean {
  return bound === undefined || (Number.isInteger(bound) && Math.abs(bound) < LARGEST_NUMBER)
}

export function rulePolicies(rule: RuleText): RulePolicies {
  const { effect, when, unless = [] } = rule
  const conditions = when.map(conditionExpressions)
  const sameTool = equal(get(context, 'fingerprint'), constant(rule.fingerprint))
  const exceptions = unless.map((exception) => not(all(exception.map(conditionExpressions).map(isYes))))
  const fits = [...scope(rule), sameTool, ...conditions.map(isYes), ...exceptions]
  if (effect === 'allow') return { fits: policy('permit', effect, rule.tool, all(fits)) }
  const certain = all([sameTool, ...conditions.map(isYes)])
  const unclear = [...scope(rule), ...conditions.map(isNotNo), ...exceptions, not(certain)]
  return {
    fits: policy('forbid', effect, rule.tool, all(fits)),
    unclear: policy('forbid', 'ask', rule.tool, all(unclear)),
  }
}

function policy(kind: 'permit' | 'forbid', effect: RuleEffect, tool: string, body: Expr): PolicyJson {
  return {
    effect: kind,
    principal: { op: 'is', entity_type: 'Holdpoint::Agent' },
    action: { op: '==', entity: { type: 'Holdpoint::Action', id: 'call' } },
    resource: { op: '==', entity: { type: 'Holdpoint::Tool', id: tool } },
    conditions: [{ kind: 'when', body }],
    annotations: { effect },
  }
}

/** A turn may have several authors. An `allow` for one person must not cover what another asked. */
function scope({ effect, scope: { conversation, agent, person } = {} }: RuleText): readonly Expr[] {
  const people = get(context, 'people')
  const nameless = get(context, 'nameless')
  return [
    ...(conversation === undefined ? [] : [equal(get(context, 'conversation'), constant(conversation))]),
    ...(agent === undefined ? [] : [equal(get(context, 'agent'), constant(agent))]),
    ...(person === undefined
      ? []
      : [
          effect === 'allow'
            ? all([not(nameless), equal(people, set([person]))])
            : any([nameless, { contains: { left: people, right: constant(person) } }]),
        ]),
  ]
}

interface ConditionExpressions {
  /** The value is there, and has the type of the test. */
  readonly known: Expr
  /** Only to be evaluated where `known` is true. */
  readonly fits: Expr
}

function isYes({ known, fits }: ConditionExpressions): Expr {
  return all([known, fits])
}

function isNotNo({ known, fits }: ConditionExpressions): Expr {
  return any([not(known), fits])
}

function conditionExpressions(condition: Condition): ConditionExpressions {
  const input = get(context, 'input')
  const value = get(input, condition.at)
  const known = (fact: string): Expr => all([has(context, 'input'), has(input, condition.at), has(value, fact)])
  if ('equals' in condition)
    return { known: known('json'), fits: equal(get(value, 'json'), constant(canonical(condition.equals))) }
  if ('in' in condition)
    return {
      known: known('json'),
      fits: { contains: { left: set(condition.in.map(canonical)), right: get(value, 'json') } },
    }
  if ('prefix' in condition) {
    const isPath = /[\\/]/.test(condition.prefix)
    return {
      known: isPath ? all([known('text'), not(get(value, 'up'))]) : known('text'),
      fits: {
        like: { left: get(value, 'text'), pattern: [{ Literal: textInJson(condition.prefix) }, 'Wildcard'] },
      },
    }
  }
  if ('range' in condition)
    return { known: known('floor'), fits: within(get(value, 'floor'), get(value, 'ceil'), condition.range) }
  return { known: known('length'), fits: within(get(value, 'length'), get(value, 'length'), lengths(condition.length)) }
}

/** For whole bounds: at least `min` is what the number rounded down is, and at most `max` what it is rounded up. */
function within(floor: Expr, ceil: Expr, { min, max }: Bounds): Expr {
  return all([
    ...(min === undefined ? [] : [{ '>=': { left: floor, right: constant(min) } }]),
    ...(max === undefined ? [] : [{ '<=': { left: ceil, right: constant(max) } }]),
  ])
}

/** A length is whole, and far below the largest number. */
function lengths({ min, max }: Bounds): Bounds {
  const clamped = (bound: number): number => Math.min(Math.max(bound, -1), LARGEST_NUMBER) + 0
  return {
    ...(min !== undefined && { min: clamped(Math.ceil(min)) }),
    ...(max !== undefined && { max: clamped(Math.floor(max)) }),
  }
}
