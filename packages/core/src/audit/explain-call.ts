/** Explains why a call could run, was held or was denied: by a rule, by the gate of its tool, or by neither. */
import type { LogEvent } from '../log/log-event.ts'
import type { CallPart } from '../model/reply.ts'
import type { RuleDecision } from '../rule/rule.ts'

export interface ExplainedCall {
  readonly callId: string
  readonly tool: string
  /** `none`: the tool has no gate, and no rule matched. `check`: the call was refused before rule or gate. */
  readonly decidedBy: 'rule' | 'gate' | 'none' | 'check'
  readonly decision: 'run' | 'ask' | 'deny'
  readonly why: string
  /** The rule, also one that the gate did not follow (`ignored`). */
  readonly rule?: RuleDecision
  /** What the rules in shadow mode would have decided. */
  readonly shadow?: RuleDecision
}

/** `events` are those after the reply. If the call was judged again later, the last decision counts. */
export function explainCall({ callId, name }: CallPart, events: readonly LogEvent[]): ExplainedCall {
  const about = events.filter((event) => 'callId' in event && event.callId === callId)
  const judged = about.findLast((event) => event.type === 'call.judged')
  const rule = judged?.decision
  const shadow = judged?.shadow
  const by = rule && rule.ignored === undefined ? byRule(rule) : withoutRule(about)
  const why = rule?.ignored === undefined ? by.why : `${by.why} A rule would have allowed it: ${rule.ignored}`
  return { callId, tool: name, ...by, why, ...(rule && { rule }), ...(shadow && { shadow }) }
}

type Decision = Pick<ExplainedCall, 'decidedBy' | 'decision' | 'why'>

function byRule({ effect, why }: RuleDecision): Decision {
  return { decidedBy: 'rule', decision: effect === 'allow' ? 'run' : effect, why }
}

function withoutRule(about: readonly LogEvent[]): Decision {
  for (const event of about) {
    if (event.type === 'call.held' && event.hold.kind === 'approval') {
      const why = event.hold.reason ?? 'The tool requires an approval.'
      return { decidedBy: 'gate', decision: 'ask', why }
    }
    if (event.type === 'call.cleared')
      return { decidedBy: 'gate', decision: 'run', why: 'The gate of the tool requires no approval of this input.' }
    if (event.type === 'call.started' || event.type === 'call.held') break
    if (event.type === 'call.settled' && !event.outcome.ok)
      return { decidedBy: 'check', decision: 'deny', why: event.outcome.error.message }
  }
  return { decidedBy: 'none', decision: 'run', why: 'The tool requires no approval, and no rule is about this call.' }
}
