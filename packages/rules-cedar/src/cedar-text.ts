/** A rule as text of Cedar, for people who read Cedar, and for its tools. */
import { policyToText } from '@cedar-policy/cedar-wasm/nodejs'
import { HoldpointError, type RuleText } from '@holdpoint/core'
import { rulePolicies, whyNotCedar } from './rule-policies.ts'

/** Its uses and its expiry are not part of it: the runtime counts them. Throws for a rule that Cedar cannot say. */
export function cedarText(rule: RuleText): string {
  const why = whyNotCedar(rule)
  if (why !== undefined) throw new HoldpointError('config-invalid', why)
  return Object.values(rulePolicies(rule))
    .map((policy) => {
      const text = policyToText(policy)
      if (text.type === 'failure')
        throw new HoldpointError('config-invalid', text.errors.map(({ message }) => message).join('; '))
      return text.text
    })
    .join('\n\n')
}
