/**
 * Decides whether a call may run, needs approval or is denied: by the rules of the tenant and by the gate of its tool. The stricter
 * of the two decides. A rule makes a gate weaker only where the gate says so (`rules: 'may-relax'`), and only if the author of the
 * rule could have approved the call alone.
 */
import { messageOf } from '@holdpoint/core/internal/failure'
import { isPlain, toJson, type Json } from '@holdpoint/core/internal/json'
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import type { CallFacts, Finding } from '@holdpoint/core/internal/rule/judge-by-rules'
import { namesOf } from '@holdpoint/core/internal/rule/recorded-calls'
import type { Rule, RuleDecision } from '@holdpoint/core/internal/rule/rule'
import type { Tool } from '@holdpoint/core/internal/tool/tool'
import type { ApprovalRequest } from '@holdpoint/core/internal/tool/tool-options'
import { approverRule, mayApprove } from '@holdpoint/core/internal/turn/approvers'
import type { Call } from '@holdpoint/core/internal/turn/turn-state'
import { authorsReadInTurn, type TurnContext } from '../conversation/turn-context.ts'
import type { RuleStore } from '../rules/rule-store.ts'

export interface Judgement {
  /** The decision of the rules, for the log. */
  readonly events: readonly EventBody[]
  readonly approval: ApprovalRequest
  /** The rule that denies the call, in words. */
  readonly denied?: string
}

/** How often a rule may end between reading it and using it. */
const ATTEMPTS = 20

export async function judgeCall(
  { callId }: Pick<Call, 'callId'>,
  tool: Tool,
  value: unknown,
  context: TurnContext,
  askGate: () => Promise<ApprovalRequest>,
): Promise<Judgement> {
  const { rules } = context
  // The gate is asked at most once: its code may be slow, and may answer differently the second time.
  let asked: Promise<ApprovalRequest> | undefined
  const gate = (): Promise<ApprovalRequest> => (asked ??= tool.gate ? askGate() : Promise.resolve({ required: false }))
  if (!rules) return { events: [], approval: await gate() }
  try {
    return await judge(factsOf(callId, tool, value, context), rules, gate, context)
  } catch (error) {
    // Rules that cannot be read may deny the call, so it must not run by itself.
    context.problem(error)
    const reason = `The rules could not be consulted: ${messageOf(error)}`
    return { events: [], approval: { ...(await gate()), required: true, reason } }
  }
}

async function judge(
  facts: CallFacts,
  rules: RuleStore,
  gate: () => Promise<ApprovalRequest>,
  context: TurnContext,
): Promise<Judgement> {
  const { tenant, id: conversationId } = context.log.address
  const passedOver = new Map<string, RuleDecision>()
  const use = (finding: Finding): Promise<boolean> =>
    rules.use(tenant, finding.rule, { conversationId, callId: facts.callId })
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const all = await rules.rulesOf(tenant, facts.tool)
    const { decision, shadow } = rules.evaluator.judge(all, facts, new Set(passedOver.keys()))
    const end = (judged: RuleDecision | undefined, approval: ApprovalRequest, denied?: string): Judgement =>
      judgement(facts.callId, judged, shadow, approval, denied)
    // A rule in shadow mode that ended meanwhile decided nothing anyway.
    if (shadow) await use(shadow)
    if (decision?.effect === 'deny') {
      if (await use(decision)) return end(decision, { required: false }, decision.why)
      continue
    }
    const approval = await gate()
    if (!decision) return end([...passedOver.values()][0], approval)
    if (decision.effect === 'ask') {
      if (await use(decision)) return end(decision, asking(approval, decision))
      continue
    }
    if (!approval.required) return end(undefined, approval)
    const ignored = whyIgnored(approval, decision.by, context)
    if (ignored !== undefined) passedOver.set(decision.rule.id, { ...decision, ignored })
    else if (await use(decision)) return end(decision, { required: false })
  }
  return {
    events: [],
    approval: { ...(await gate()), required: true, reason: 'The rules changed again and again while they were read.' },
  }
}

function factsOf(callId: string, tool: Tool, value: unknown, context: TurnContext): CallFacts {
  return {
    callId,
    tool: tool.name,
    fingerprint: tool.fingerprint,
    input: shownValue(value),
    conversation: context.log.id,
    agent: context.agent.name,
    people: namesOf(authorsReadInTurn(context)),
    now: context.agent.ports.now(),
  }
}

/** The value that the tool's code gets; undefined if JSON cannot show it. */
function shownValue(value: unknown): Json | undefined {
  const json = isPlain(value) ? toJson(value) : undefined
  return json?.ok ? json.value : undefined
}

function asking(approval: ApprovalRequest, { why }: Finding): ApprovalRequest {
  const reason = approval.reason === undefined ? why : `${approval.reason} ${why}`
  return { ...approval, required: true, reason }
}

/** Why a rule does not take the place of an approval that the gate requires. */
function whyIgnored(approval: ApprovalRequest, { author }: Rule, context: TurnContext): string | undefined {
  if (approval.rules !== 'may-relax') return 'The tool does not let rules take the place of an approval.'
  const askedBy = authorsReadInTurn(context)
  const wanted = approverRule(approval, askedBy)
  if (wanted.approvers > 1) return `The call needs ${wanted.approvers} approvers, and a rule has one author.`
  const may = mayApprove([wanted], { by: author, now: context.agent.ports.now(), askedBy })
  return may.ok ? undefined : `The author of the rule, ${author.id}, may not approve the call: it ${may.why}`
}

function judgement(
  callId: string,
  judged: RuleDecision | undefined,
  shadow: Finding | undefined,
  approval: ApprovalRequest,
  denied: string | undefined,
): Judgement {
  const event: EventBody = {
    type: 'call.judged',
    callId,
    ...(judged && { decision: logged(judged) }),
    ...(shadow && { shadow: logged(shadow) }),
  }
  return { events: judged || shadow ? [event] : [], approval, ...(denied !== undefined && { denied }) }
}

function logged({ effect, rule, why, ignored }: RuleDecision): RuleDecision {
  return { effect, rule, why, ...(ignored !== undefined && { ignored }) }
}
