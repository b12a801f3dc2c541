import type { RuleRow, RuleText } from '@holdpoint/client'

/** The text of a rule, without shadow mode. */
export function textOf(rule: RuleRow): RuleText {
  const { effect, tool, fingerprint, when, unless, scope, reason, expiresAt, uses, examples } = rule
  return {
    effect,
    tool,
    fingerprint,
    when,
    ...(unless && { unless }),
    ...(scope && { scope }),
    ...(reason !== undefined && { reason }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(uses !== undefined && { uses }),
    ...(examples && { examples }),
  }
}
