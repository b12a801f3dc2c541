/** `runtime.rules`: what happens to calls without a person being asked each time. Needs the option `rules: true`. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { describeValue } from '@holdpoint/core/internal/json'
import type { Page } from '@holdpoint/core/internal/log/store'
import { principalOf, type Principal } from '@holdpoint/core/internal/principal'
import type { Rule, RuleText } from '@holdpoint/core/internal/rule/rule'
import { checkPrincipal } from '../conversation/check-principal.ts'
import type { Engine } from '../node/engine.ts'
import type { RuleResult, RuleStore } from '../rules/rule-store.ts'
import { backtest, type BacktestOptions, type BacktestResult } from './backtest.ts'
import { checkFilter, checkId, checkLimit, checkRequestOptions, OPTIONS, RULES } from './check-request.ts'

export interface SaveRuleOptions {
  /** The author, with their groups: the rule allows only what they could have approved alone. */
  readonly by: string | Principal
  /** The rule to change, and the version that the author saw. Default: a new rule. */
  readonly id?: string
  readonly version?: number
}

export interface RevokeRuleOptions {
  readonly by: string | Principal
  readonly reason?: string
  /** The version that the caller saw. With another version, nothing is revoked. */
  readonly version?: number
}

export interface RuleFilter {
  readonly tool?: string
  /** A text in the words, the reason, the author or the id of a rule. */
  readonly search?: string
  readonly after?: string
  readonly limit?: number
}

export class Rules {
  readonly #engine: Engine
  readonly #tenant: string

  constructor(engine: Engine, tenant: string) {
    this.#engine = engine
    this.#tenant = tenant
  }

  /** Whether this runtime consults rules. If not, no rule can be saved: it would be accepted and never followed. */
  get consulted(): boolean {
    return this.#engine.rules !== undefined
  }

  /** Saves a rule, once its examples are checked. It applies to calls that are made after this resolves. */
  async save(rule: RuleText, options: SaveRuleOptions): Promise<RuleResult> {
    const { by, id, version } = checkRequestOptions(options, OPTIONS.saveRule)
    const who = this.#who(by)
    return this.#store.save(this.#tenant, rule, {
      by: who,
      ...(id !== undefined && { id: checkId('The id of a rule', id) }),
      ...(version !== undefined && { version }),
    })
  }

  /** Ends a rule. A call that a process is just starting may still use it; no later one does. */
  async revoke(id: string, options: RevokeRuleOptions): Promise<RuleResult> {
    const { by, ...rest } = checkRequestOptions(options, OPTIONS.revokeRule)
    return this.#store.revoke(this.#tenant, checkId('The id of a rule', id), { ...rest, by: this.#who(by) })
  }

  /** A rule with its newest uses, also for a while after it ended. */
  async find(id: string): Promise<Rule | undefined> {
    return this.#store.find(this.#tenant, checkId('The id of a rule', id))
  }

  async list(filter: RuleFilter = {}): Promise<Page<Rule>> {
    const { limit, ...rest } = checkFilter(filter, RULES)
    return this.#store.list(this.#tenant, { ...rest, limit: checkLimit(limit) })
  }

  /** What these rules would have decided about calls in the log, beside what people decided. Nothing is saved. */
  async backtest(rules: readonly RuleText[], options: BacktestOptions = {}): Promise<BacktestResult> {
    const { calls = 1000, since = 0 } = checkRequestOptions(options, OPTIONS.backtest)
    if (!Number.isInteger(calls) || calls < 1 || calls > 10_000)
      throw invalid(`"calls" must be a whole number from 1 to 10000, not ${describeValue(calls)}.`)
    if (!Number.isFinite(since)) throw invalid(`"since" must be a time in milliseconds, not ${describeValue(since)}.`)
    if (!Array.isArray(rules) || rules.length === 0 || rules.length > 100)
      throw invalid('A backtest needs a list of 1 to 100 rules.')
    const texts = rules.map((rule, index) => {
      // A rule that has ended can be tested too.
      const checked = this.#store.check(rule, -Infinity)
      if (!checked.ok) throw invalid(`Rule ${index + 1} of the backtest: ${checked.why}`)
      return checked.rule
    })
    return backtest(this.#engine, this.#tenant, this.#store.evaluator, texts, { calls, since })
  }

  #who(by: string | Principal): Principal {
    const who = principalOf(checkPrincipal(by))
    if (!who) throw invalid('Say who saves or revokes a rule with "by".')
    return who
  }

  get #store(): RuleStore {
    const { rules } = this.#engine
    if (!rules)
      throw invalid('This runtime does not consult rules, so a rule would not be followed. Open it with rules: true.')
    return rules
  }
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
