/**
 * Judges a call by rules. Pure: the same rules and the same call give the same decision, for a live call, a backtest and a
 * simulation.
 *
 * | the input, the scope or the definition | `allow` | `ask` | `deny` |
 * |---|---|---|---|
 * | fits | allows | asks | denies, unless an exception fits |
 * | does not fit | nothing | nothing | nothing |
 * | is unclear: a field is missing, a value has another type, the definition changed | nothing | asks | asks |
 */
import type { Json } from '../json.ts'
import { isInForce, isStricter, type Rule, type RuleDecision } from './rule.ts'
import { ruleWords } from './rule-words.ts'
import { fitsAll, type Fit } from './fits-all.ts'

export interface CallFacts {
  readonly callId: string
  readonly tool: string
  readonly fingerprint: string
  /** As the tool's schema returned it. Undefined if JSON cannot show that value: no condition fits it. */
  readonly input: Json | undefined
  readonly conversation: string
  readonly agent: string
  /** The people who asked for the call; undefined for an author without a name. */
  readonly people: readonly (string | undefined)[]
  readonly now: number
}

export interface JudgedByRules {
  /** The strictest of the rules that are in force. */
  readonly decision?: Finding
  /** The strictest of the rules in shadow mode. */
  readonly shadow?: Finding
}

/** A rule that decides, and what it decides. */
export interface Finding extends RuleDecision {
  readonly by: Rule
}

/** `passOver`: allow rules that may not decide this call. */
export function judgeByRules(
  rules: readonly Rule[],
  facts: CallFacts,
  passOver: ReadonlySet<string> = new Set(),
): JudgedByRules {
  let [decision, shadow]: (Finding | undefined)[] = []
  for (const rule of rules) {
    if (rule.tool !== facts.tool || passOver.has(rule.id) || !isInForce(rule, facts.now, facts.callId)) continue
    const found = findingOf(rule, facts)
    if (!found) continue
    if (rule.shadow) shadow = stricter(shadow, found)
    else decision = stricter(decision, found)
  }
  return { ...(decision && { decision }), ...(shadow && { shadow }) }
}

/** Of equally strict ones, that of the oldest rule. */
export function strictestFinding(findings: readonly Finding[]): Finding | undefined {
  let found: Finding | undefined
  for (const each of findings) found = stricter(found, each)
  return found
}

function stricter(one: Finding | undefined, other: Finding): Finding {
  if (!one || isStricter(other.effect, one.effect)) return other
  if (isStricter(one.effect, other.effect)) return one
  // Of equally strict rules, the oldest decides, whatever the order of the list.
  const older = other.by.createdAt - one.by.createdAt || (other.by.id < one.by.id ? -1 : 1)
  return older < 0 ? other : one
}

function findingOf(rule: Rule, facts: CallFacts): Finding | undefined {
  const fit = fitOf(rule, facts)
  if (fit === 'no') return undefined
  const certain = fit === 'yes' && rule.fingerprint === facts.fingerprint
  return rule.effect === 'allow' && !certain ? undefined : findingBy(rule, fit, facts)
}

/** What a rule decides about a call that it fits, or may fit, and why. For evaluators. */
export function findingBy(
  rule: Rule,
  fit: Exclude<Fit, 'no'>,
  { fingerprint }: Pick<CallFacts, 'fingerprint'>,
): Finding {
  const changed = rule.fingerprint !== fingerprint
  if (fit === 'yes' && !changed) return finding(rule, rule.effect, ruleWords(rule))
  const why = changed
    ? 'the definition of the tool changed since the rule was saved'
    : 'a field of the rule is missing in the input, or has another type'
  return finding(rule, 'ask', `${ruleWords(rule)} It asks because ${why}.`)
}

function finding(rule: Rule, effect: RuleDecision['effect'], why: string): Finding {
  return { effect, rule: { id: rule.id, version: rule.version }, why, by: rule }
}

function fitOf(rule: Rule, facts: CallFacts): Fit {
  if (!isInScope(rule, facts)) return 'no'
  const fit = fitsAll(rule.when, facts.input, rule.effect === 'allow' ? 'every' : 'some')
  // An exception that is unclear is no exception.
  if (rule.unless?.some((exception) => fitsAll(exception, facts.input, 'every') === 'yes')) return 'no'
  return fit
}

/** A turn may have several authors. An `allow` for one person must not cover what another asked. */
function isInScope({ effect, scope = {} }: Rule, { conversation, agent, people }: CallFacts): boolean {
  if (scope.conversation !== undefined && scope.conversation !== conversation) return false
  if (scope.agent !== undefined && scope.agent !== agent) return false
  const { person } = scope
  if (person === undefined) return true
  return effect === 'allow'
    ? people.length > 0 && people.every((id) => id === person)
    : people.some((id) => id === undefined || id === person)
}
