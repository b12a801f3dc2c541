/**
 * Decides whether a call that is ready may start. A call that was approved, by a person, its gate or a rule, starts only as it was
 * approved: with the same definition of the tool, and an input with the same hash.
 */
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import { failed, type CallOutcome } from '@holdpoint/core/internal/tool/outcome'
import type { Tool } from '@holdpoint/core/internal/tool/tool'
import type { Call } from '@holdpoint/core/internal/turn/turn-state'
import type { TurnContext } from '../conversation/turn-context.ts'
import type { LazyAbortController } from '../drive/lazy-abort-controller.ts'
import { approvalHold, askGate, boundTo, checkInput, cleared, deniedCall, type Bound } from '../step/dispatch.ts'
import { judgeCall } from '../step/judge-call.ts'
import { inputOf } from './tool-failure.ts'

type Events = readonly EventBody[]

export const notWhatWasApproved: CallOutcome = failed(
  'not-what-was-approved',
  "The tool's schema turned the input into another value than the one that was approved. Its defaults and transforms must give the same value each time.",
)

export function startCall(call: Call): EventBody {
  return { type: 'call.started', callId: call.callId, attempt: call.attempt + 1 }
}

export async function admitCall(
  call: Call,
  tool: Tool | undefined,
  context: TurnContext,
  stop: LazyAbortController,
): Promise<Events> {
  if (!tool || !call.approved) return [startCall(call)]
  const checked = await checkInput(tool, inputOf(call))
  if (!checked.ok)
    return [settled(call, failed('invalid-input', `The approved input no longer fits the tool: ${checked.why}`))]
  const bound = boundTo(tool, inputOf(call), checked.value)
  if (tool.fingerprint !== call.approved.fingerprint)
    return changedTool(call, tool, bound, checked.value, context, stop)
  if (bound.inputHash !== call.approved.inputHash) return [settled(call, notWhatWasApproved)]
  return allowedByRule(call) ? stillAllowed(call, tool, bound, checked.value, context, stop) : [startCall(call)]
}

function allowedByRule({ judged, resolved }: Call): boolean {
  return judged?.effect === 'allow' && judged.ignored === undefined && resolved.length === 0
}

/** The process may have died after a rule allowed the call. If the rule was revoked since, the call needs another decision. */
async function stillAllowed(
  call: Call,
  tool: Tool,
  bound: Bound,
  input: unknown,
  context: TurnContext,
  stop: LazyAbortController,
): Promise<Events> {
  const { events, approval, denied } = await judgeCall(call, tool, input, context, () =>
    askGate(tool, call, input, context, stop),
  )
  if (denied !== undefined) return [...events, deniedCall(call.callId, denied)]
  if (approval.required)
    return [
      ...events,
      { type: 'call.held', callId: call.callId, hold: approvalHold(tool, approval, bound, undefined, context) },
    ]
  return [...(isSameDecision(call, events) ? [] : events), startCall(call)]
}

/**
 * The tool's definition is not the one that was approved. If a person approved the call, a person decides again; if the
 * gate allowed it, the gate decides again.
 */
async function changedTool(
  call: Call,
  tool: Tool,
  bound: Bound,
  input: unknown,
  context: TurnContext,
  stop: LazyAbortController,
): Promise<Events> {
  const judged = await judgeCall(call, tool, input, context, () => askGate(tool, call, input, context, stop))
  const { events, approval: asked, denied } = judged
  if (denied !== undefined) return [...events, deniedCall(call.callId, denied)]
  const byPerson = call.resolved.length > 0
  if (!byPerson && !asked.required) return [...events, cleared(call.callId, bound), startCall(call)]
  const why = `The tool was changed after it was approved.${asked.reason === undefined ? '' : ` ${asked.reason}`}`
  const request = byPerson ? { ...asked, reason: why } : asked
  const before = call.approved?.definition ?? tool.definitionBefore
  const hold = approvalHold(tool, request, bound, undefined, context, before)
  return [...events, { type: 'call.held', callId: call.callId, hold: byPerson ? { ...hold, cause: 'changed' } : hold }]
}

/** Whether the rule that allowed the call before allows it again. */
function isSameDecision({ judged }: Call, events: Events): boolean {
  const event = events.find((each) => each.type === 'call.judged')
  const { rule } = event?.decision ?? {}
  return rule?.id === judged?.rule.id && rule?.version === judged?.rule.version
}

export function settled(call: Call, outcome: CallOutcome): Extract<EventBody, { type: 'call.settled' }> {
  return { type: 'call.settled', callId: call.callId, outcome }
}
