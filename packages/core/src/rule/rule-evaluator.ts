/** The port for what judges calls by rules. The built-in evaluator is `judgeByRules`; `@holdpoint/rules-cedar` has another one. */
import type { CallFacts, JudgedByRules } from './judge-by-rules.ts'
import type { Rule, RuleText } from './rule.ts'

export interface RuleEvaluator {
  /**
   * The strictest rule that matches, as `judgeByRules` finds it. `passOver`: allow rules that may not decide this call. An evaluator that
   * cannot judge all of the rules must throw: then the call is held.
   */
  judge(rules: readonly Rule[], facts: CallFacts, passOver?: ReadonlySet<string>): JudgedByRules
  /** Why it cannot judge this rule. Such a rule is not saved. */
  refuses?(rule: RuleText): string | undefined
}
