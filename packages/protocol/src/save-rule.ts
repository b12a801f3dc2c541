/** The bodies about rules. */
import type { Rule, RuleText } from '@holdpoint/core'

export interface SaveRule extends RuleText {
  /** The person that a key acts for. */
  readonly by?: string
}

/** A change names the version that its author saw. */
export interface ChangeRule extends SaveRule {
  readonly version: number
}

export interface RuleRow extends Rule {
  /** The rule as a sentence. */
  readonly words: string
  /** What the caller may do with it. */
  readonly may: { readonly change: boolean }
}

export interface RulesFilter {
  readonly tool?: string
  /** A text in the words, the reason, the author or the id of a rule. */
  readonly search?: string
  readonly after?: string
  readonly limit?: number
}

export interface RunBacktest {
  /** Rules that need not be saved. */
  readonly rules: readonly RuleText[]
  /** Only calls since this time. Default: all. */
  readonly since?: number
  /** The most calls. Default: 1000. */
  readonly calls?: number
}
