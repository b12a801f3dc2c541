/**
 * A rule: what happens to calls of a tool whose input fits conditions. A rule is plain data, so that people can read it, list it
 * and revoke it.
 *
 * - Conditions read the input as the tool's schema returned it, by JSON Pointer, and compare values of the same type. There are no
 *   patterns: a person who reads a rule sees what it covers.
 * - A rule is for one definition of its tool. If the definition changes, the rule decides nothing but "ask".
 * - Of several rules that match, the strictest decides: `deny`, then `ask`, then `allow`.
 */
import type { Json } from '../json.ts'
import type { Principal } from '../principal.ts'

export type RuleEffect = 'allow' | 'ask' | 'deny'

/**
 * `at` is a JSON Pointer into the input. A part `*` means the elements of a list: an `allow` needs every element to fit, an `ask` or a
 * `deny` needs one.
 */
export type Condition = { readonly at: string } & (
  | { readonly equals: Json }
  | { readonly in: readonly Json[] }
  /** The beginning of a text, exactly. */
  | { readonly prefix: string }
  /** A number; both ends are included. */
  | { readonly range: Bounds }
  /** The number of characters of a text (UTF-16 units), or of elements of a list. */
  | { readonly length: Bounds }
)

export interface Bounds {
  readonly min?: number
  readonly max?: number
}

/** Where a rule applies: all of these must fit. An empty scope is the whole tenant. */
export interface RuleScope {
  readonly conversation?: string
  readonly person?: string
  readonly agent?: string
}

/** What the author of a rule says. */
export interface RuleText {
  readonly effect: RuleEffect
  readonly tool: string
  /** The fingerprint of the tool's definition that the author saw. */
  readonly fingerprint: string
  /** All must fit. An empty list fits every input. */
  readonly when: readonly Condition[]
  /** Only in a `deny`: exceptions. The rule does not apply to an input that fits every condition of one of them. */
  readonly unless?: readonly (readonly Condition[])[]
  readonly scope?: RuleScope
  readonly reason?: string
  readonly expiresAt?: number
  /** Only in an `allow`: how many calls it allows. */
  readonly uses?: number
  /** Inputs that the rule must match, and inputs that it must not match. Checked when the rule is saved. */
  readonly examples?: { readonly match?: readonly Json[]; readonly noMatch?: readonly Json[] }
  /** The rule decides nothing. The log records what it would have decided. */
  readonly shadow?: true
}

/** A use of a rule: the call that it decided. */
export interface RuleUse {
  readonly conversationId: string
  readonly callId: string
  readonly at: number
}

export interface Rule extends RuleText {
  readonly id: string
  /** 1 when the rule is saved first; each change of its text adds 1. */
  readonly version: number
  readonly author: Pick<Principal, 'id' | 'kind' | 'groups' | 'via'>
  readonly createdAt: number
  readonly savedAt: number
  /** How many calls this version decided. */
  readonly used: number
  /** The newest of those calls; all of them for a rule with `uses`. */
  readonly calls: readonly RuleUse[]
  readonly revoked?: { readonly by: string; readonly at: number; readonly reason?: string }
}

/** Names one version of a rule. */
export interface RuleRef {
  readonly id: string
  readonly version: number
}

/** A decision by rule, as the log has it. */
export interface RuleDecision {
  readonly effect: RuleEffect
  readonly rule: RuleRef
  /** Why, in words. */
  readonly why: string
  /** Why the decision was not followed: the gate in the tool's code is stricter. */
  readonly ignored?: string
}

const STRICTNESS: Readonly<Record<RuleEffect, number>> = { allow: 0, ask: 1, deny: 2 }

export function isStricter(a: RuleEffect, b: RuleEffect): boolean {
  return STRICTNESS[a] > STRICTNESS[b]
}

/** Whether the rule can decide a call now. A use that this call has already counts as left. */
export function isInForce(rule: Rule, now: number, callId?: string): boolean {
  if (rule.revoked || now >= (rule.expiresAt ?? Infinity)) return false
  return rule.uses === undefined || rule.used < rule.uses || rule.calls.some((call) => call.callId === callId)
}
