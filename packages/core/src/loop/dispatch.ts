/**
 * What becomes of each call the model made, decided once and written with the reply: it may run, it waits for
 * somebody, or it is settled at once because it makes no sense. Nothing runs here.
 */
import { copyJson, isObject, isPlain, toJson, type Json } from '../json.ts'
import { consider } from '../hooks/before-call.ts'
import { notInSpace } from '../life/placed.ts'
import type { EventBody } from '../log/log-event.ts'
import type { CallPart } from '../model/reply.ts'
import type { Checked } from '../ports.ts'
import { StateWrites } from '../plugin/state.ts'
import { inputHash } from '../tool/fingerprint.ts'
import { failed, type CallOutcome } from '../tool/outcome.ts'
import type { Tool } from '../tool/tool.ts'
import type { ApprovalRequest } from '../tool/tool-options.ts'
import { newCall } from '../turn/call.ts'
import type { Hold, NextHold } from '../turn/hold.ts'
import { pendingResult } from '../turn/resolve.ts'
import type { Call } from '../turn/turn-state.ts'
import type { Stop } from './stop.ts'
import { within } from './within.ts'
import { toolContext, type World } from './world.ts'

export function dispatch(
  part: CallPart,
  tool: Tool | undefined,
  /** False for a call of an agent that lives, and is in no space at the moment. */
  inSpace: boolean,
  world: World,
  stop: Stop,
): readonly EventBody[] | Promise<readonly EventBody[]> {
  const { callId } = part
  const settle = (outcome: CallOutcome): readonly EventBody[] => [{ type: 'call.settled', callId, outcome }]
  if (!tool) return settle(failed('unknown-tool', `There is no tool "${part.name}". Use one of those you were given.`))
  if (tool.executor === 'provider')
    return settle(
      failed('unknown-tool', `"${part.name}" is carried out by the model's vendor and cannot be called here.`),
    )
  if (tool.visible && !inSpace) return settle(failed('not-in-space', notInSpace(part.name)))
  if (part.malformed !== undefined)
    return settle(failed('invalid-input', `The arguments are not a JSON object (${part.malformed}).`))
  if (world.agent.hooks.beforeCall.length > 0) return considered(part, tool, world, stop)
  const next = nextHold(tool, world)
  // Most calls are for our own code, and nobody has to be asked.
  return tool.gate || next ? admit({ part, tool, input: part.input }, next, world, stop) : []
}

async function considered(part: CallPart, tool: Tool, world: World, stop: Stop): Promise<readonly EventBody[]> {
  const { input, event, veto } = await consider(part, tool, world, stop.signal)
  if (veto !== undefined) return [{ type: 'call.settled', callId: part.callId, outcome: failed('vetoed', veto) }]
  const next = nextHold(tool, world)
  if (!event) return tool.gate || next ? admit({ part, tool, input }, next, world, stop) : []
  return [event, ...(await admit({ part, tool, input, hooks: event.hooks }, next, world, stop))]
}

interface Proposal {
  readonly part: CallPart
  readonly tool: Tool
  /** The model's, or what hooks put in its place. */
  readonly input: Json
  readonly hooks?: readonly string[] | undefined
}

/** Whether it fits the tool, and whether somebody must agree to it or carries it out. */
async function admit(
  { part, tool, input, hooks }: Proposal,
  next: NextHold | undefined,
  world: World,
  stop: Stop,
): Promise<readonly EventBody[]> {
  const { callId } = part
  const checked = await checkInput(tool, input)
  if (!checked.ok) {
    const why = hooks ? `What ${hooks.join(' and ')} made of the arguments does not fit: ${checked.why}` : checked.why
    return [{ type: 'call.settled', callId, outcome: failed('invalid-input', why) }]
  }
  if (!tool.gate && !next) return []
  const approval = tool.gate ? await askGate(tool, newCall(part, 0), checked.value, world, stop) : { required: false }
  const bound = boundTo(tool, input, checked.value)
  if (approval.required) return [{ type: 'call.held', callId, hold: approvalHold(tool, approval, bound, next, world) }]
  if (!next) return [cleared(callId, bound)]
  const held: EventBody = { type: 'call.held', callId, hold: executorHold(tool, next, bound, world) }
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

/** A gate that cannot say means somebody must: one that throws, or never returns, holds the call and never lets it run. */
export async function askGate(
  tool: Tool,
  call: Call,
  input: unknown,
  world: World,
  stop: Stop,
): Promise<ApprovalRequest> {
  const writes = new StateWrites(() => world.log.state.plugins)
  const asked = await within(tool, stop, world, (limited) =>
    tool.gate?.(toolContext(world, call, input, writes, limited)),
  )
  if (!asked.ok) return { required: true, reason: `The approval check failed: ${asked.error.message}` }
  if (isRequest(asked.value)) return asked.value
  return { required: true, reason: 'The approval check gave no clear answer.' }
}

function isRequest(value: unknown): value is ApprovalRequest {
  if (!isObject(value) || typeof value['required'] !== 'boolean') return false
  const { reason = '', approvers = 1 } = value
  return typeof reason === 'string' && Number.isInteger(approvers) && Number(approvers) >= 1
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

/** What a hold shows, and what an answer to it is bound to. */
export type Bound = Pick<Hold, 'input' | 'inputHash' | 'fingerprint'>

export function approvalHold(
  tool: Tool,
  { reason, approvers = 1 }: ApprovalRequest,
  bound: Bound,
  next: NextHold | undefined,
  world: World,
): Hold {
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
