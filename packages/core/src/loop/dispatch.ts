/**
 * What becomes of each call the model made, decided once and written with the reply: it may run, it waits for
 * somebody, or it is settled at once because it makes no sense. Nothing runs here.
 */
import { messageOf } from '../failure.ts'
import { toJson, type Json } from '../json.ts'
import type { EventBody } from '../log/log-event.ts'
import type { CallPart } from '../model/reply.ts'
import { StateWrites } from '../plugin/state.ts'
import { inputHash } from '../tool/fingerprint.ts'
import { failed, type CallOutcome } from '../tool/outcome.ts'
import type { Tool } from '../tool/tool.ts'
import type { ApprovalRequest } from '../tool/tool-options.ts'
import { newCall } from '../turn/call.ts'
import type { Hold, NextHold } from '../turn/hold.ts'
import { pendingResult } from '../turn/resolve.ts'
import { toolContext, type World } from './world.ts'

export async function dispatch(part: CallPart, tool: Tool | undefined, world: World, signal: AbortSignal): Promise<readonly EventBody[]> {
  const { callId } = part
  const settle = (outcome: CallOutcome): readonly EventBody[] => [{ type: 'call.settled', callId, outcome }]
  if (!tool) return settle(failed('unknown-tool', `There is no tool "${part.name}". Use one of those you were given.`))
  if (tool.executor === 'provider') return settle(failed('unknown-tool', `"${part.name}" is carried out by the model's vendor and cannot be called here.`))
  if (part.malformed !== undefined) return settle(failed('invalid-input', `The arguments are not a JSON object (${part.malformed}).`))
  const next = nextHold(tool, world)
  if (!tool.gate && !next) return []

  const checked = await checkInput(tool, part.input)
  if (!checked.ok) return settle(failed('invalid-input', checked.why))
  const approval = tool.gate ? await askGate(tool, part, checked.value, world, signal) : { required: false }
  const bound = { input: checked.json, inputHash: inputHash(checked.json), fingerprint: tool.fingerprint }
  if (approval.required) return [{ type: 'call.held', callId, hold: approvalHold(tool, approval, bound, next, world) }]
  if (!next) return []
  const held: EventBody = { type: 'call.held', callId, hold: executorHold(tool, next, bound, world) }
  return next.async ? [held, pendingResult(callId)] : [held]
}

/** The input as the tool's code gets it, and as JSON: what people are shown and hashes are taken of. */
export async function checkInput(tool: Tool, raw: Json): Promise<{ ok: true; value: unknown; json: Json } | { ok: false; why: string }> {
  const checked = await tool.input.check(raw)
  if (!checked.ok) return checked
  const json = toJson(checked.value)
  return json.ok ? { ok: true, value: checked.value, json: json.value } : { ok: false, why: `the checked input is not JSON: ${json.why}` }
}

/** A gate that cannot say means somebody must: a throwing approval function holds the call, it never lets it run. */
async function askGate(tool: Tool, part: CallPart, input: unknown, world: World, signal: AbortSignal): Promise<ApprovalRequest> {
  try {
    const context = toolContext(world, newCall(part), input, new StateWrites(() => world.log.state.plugins), signal)
    const request: unknown = await tool.gate?.(context)
    if (isRequest(request)) return request
    return { required: true, reason: 'The approval check gave no clear answer.' }
  } catch (error) {
    return { required: true, reason: `The approval check failed: ${messageOf(error)}` }
  }
}

function isRequest(value: unknown): value is ApprovalRequest {
  return typeof value === 'object' && value !== null && 'required' in value && typeof value.required === 'boolean'
}

/** How the call waits for whoever carries it out; undefined when that is our own code. */
function nextHold(tool: Tool, { agent }: World): NextHold | undefined {
  const { waiting } = tool
  const async = tool.async ? { async: true as const } : {}
  switch (tool.executor) {
    case 'server':
      if (agent.mode === 'auto' && !tool.manual) return undefined
      // Whoever took the calls over has no deadline of ours to meet but the one for people.
      return { kind: 'external', cause: 'manual', ...waiting, timeoutMs: tool.approvalTimeoutMs }
    case 'client':
    case 'external':
      return { kind: tool.executor, cause: 'tool', ...waiting, ...async }
    case 'human':
      return { kind: 'elicitation', cause: 'tool', ...waiting, ...async }
    case 'provider':
      return undefined
  }
}

type Bound = Pick<Hold, 'input' | 'inputHash' | 'fingerprint'>

export function approvalHold(tool: Tool, { reason, approvers = 1 }: ApprovalRequest, bound: Bound, next: NextHold | undefined, world: World): Hold {
  const timeoutMs = tool.approvalTimeoutMs
  return {
    kind: 'approval',
    cause: 'tool',
    ...(reason !== undefined && { reason }),
    accepts: ['approve', 'reject'],
    ...bound,
    approvers,
    timeoutMs,
    expiresAt: world.agent.ports.now() + timeoutMs,
    onExpire: typeof tool.waiting.onExpire === 'object' ? 'error' : tool.waiting.onExpire,
    late: 'reject',
    ...(next && { then: next }),
  }
}

function executorHold(tool: Tool, next: NextHold, bound: Bound, world: World): Hold {
  return {
    ...next,
    accepts: next.kind === 'elicitation' ? ['answer', 'reject'] : ['answer'],
    ...bound,
    approvers: 1,
    expiresAt: world.agent.ports.now() + next.timeoutMs,
    ...(next.kind === 'elicitation' && tool.output && { answerSchema: tool.output.json }),
  }
}
