/**
 * Answers come from strangers: people, browsers, workers. Before one is taken it is compared with what the tool says
 * it takes and gives, and an edited input gets the hash that the approval will be bound to.
 */
import { messageOf } from '../failure.ts'
import { consider } from '../hooks/before-call.ts'
import { isObject, show, type Json } from '../json.ts'
import { wholeJson } from '../lost-in-json.ts'
import { failed, type CallOutcome } from '../tool/outcome.ts'
import { toSchema } from '../tool/schema.ts'
import type { Tool } from '../tool/tool.ts'
import { openHold } from '../turn/decide.ts'
import type { Hold, Resolution } from '../turn/hold.ts'
import { decideResolve, type Resolve, type ResolveDecision } from '../turn/resolve.ts'
import type { Call } from '../turn/turn-state.ts'
import type { Agent } from './agent.ts'
import { askGate, boundTo, checkInput } from './dispatch.ts'
import { tooLarge } from './result-size.ts'
import { checkOutput } from './run-call.ts'
import type { ResolveOptions } from './session-options.ts'
import { Stop } from './stop.ts'
import { prepare } from './prepare.ts'
import type { TurnContext } from './turn-context.ts'

export type Read = Pick<Resolve, 'resolution' | 'by' | 'hold' | 'kinds'> | { readonly why: string }

/** What a stranger sent as a resolution, or what is wrong with it. Only what belongs to one is taken over. */
export function readResolution(given: unknown, { by, hold, kinds }: ResolveOptions): Read {
  if (by !== undefined && typeof by !== 'string') return { why: '"by" is text that says who answers.' }
  if (hold !== undefined && !Number.isInteger(hold))
    return { why: '"hold" is the number of one of the call’s holds, from 1.' }
  if (kinds !== undefined && !Array.isArray(kinds)) return { why: '"kinds" is a list of kinds of hold.' }
  try {
    const resolution = read(given)
    if (typeof resolution === 'string') return { why: resolution }
    return { resolution, by, ...(hold !== undefined && { hold }), ...(kinds && { kinds }) }
  } catch (error) {
    return { why: `The resolution cannot be read: ${messageOf(error)}` }
  }
}

function read(given: unknown): Resolution | string {
  if (!isObject(given)) return 'A resolution is an object with a "kind": approve, reject or answer.'
  const { kind, input, reason, value, error } = given as Readonly<Record<string, unknown>>
  switch (kind) {
    case 'approve': {
      if (input === undefined) return { kind }
      const json = wholeJson(input)
      return json.ok ? { kind, input: json.value } : `The edited input is not JSON: ${json.why}`
    }
    case 'reject':
      if (reason === undefined) return { kind }
      return typeof reason === 'string' ? { kind, reason } : 'The "reason" of a rejection is text.'
    case 'answer': {
      if ('value' in given === 'error' in given) return 'An answer has either a "value" or an "error".'
      if ('error' in given) return typeof error === 'string' ? { kind, error } : 'The "error" of an answer is text.'
      const json = wholeJson(value)
      return json.ok ? { kind, value: json.value } : `The answer is not JSON: ${json.why}`
    }
    default:
      return `There is no resolution of kind ${show(kind)}: use approve, reject or answer.`
  }
}

/** The verdict on an answer. What is taken, and compared with what was taken before, is the answer as the tool's schema leaves it. */
export async function judge(call: Call | undefined, command: Resolve, context: TurnContext): Promise<ResolveDecision> {
  const decision = decideResolve(call, command)
  const same = decision.verdict === 'duplicate' && decision.first
  if (!call || same || !['accepted', 'duplicate', 'conflict'].includes(decision.verdict)) return decision
  const checked = await checkResolution(call, command, context)
  if ('verdict' in checked) return decision.first ? decision : checked
  return decideResolve(call, checked)
}

async function checkResolution(call: Call, command: Resolve, context: TurnContext): Promise<Resolve | ResolveDecision> {
  const { resolution } = command
  const said = resolution.kind === 'reject' ? (resolution.reason ?? '') : 'error' in resolution ? resolution.error : ''
  const large = tooLarge('What was said', said, undefined, context.agent)
  if (large) return invalid(large.error.message)
  if (resolution.kind === 'reject') return command
  if (resolution.kind === 'answer' && 'error' in resolution) return command
  if (resolution.kind === 'approve' && resolution.input === undefined) return command
  const tool = (await prepare(context)).tools.get(call.name)
  if (!tool) return invalid(`"${call.name}" is not among the tools here, so the answer cannot be checked.`)
  if (resolution.kind === 'answer') return checkAnswer(call, tool, resolution.value, command, context)
  return checkEdit(call, tool, resolution.input ?? null, command, context)
}

/** What a handler goes on with fits its question; any other answer is the result, and fits the tool. */
async function checkAnswer(
  call: Call,
  tool: Tool,
  value: Json,
  command: Resolve,
  context: TurnContext,
): Promise<Resolve | ResolveDecision> {
  const hold = openHold(call)
  const { agent } = context
  const answers = hold?.resumes === 'answer'
  const outcome = answers ? await fitsQuestion(hold, value, tool, agent) : await checkOutput(tool, value, agent)
  return outcome.ok
    ? { ...command, resolution: { kind: 'answer', value: outcome.value } }
    : invalid(outcome.error.message)
}

async function fitsQuestion({ answerSchema }: Hold, value: Json, tool: Tool, agent: Agent): Promise<CallOutcome> {
  const large = tooLarge('The answer', value, tool, agent)
  if (large || !answerSchema) return large ?? { ok: true, value }
  const checked = await toSchema(answerSchema, 'The question', agent.ports.compileJsonSchema).check(value)
  const json = checked.ok ? wholeJson(checked.value) : checked
  return json.ok ? json : failed('invalid-input', `The answer does not fit the question: ${json.why}`)
}

/** An edit makes a new input, so the gate is asked about it too: who may approve 50 need not be who may make it 5,000. */
async function checkEdit(
  call: Call,
  tool: Tool,
  edited: Json,
  command: Resolve,
  context: TurnContext,
): Promise<Resolve | ResolveDecision> {
  const checked = await checkInput(tool, edited)
  if (!checked.ok) return invalid(`The edited input does not fit the tool: ${checked.why}`)
  const refused = await hooksRefuse(call, tool, edited, context)
  if (refused !== undefined) return invalid(refused)
  const bound = boundTo(tool, edited, checked.value)
  const hold = openHold(call)
  const approvable = hold?.accepts.includes('approve')
  // An edit that changes nothing is a plain yes; one that leads to what was approved already is that yes again.
  if (approvable && hold?.inputHash === bound.inputHash) return { ...command, resolution: { kind: 'approve' } }
  const approved = approvable ? undefined : (hold?.inputHash ?? call.approved?.inputHash)
  const first =
    approved === bound.inputHash ? call.resolved.findLast((each) => each.resolution.kind === 'approve') : undefined
  const { approvers = 1 } = tool.gate ? await askGate(tool, call, checked.value, context, new Stop()) : {}
  const resolution = first?.resolution ?? ({ kind: 'approve', input: edited } as const)
  return { ...command, resolution, edited: { effective: bound.input, inputHash: bound.inputHash, approvers } }
}

/** Hooks look at an edit as they did at what the model wrote. An edit that a hook would change is refused: the approver has to change it. */
async function hooksRefuse(call: Call, tool: Tool, edited: Json, context: TurnContext): Promise<string | undefined> {
  if (context.agent.hooks.beforeCall.length === 0) return undefined
  const { callId, name } = call
  const part = { type: 'call', callId, vendorId: '', name, input: edited } as const
  const { event, veto } = await consider(part, tool, context, new AbortController().signal)
  if (veto !== undefined) return `The edited input is not allowed. ${veto}`
  return event && `${event.hooks.join(' and ')} would change the edited input to ${JSON.stringify(event.input)}.`
}

function invalid(message: string): ResolveDecision {
  return { verdict: 'invalid', message, events: [] }
}
