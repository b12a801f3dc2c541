/** Checks a rule before it is saved: its fields, and the examples that it must match and must not match. Returns why it is refused. */
import { canonical, describeValue, isObject, toJson, type Json } from '../json.ts'
import { TOOL_NAME } from '../tool/name.ts'
import { pointerParts } from './pointer.ts'
import type { Condition, RuleText } from './rule.ts'
import { fitsAll } from './fits-all.ts'

const FIELDS: readonly string[] = [
  'effect',
  'tool',
  'fingerprint',
  'when',
  'unless',
  'scope',
  'reason',
  'expiresAt',
  'uses',
  'examples',
  'shadow',
]
const TESTS: readonly string[] = ['equals', 'in', 'prefix', 'range', 'length']
/** The most calls that one rule with `uses` can allow: its document names each of them. */
const MOST_USES = 1000
const LARGEST = 32_000

export type CheckedRule = { readonly ok: true; readonly rule: RuleText } | { readonly ok: false; readonly why: string }

class Refused extends Error {}

export function checkRule(given: unknown, now: number): CheckedRule {
  try {
    const json = toJson(given)
    if (!json.ok || !isObject(json.value)) throw new Refused('A rule must be an object of JSON.')
    const rule = json.value as unknown as RuleText
    checkFields(rule, now)
    checkExamples(rule)
    return { ok: true, rule }
  } catch (error) {
    if (error instanceof Refused) return { ok: false, why: error.message }
    throw error
  }
}

function checkFields(rule: RuleText, now: number): void {
  const { effect, tool, fingerprint, when, unless, reason, expiresAt, uses, shadow } = rule
  known(rule, FIELDS, 'A rule')
  if (canonical(rule as unknown as Json).length > LARGEST) refuse(`A rule is at most ${LARGEST} characters of JSON.`)
  if (!['allow', 'ask', 'deny'].includes(effect))
    refuse(`"effect" must be allow, ask or deny, not ${describeValue(effect)}.`)
  if (typeof tool !== 'string' || !TOOL_NAME.test(tool)) refuse('"tool" must be the name of a tool.')
  if (!isText(fingerprint, 200)) refuse('"fingerprint" must be the fingerprint of the tool that the rule is for.')
  checkConditions(when, '"when"')
  if (unless !== undefined) {
    if (effect !== 'deny')
      refuse('"unless" belongs into a deny: an exception to another rule would make it weaker unseen.')
    if (!Array.isArray(unless) || unless.length === 0 || unless.length > 20)
      refuse('"unless" must be a list of 1 to 20 exceptions, each a list of conditions.')
    for (const exception of unless) {
      checkConditions(exception, 'An exception in "unless"')
      if (exception.length === 0) refuse('An exception without conditions would lift the whole rule.')
    }
  }
  checkScope(rule.scope)
  if (reason !== undefined && !isText(reason, 1000)) refuse('"reason" must be a text of at most 1000 characters.')
  if (expiresAt !== undefined && (!Number.isSafeInteger(expiresAt) || expiresAt <= now))
    refuse('"expiresAt" must be a time in the future, in milliseconds.')
  if (uses !== undefined && effect !== 'allow') refuse('Only an allow has "uses".')
  if (uses !== undefined && !(Number.isSafeInteger(uses) && uses >= 1 && uses <= MOST_USES))
    refuse(`"uses" must be a whole number from 1 to ${MOST_USES}.`)
  if (shadow !== undefined && shadow !== true) refuse('"shadow" must be true, or be left out.')
}

function checkScope(scope: RuleText['scope'] = {}): void {
  known(scope, ['conversation', 'person', 'agent'], '"scope"')
  for (const [name, id] of Object.entries(scope)) if (!isText(id, 512)) refuse(`"scope.${name}" must be an id.`)
}

function checkConditions(conditions: unknown, what: string): void {
  if (!Array.isArray(conditions) || conditions.length > 50) refuse(`${what} must be a list of at most 50 conditions.`)
  for (const condition of conditions as readonly Condition[]) checkCondition(condition)
}

function checkCondition(condition: Condition): void {
  known(condition, ['at', ...TESTS], 'A condition')
  const tests = TESTS.filter((name) => name in condition)
  if (typeof condition.at !== 'string' || !pointerParts(condition.at))
    refuse(`${describeValue(condition.at)} is not a JSON Pointer. Write "/to" for the field "to".`)
  if (tests.length !== 1) refuse(`A condition has exactly one of ${TESTS.join(', ')}; this one has ${tests.length}.`)
  if ('in' in condition && !(Array.isArray(condition.in) && condition.in.length > 0 && condition.in.length <= 200))
    refuse('"in" must be a list of 1 to 200 values.')
  if ('prefix' in condition) checkPrefix(condition.prefix)
  if ('range' in condition) checkBounds(condition.range, 'range')
  if ('length' in condition) checkBounds(condition.length, 'length')
}

/** A web or e-mail address that ends in its host would also fit a longer host. */
const ENDS_IN_HOST = /^[a-z][a-z0-9+.-]*:[\\/]{2}[^\\/?#]*$|^[^\s@]+@[^\s@]+\.[^\s@]+$/i

function checkPrefix(prefix: unknown): void {
  if (typeof prefix !== 'string' || prefix === '') refuse('"prefix" must be a text. An empty one would fit every text.')
  if (ENDS_IN_HOST.test(prefix))
    refuse(
      `The prefix ${JSON.stringify(prefix)} would also fit ${JSON.stringify(`${String(prefix)}.example`)}. End an address with "/", or use "equals".`,
    )
}

function checkBounds(bounds: unknown, name: string): void {
  if (!isObject(bounds)) refuse(`"${name}" must be { min?, max? }.`)
  const { min, max } = bounds as { readonly min?: unknown; readonly max?: unknown }
  known(bounds, ['min', 'max'], `"${name}"`)
  if (min === undefined && max === undefined) refuse(`"${name}" needs "min" or "max".`)
  for (const bound of [min, max])
    if (bound !== undefined && !Number.isFinite(bound)) refuse(`The bounds of "${name}" must be numbers.`)
  if (Number(min ?? -Infinity) > Number(max ?? Infinity)) refuse(`"${name}" has a "min" above its "max".`)
}

function checkExamples(rule: RuleText): void {
  const { examples = {}, when, unless = [], effect } = rule
  known(examples, ['match', 'noMatch'], '"examples"')
  const fits = (input: Json): boolean =>
    fitsAll(when, input, effect === 'allow' ? 'every' : 'some') === 'yes' &&
    !unless.some((exception) => fitsAll(exception, input, 'every') === 'yes')
  for (const name of ['match', 'noMatch'] as const) {
    const inputs = examples[name] ?? []
    if (!Array.isArray(inputs) || inputs.length > 20) refuse(`"examples.${name}" must be a list of at most 20 inputs.`)
    for (const input of inputs as readonly Json[]) {
      if (fits(input) === (name === 'match')) continue
      const must = name === 'match' ? 'must match, and does not' : 'must not match, and does'
      refuse(`The rule ${must}: ${canonical(input).slice(0, 200)}`)
    }
  }
}

function isText(value: unknown, most: number): boolean {
  return typeof value === 'string' && value !== '' && value.length <= most
}

/** A misspelt field must not be dropped: a rule without its `unless`, or without its expiry, is another rule. */
function known(value: unknown, fields: readonly string[], what: string): void {
  if (!isObject(value)) return refuse(`${what} must be an object.`)
  const other = Object.keys(value).find((key) => !fields.includes(key))
  if (other !== undefined) refuse(`${what} has no field "${other}". It has ${fields.join(', ')}.`)
}

function refuse(why: string): never {
  throw new Refused(why)
}
