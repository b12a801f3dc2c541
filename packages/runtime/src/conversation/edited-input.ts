/**
 * An approver may edit the input that a hold shows. The edited input is checked like an input of the model: by the tool's
 * schema, by hooks, and by the gate, because the approvers of a payment of 50 need not be those of one of 5,000.
 */
import { runBeforeCallHooks } from '../hooks/before-call.ts'
import type { Json } from '@holdpoint/core/internal/json'
import type { Tool } from '@holdpoint/core/internal/tool/tool'
import type { ApprovalRequest } from '@holdpoint/core/internal/tool/tool-options'
import { approverRule, type ApproverRule } from '@holdpoint/core/internal/turn/approvers'
import { openHold } from '@holdpoint/core/internal/turn/call'
import type { Hold } from '@holdpoint/core/internal/turn/hold'
import type { Resolve } from '@holdpoint/core/internal/turn/resolve'
import type { Call } from '@holdpoint/core/internal/turn/turn-state'
import type { ResolveDecision } from '@holdpoint/core/internal/turn/verdict'
import { LazyAbortController } from '../drive/lazy-abort-controller.ts'
import { askGate, boundTo, checkInput } from '../step/dispatch.ts'
import { invalidResolution } from './invalid-resolution.ts'
import type { TurnContext } from './turn-context.ts'

/** The command with the edited input and its hash, or why the edit is refused. */
export async function checkEditedInput(
  call: Call,
  tool: Tool,
  edited: Json,
  command: Resolve,
  context: TurnContext,
): Promise<Resolve | ResolveDecision> {
  const checked = await checkInput(tool, edited)
  if (!checked.ok) return invalidResolution(`The edited input does not fit the tool: ${checked.why}`)
  const refused = await hooksRefuse(call, tool, edited, context)
  if (refused !== undefined) return invalidResolution(refused)
  const bound = boundTo(tool, edited, checked.value)
  const hold = openHold(call)
  const approvable = hold?.accepts.includes('approve')
  // An edit that changes nothing is a plain approval. An edit to the input that was approved before repeats that approval.
  if (approvable && hold?.inputHash === bound.inputHash) return { ...command, resolution: { kind: 'approve' } }
  const approved = approvable ? undefined : (hold?.inputHash ?? call.approved?.inputHash)
  const first =
    approved === bound.inputHash ? call.resolved.findLast((each) => each.resolution.kind === 'approve') : undefined
  const request = tool.gate
    ? await askGate(tool, call, checked.value, context, new LazyAbortController())
    : { required: true }
  const resolution = first?.resolution ?? ({ kind: 'approve', input: edited } as const)
  const rule = escalated(approverRule(request, hold?.askedBy ?? []), request, hold)
  return { ...command, resolution, edited: { effective: bound.input, inputHash: bound.inputHash, rule } }
}

/** Whom the hold was escalated to may approve an edit too, if the gate names the same people for it. */
function escalated(rule: ApproverRule, { escalate }: ApprovalRequest, hold: Hold | undefined): ApproverRule {
  const isOver = hold?.to !== undefined && hold.escalation === undefined
  if (!rule.to || !escalate || !isOver || !escalate.to.every((name) => hold.to?.includes(name))) return rule
  return { ...rule, to: [...rule.to, ...escalate.to] }
}

/** Why hooks refuse the edit. A hook that would change the input refuses it too: only the approver may change it. */
async function hooksRefuse(call: Call, tool: Tool, edited: Json, context: TurnContext): Promise<string | undefined> {
  if (context.agent.hooks.beforeCall.length === 0) return undefined
  const { callId, name } = call
  const part = { type: 'call', callId, vendorId: '', name, input: edited } as const
  const { event, veto } = await runBeforeCallHooks(part, tool, context, new AbortController().signal)
  if (veto !== undefined) return `The edited input is not allowed. ${veto}`
  return event && `${event.hooks.join(' and ')} would change the edited input to ${JSON.stringify(event.input)}.`
}
