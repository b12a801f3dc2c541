import {
  paths,
  type ChangeRule,
  type ListOf,
  type RuleRow,
  type RulesFilter,
  type RunBacktest,
  type SaveRule,
} from '@holdpoint/protocol'
import type { BacktestResult } from '@holdpoint/runtime'
import type { Http, RequestOptions } from './http.ts'

export interface Rules {
  /** Also rules that ended in the last 90 days. */
  list(filter?: RulesFilter, options?: RequestOptions): Promise<ListOf<RuleRow>>
  find(id: string, options?: RequestOptions): Promise<RuleRow>
  /** A new rule. It applies to every call that is made after this resolves. */
  save(rule: SaveRule, options?: RequestOptions): Promise<RuleRow>
  change(id: string, rule: ChangeRule, options?: RequestOptions): Promise<RuleRow>
  revoke(id: string, options?: RequestOptions & { readonly reason?: string; readonly by?: string }): Promise<RuleRow>
  /** What rules would have decided about calls in the log, beside what people decided. Nothing is saved. */
  backtest(test: RunBacktest, options?: RequestOptions): Promise<BacktestResult>
}

export function rulesOf(http: Http): Rules {
  return {
    list: (filter, options) => http.get(paths.rules(), options, { ...filter }),
    find: (id, options) => http.get(paths.rule(id), options),
    save: (body, options) => http.post(paths.rules(), body, options),
    change: async (id, body, options) => http.ask({ ...options, method: 'PUT', path: paths.rule(id), body }),
    revoke: (id, { reason, by, ...options } = {}) => http.post(paths.ruleRevoke(id), { reason, by }, options),
    backtest: (body, options) => http.post(paths.backtest(), body, options),
  }
}
