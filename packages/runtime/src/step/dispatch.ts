/**
 * Decides what happens to each call of a reply: it may run, it is held, or it is settled with an error. The decision is
 * written together with the reply. No tool runs here.
 */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { copyJson, isObject, isPlain, toJson, type Json } from '@holdpoint/core/internal/json'
import { runBeforeCallHooks } from '../hooks/before-call.ts'
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import type { CallPart } from '@holdpoint/core/internal/model/reply'
import type { Checked } from '@holdpoint/core/internal/ports'
import { StateWrites } from '@holdpoint/core/internal/plugin/state'
import type { ToolDefinition } from '@holdpoint/core/internal/tool/definition'
import { inputHash } from '@holdpoint/core/internal/tool/fingerprint'
import { isApprovalRequest, isApprovers } from '@holdpoint/core/internal/tool/check-tool-options'
import { failed, type CallOutcome } from '@holdpoint/core/internal/tool/outcome'
import type { Tool } from '@holdpoint/core/internal/tool/tool'
import type { ApprovalRequest } from '@holdpoint/core/internal/tool/tool-options'
import { approverRule, routeOf } from '@holdpoint/core/internal/turn/approvers'
import { newCall } from '@holdpoint/core/internal/turn/call'
import type { Hold, NextHold } from '@holdpoint/core/internal/turn/hold'
import { pendingResult } from '@holdpoint/core/internal/turn/pending-result'
import type { Call } from '@holdpoint/core/internal/turn/turn-state'
import type { LazyAbortController } from '../drive/lazy-abort-controller.ts'
import { settleWrites, runWithTimeLimit } from '../call/run-with-time-limit.ts'
import { toolContext } from '../call/tool-context.ts'
import { judgeCall } from './judge-call.ts'
import { authorsOfTurn, authorsReadInTurn, type TurnContext } from '../conversation/turn-context.ts'

export function dispatch(
  part: CallPart,
  tool: Tool | undefined,
  /** False for a call of an autonomous agent that is in no space. */
  inSpace: boolean,
  context: TurnContext,
  stop: LazyAbortController,
): readonly EventBody[] | Promise<readonly EventBody[]> {
  const { callId } = part
  const settle = (outcome: CallOutcome): readonly EventBody[] => [{ type: 'call.settled', callId, outcome }]
  if (!tool) return settle(failed('unknown-tool', `There is no tool "${part.name}". Use one of those you were given.`))
  if (tool.executor === 'provider')
    return settle(failed('unknown-tool', `"${part.name}" is run by the model's vendor and cannot be called here.`))
  if (tool.visible && !inSpace)
    return settle(
      failed('not-in-space', `Tool "${part.name}" is visible but you are not in a space. Call enter_space first.`),
    )
  if (part.malformed !== undefined)
    return settle(failed('invalid-input', `The arguments are not a JSON object (${part.malformed}).`))
  if (context.agent.hooks.beforeCall.length > 0) return considered(part, tool, context, stop)
  const next = nextHold(tool, context)
  // Most calls have a server tool and need no approval.
  return needsCheck(tool, next, context) ? admit({ part, tool, input: part.input }, next, context, stop) : []
}

function needsCheck(tool: Tool, next: NextHold | undefined, { rules }: TurnContext): boolean {
  return tool.gate !== undefined || next !== undefined || rules !== undefined
}

async function considered(
  part: CallPart,
  tool: Tool,
  context: TurnContext,
  stop: LazyAbortController,
): Promise<readonly EventBody[]> {
  const { input, event, veto } = await runBeforeCallHooks(part, tool, context, stop.signal)
  if (veto !== undefined) return [{ type: 'call.settled', callId: part.callId, outcome: failed('vetoed', veto) }]
  const next = nextHold(tool, context)
  if (!event) return needsCheck(tool, next, context) ? admit({ part, tool, input }, next, context, stop) : []
  return [event, ...(await admit({ part, tool, input, hooks: event.hooks }, next, context, stop))]
}

interface Proposal {
  readonly part: CallPart
  readonly tool: Tool
  /** The model's input, or the one that hooks changed it to. */
  readonly input: Json
  readonly hooks?: readonly string[] | undefined
}

/** Checks the input, and whether the call needs approval or has another executor. */
async function admit(
  { part, tool, input, hooks }: Proposal,
  next: NextHold | undefined,
  context: TurnContext,
  stop: LazyAbortController,
): Promise<readonly EventBody[]> {
  const { callId } = part
  const checked = await checkInput(tool, input)
  if (!checked.ok) {
    const why = hooks ? `What ${hooks.join(' and ')} made of the arguments does not fit: ${checked.why}` : checked.why
    return [{ type: 'call.settled', callId, outcome: failed('invalid-input', why) }]
  }
  if (!needsCheck(tool, next, context)) return []
  const gate = (): Promise<ApprovalRequest> => askGate(tool, newCall(part, 0), checked.value, context, stop)
  const { events, approval, denied } = await judgeCall(part, tool, checked.value, context, gate)
  if (denied !== undefined) return [...events, deniedCall(callId, denied)]
  const bound = boundTo(tool, input, checked.value)
  if (approval.required)
    return [...events, { type: 'call.held', callId, hold: approvalHold(tool, approval, bound, next, context) }]
  if (!next) return tool.gate ? [...events, cleared(callId, bound)] : events
  const held: EventBody = { type: 'call.held', callId, hold: executorHold(tool, next, bound, context) }
  return next.async ? [...events, held, pendingResult(callId)] : [...events, held]
}

/** The model reads which rule denied the call, so that it need not guess. */
export function deniedCall(callId: string, why: string): EventBody {
  return { type: 'call.settled', callId, outcome: failed('denied', `A rule denies this call. ${why}`) }
}

/** The gate, or a rule in its place, allowed the call without approval. It runs only with the input that the gate was asked about. */
export function cleared(callId: string, { inputHash: hash, fingerprint }: Bound): EventBody {
  return { type: 'call.cleared', callId, inputHash: hash, fingerprint }
}

/** The input as the tool's code gets it. The schema gets a copy, so that it cannot change the log. */
export function checkInput(tool: Tool, raw: Json): Checked | Promise<Checked> {
  return tool.input.check(copyJson(raw))
}

/**
 * The input that approvers are shown and that an approval is bound to: the input after the schema's defaults and transforms.
 * If those make a value that JSON cannot show (a Set, a Date), approvers are shown the original input, and the hash covers
 * both.
 */
export function boundTo(tool: Tool, raw: Json, value: unknown): Bound {
  const json = toJson(value)
  const { fingerprint } = tool
  if (json.ok && isPlain(value)) return { input: json.value, inputHash: inputHash(json.value), fingerprint }
  return { input: raw, inputHash: inputHash([raw, json.ok ? json.value : null]), fingerprint }
}

/** A gate that fails requires approval: one that throws, or never returns, holds the call and never lets it run. */
export async function askGate(
  tool: Tool,
  call: Call,
  input: unknown,
  context: TurnContext,
  stop: LazyAbortController,
): Promise<ApprovalRequest> {
  const writes = StateWrites.readOnly(() => context.log.state.plugins, `"approval" of "${tool.name}"`)
  const said = await runWithTimeLimit(tool, stop, context, (limited) =>
    tool.gate?.(toolContext(context, call, input, writes, limited)),
  )
  const asked = await settleWrites(said, tool, writes, context, stop)
  if (!asked.ok) return { required: true, reason: `The approval check failed: ${asked.error.message}` }
  if (typeof asked.value === 'boolean') return { required: asked.value }
  if (isApprovalRequest(asked.value)) return asked.value
  return unclearAnswer(asked.value, tool, context)
}

/** An answer that is no approval request: the call is held for as many approvers as it does name, and the operator is told. */
function unclearAnswer(answer: unknown, tool: Tool, { problem }: TurnContext): ApprovalRequest {
  const why = `The approval check of "${tool.name}" gave no clear answer. Return true, false or { required, reason?, approvers?, rules?, remindAfter?, escalate? }.`
  problem(new HoldpointError('tool-invalid', why))
  const approvers: unknown = isObject(answer) ? answer['approvers'] : undefined
  const several = typeof approvers === 'number' && Number.isSafeInteger(approvers) && approvers > 1
  const named = several || isApprovers(approvers) ? { approvers } : {}
  return { required: true, reason: 'The approval check gave no clear answer.', ...named }
}

/** The hold for another executor; undefined for a server tool, which runs here. */
function nextHold(tool: Tool, { agent }: TurnContext): NextHold | undefined {
  const { waiting } = tool
  const async = tool.async ? { async: true as const } : {}
  /** A client may ask the person in front of it. */
  const schema = tool.output ? { answerSchema: tool.output.json } : {}
  switch (tool.executor) {
    case 'server':
      if (agent.mode === 'auto' && !tool.manual) return undefined
      // In manual mode, the caller runs the call, and has the same deadline as an approver.
      return { kind: 'external', cause: 'manual', ...waiting, timeoutMs: tool.approvalTimeoutMs }
    case 'client':
      return { kind: 'client', cause: 'tool', ...waiting, ...async, ...schema }
    case 'external':
      return { kind: 'external', cause: 'tool', ...waiting, ...async }
    case 'human':
      return { kind: 'elicitation', cause: 'tool', ...waiting, ...async, ...schema, ...(tool.to && { to: tool.to }) }
    case 'provider':
      return undefined
  }
}

/** The input that a hold shows, and the hashes that an answer is bound to. */
export type Bound = Pick<Hold, 'input' | 'inputHash' | 'fingerprint'>

export function approvalHold(
  tool: Tool,
  request: ApprovalRequest,
  bound: Bound,
  next: NextHold | undefined,
  context: TurnContext,
  /** The definition that was approved before, if the tool has changed since. */
  before: ToolDefinition | undefined = tool.definitionBefore,
): Hold {
  const timeoutMs = tool.approvalTimeoutMs
  const { reason } = request
  const askedBy = authorsReadInTurn(context)
  const now = context.agent.ports.now()
  return {
    kind: 'approval',
    cause: 'tool',
    ...(reason !== undefined && { reason }),
    ...(request.rules && { rules: request.rules }),
    accepts: ['approve', 'reject'],
    ...bound,
    ...approverRule(request, askedBy),
    ...routeOf(request, now),
    askedBy,
    timeoutMs,
    definition: tool.definition,
    ...(before && { definitionBefore: before }),
    expiresAt: now + timeoutMs,
    onExpire: typeof tool.waiting.onExpire === 'object' ? 'error' : tool.waiting.onExpire,
    late: 'reject',
    ...(next && { then: next }),
  }
}

function executorHold(tool: Tool, next: NextHold, bound: Bound, context: TurnContext): Hold {
  return {
    ...next,
    accepts: next.kind === 'elicitation' ? ['answer', 'reject'] : ['answer'],
    ...bound,
    approvers: 1,
    askedBy: authorsOfTurn(context),
    expiresAt: context.agent.ports.now() + next.timeoutMs,
  }
}
