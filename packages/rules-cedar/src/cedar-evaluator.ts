/** Judges rules with Cedar. The decisions are those of `judgeByRules`: a test compares them for random rules and inputs. */
import {
  checkParsePolicySet,
  isAuthorized,
  type AuthorizationAnswer,
  type CedarValueJson,
  type DetailedError,
  type PolicyJson,
} from '@cedar-policy/cedar-wasm/nodejs'
import {
  findingBy,
  HoldpointError,
  isInForce,
  strictestFinding,
  type CallFacts,
  type Finding,
  type Rule,
  type RuleEvaluator,
  type RuleText,
} from '@holdpoint/core'
import { inputFacts } from './input-facts.ts'
import { rulePolicies, whyNotCedar, type Part } from './rule-policies.ts'

/** For the option `rules` of a runtime. Each process of a store must have the same evaluator. */
export function cedarEvaluator(): RuleEvaluator {
  return {
    refuses: refusal,
    judge: (rules, facts, passOver = new Set()) => {
      const inForce = rules.filter(
        (rule) => rule.tool === facts.tool && !passOver.has(rule.id) && isInForce(rule, facts.now, facts.callId),
      )
      const decision = decide(
        inForce.filter((rule) => !rule.shadow),
        facts,
      )
      const shadow = decide(
        inForce.filter((rule) => rule.shadow),
        facts,
      )
      return { ...(decision && { decision }), ...(shadow && { shadow }) }
    },
  }
}

function refusal(rule: RuleText): string | undefined {
  const why = whyNotCedar(rule)
  if (why !== undefined) return why
  const parsed = checkParsePolicySet({ staticPolicies: Object.fromEntries(Object.entries(rulePolicies(rule))) })
  return parsed.type === 'success' ? undefined : `Cedar refuses the rule: ${messages(parsed.errors)}`
}

interface Known {
  readonly rule: Rule
  readonly part: Part
}

function decide(rules: readonly Rule[], facts: CallFacts): Finding | undefined {
  if (rules.length === 0) return undefined
  const policies: Record<string, PolicyJson> = {}
  const known = new Map<string, Known>()
  for (const [index, rule] of rules.entries()) {
    const why = whyNotCedar(rule)
    // It was saved for another evaluator. Without it, the decision may be too weak.
    if (why !== undefined) throw failed(`Rule ${rule.id}: ${why}`)
    for (const [part, policy] of Object.entries(rulePolicies(rule))) {
      const id = `${index}#${part}`
      policies[id] = policy
      known.set(id, { rule, part: part as Part })
    }
  }
  return strictestFinding(
    satisfied(ask(policies, rules, facts)).map((id) => {
      const found = known.get(id)
      if (!found) throw failed(`Cedar names the policy ${id}, which it was not given.`)
      return findingBy(found.rule, found.part === 'fits' ? 'yes' : 'unclear', facts)
    }),
  )
}

function ask(policies: Record<string, PolicyJson>, rules: readonly Rule[], facts: CallFacts): AuthorizationAnswer {
  return isAuthorized({
    principal: { type: 'Holdpoint::Agent', id: facts.agent },
    action: { type: 'Holdpoint::Action', id: 'call' },
    resource: { type: 'Holdpoint::Tool', id: facts.tool },
    context: contextOf(rules, facts),
    policies: { staticPolicies: policies },
    entities: [],
  })
}

function contextOf(
  rules: readonly Rule[],
  { fingerprint, conversation, agent, people, input }: CallFacts,
): Record<string, CedarValueJson> {
  const conditions = rules.flatMap(({ when, unless = [] }) => [...when, ...unless.flat()])
  return {
    fingerprint,
    conversation,
    agent,
    people: people.filter((person) => person !== undefined),
    nameless: people.includes(undefined),
    ...(input !== undefined && { input: inputFacts(input, conditions) }),
  }
}

/** The policies that decide. Cedar skips a policy with an error, also a forbid, so an error is not a decision. */
function satisfied(answer: AuthorizationAnswer): readonly string[] {
  if (answer.type === 'failure') throw failed(`Cedar cannot judge the rules: ${messages(answer.errors)}`)
  const { errors, reason } = answer.response.diagnostics
  if (errors.length > 0) throw failed(`Cedar cannot judge the rules: ${messages(errors.map(({ error }) => error))}`)
  return reason
}

function messages(errors: readonly DetailedError[]): string {
  return errors.map(({ message }) => message).join('; ')
}

function failed(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
