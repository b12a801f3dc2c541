/**
 * What happens to each call the model made, decided once and written with the reply: it may run, it is held, or it is
 * settled at once because it makes no sense. Nothing runs here.
 */
import { HoldpointError } from '../failure.ts'
import { copyJson, isObject, isPlain, toJson, type Json } from '../json.ts'
import { consider } from '../hooks/before-call.ts'
import type { EventBody } from '../log/log-event.ts'
import type { CallPart } from '../model/reply.ts'
import type { Checked } from '../ports.ts'
import { StateWrites } from '../plugin/state.ts'
import type { ToolDefinition } from '../tool/definition.ts'
import { inputHash } from '../tool/fingerprint.ts'
import { isApprovalRequest } from '../tool/matrix.ts'
import { failed, type CallOutcome } from '../tool/outcome.ts'
import type { Tool } from '../tool/tool.ts'
import type { ApprovalRequest } from '../tool/tool-options.ts'
import { newCall } from '../turn/call.ts'
import type { Hold, NextHold } from '../turn/hold.ts'
import { pendingResult } from '../turn/resolve.ts'
import type { Call } from '../turn/turn-state.ts'
import type { Stop } from './stop.ts'
import { afterWrites, within } from './within.ts'
import { toolContext } from './tool-context.ts'
import { askersOf, type TurnContext } from './turn-context.ts'

export function dispatch(
  part: CallPart,
  tool: Tool | undefined,
  /** False for a call of an agent that lives, and is in no space at the moment. */
  inSpace: boolean,
  context: TurnContext,
  stop: Stop,
): readonly EventBody[] | Promise<readonly EventBody[]> {
  const { callId } = part
  const settle = (outcome: CallOutcome): readonly EventBody[] => [{ type: 'call.settled', callId, outcome }]
  if (!tool) return settle(failed('unknown-tool', `There is no tool "${part.name}". Use one of those you were given.`))
  if (tool.executor === 'provider')
    return settle(
      failed('unknown-tool', `"${part.name}" is carried out by the model's vendor and cannot be called here.`),
    )
  if (tool.visible && !inSpace)
    return settle(
      failed('not-in-space', `Tool "${part.name}" is visible but you are not in a space. Call enter_space first.`),
    )
  if (part.malformed !== undefined)
    return settle(failed('invalid-input', `The arguments are not a JSON object (${part.malformed}).`))
  if (context.agent.hooks.beforeCall.length > 0) return considered(part, tool, context, stop)
  const next = nextHold(tool, context)
  // Most calls are for our own code and need no approval.
  return tool.gate || next ? admit({ part, tool, input: part.input }, next, context, stop) : []
}

async function considered(part: CallPart, tool: Tool, context: TurnContext, stop: Stop): Promise<readonly EventBody[]> {
  const { input, event, veto } = await consider(part, tool, context, stop.signal)
  if (veto !== undefined) return [{ type: 'call.settled', callId: part.callId, outcome: failed('vetoed', veto) }]
  const next = nextHold(tool, context)
  if (!event) return tool.gate || next ? admit({ part, tool, input }, next, context, stop) : []
  return [event, ...(await admit({ part, tool, input, hooks: event.hooks }, next, context, stop))]
}

interface Proposal {
  readonly part: CallPart
  readonly tool: Tool
  /** The model's, or what hooks put in its place. */
  readonly input: Json
  readonly hooks?: readonly string[] | undefined
}

/** Whether it fits the tool, and whether it needs approval or another executor. */
async function admit(
  { part, tool, input, hooks }: Proposal,
  next: NextHold | undefined,
  context: TurnContext,
  stop: Stop,
): Promise<readonly EventBody[]> {
  const { callId } = part
  const checked = await checkInput(tool, input)
  if (!checked.ok) {
    const why = hooks ? `What ${hooks.join(' and ')} made of the arguments does not fit: ${checked.why}` : checked.why
    return [{ type: 'call.settled', callId, outcome: failed('invalid-input', why) }]
  }
  if (!tool.gate && !next) return []
  const approval = tool.gate ? await askGate(tool, newCall(part, 0), checked.value, context, stop) : { required: false }
  const bound = boundTo(tool, input, checked.value)
  if (approval.required)
    return [{ type: 'call.held', callId, hold: approvalHold(tool, approval, bound, next, context) }]
  if (!next) return [cleared(callId, bound)]
  const held: EventBody = { type: 'call.held', callId, hold: executorHold(tool, next, bound, context) }
  return next.async ? [held, pendingResult(callId)] : [held]
}

/** Our own code runs it, as what the gate was asked about and nothing else. */
export function cleared(callId: string, { inputHash: hash, fingerprint }: Bound): EventBody {
  return { type: 'call.cleared', callId, inputHash: hash, fingerprint }
}

/** The input as the tool's code gets it. A copy goes in, so that no code of the tool can reach into the log. */
export function checkInput(tool: Tool, raw: Json): Checked | Promise<Checked> {
  return tool.input.check(copyJson(raw))
}

/**
 * What people are shown and a yes is bound to: the input after the schema's defaults and transforms. Where those make
 * something that JSON cannot show (a Set, a Date), it is the input as it was written, and both are hashed.
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
  stop: Stop,
): Promise<ApprovalRequest> {
  const writes = StateWrites.readOnly(() => context.log.state.plugins, `"approval" of "${tool.name}"`)
  const said = await within(tool, stop, context, (limited) =>
    tool.gate?.(toolContext(context, call, input, writes, limited)),
  )
  const asked = await afterWrites(said, tool, writes, context, stop)
  if (!asked.ok) return { required: true, reason: `The approval check failed: ${asked.error.message}` }
  if (typeof asked.value === 'boolean') return { required: asked.value }
  if (isApprovalRequest(asked.value)) return asked.value
  return unclearAnswer(asked.value, tool, context)
}

/** An answer that is no approval request: the call is held for as many approvers as it does name, and the operator is told. */
function unclearAnswer(answer: unknown, tool: Tool, { problem }: TurnContext): ApprovalRequest {
  const why = `The approval check of "${tool.name}" gave no clear answer. Return true, false or { required, reason?, approvers? }.`
  problem(new HoldpointError('tool-invalid', why))
  const approvers: unknown = isObject(answer) ? answer['approvers'] : undefined
  const named = typeof approvers === 'number' && Number.isSafeInteger(approvers) && approvers > 1 ? { approvers } : {}
  return { required: true, reason: 'The approval check gave no clear answer.', ...named }
}

/** The hold for another executor; undefined when our own code runs the call. */
function nextHold(tool: Tool, { agent }: TurnContext): NextHold | undefined {
  const { waiting } = tool
  const async = tool.async ? { async: true as const } : {}
  /** A client may ask the person in front of it. */
  const schema = tool.output ? { answerSchema: tool.output.json } : {}
  switch (tool.executor) {
    case 'server':
      if (agent.mode === 'auto' && !tool.manual) return undefined
      // A caller that took the calls over has the same deadline as people.
      return { kind: 'external', cause: 'manual', ...waiting, timeoutMs: tool.approvalTimeoutMs }
    case 'client':
      return { kind: 'client', cause: 'tool', ...waiting, ...async, ...schema }
    case 'external':
      return { kind: 'external', cause: 'tool', ...waiting, ...async }
    case 'human':
      return { kind: 'elicitation', cause: 'tool', ...waiting, ...async, ...schema }
    case 'provider':
      return undefined
  }
}

/** What a hold shows, and what an answer to it is bound to. */
export type Bound = Pick<Hold, 'input' | 'inputHash' | 'fingerprint'>

export function approvalHold(
  tool: Tool,
  { reason, approvers = 1 }: ApprovalRequest,
  bound: Bound,
  next: NextHold | undefined,
  context: TurnContext,
  /** What was approved before, when the tool is not that any more. */
  before: ToolDefinition | undefined = tool.definitionBefore,
): Hold {
  const timeoutMs = tool.approvalTimeoutMs
  return {
    kind: 'approval',
    cause: 'tool',
    ...(reason !== undefined && { reason }),
    accepts: ['approve', 'reject'],
    ...bound,
    approvers,
    askedBy: askersOf(context),
    timeoutMs,
    definition: tool.definition,
    ...(before && { definitionBefore: before }),
    expiresAt: context.agent.ports.now() + timeoutMs,
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
    askedBy: askersOf(context),
    expiresAt: context.agent.ports.now() + next.timeoutMs,
  }
}
