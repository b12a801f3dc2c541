/**
 * Checks a resolution against the tool before it is decided: an answer must match the question or the tool's output schema,
 * an edited input the tool's input schema.
 */
import type { Json } from '@holdpoint/core/internal/json'
import { losslessJson } from '@holdpoint/core/internal/lossless-json'
import { failed, type CallOutcome } from '@holdpoint/core/internal/tool/outcome'
import { namesOf } from '@holdpoint/core/internal/rule/recorded-calls'
import { inputHash } from '@holdpoint/core/internal/tool/fingerprint'
import { toSchema } from '@holdpoint/core/internal/tool/schema'
import type { Tool } from '@holdpoint/core/internal/tool/tool'
import { openHold } from '@holdpoint/core/internal/turn/call'
import type { Hold } from '@holdpoint/core/internal/turn/hold'
import { decideResolve, type Resolve } from '@holdpoint/core/internal/turn/resolve'
import type { Call } from '@holdpoint/core/internal/turn/turn-state'
import type { ResolveDecision } from '@holdpoint/core/internal/turn/verdict'
import type { Agent } from '@holdpoint/core/internal/agent/agent'
import { tooLarge } from '../call/result-size.ts'
import { checkOutput } from '../call/run-call.ts'
import { FileMissing } from '../files/conversation-files.ts'
import { filesInAnswer } from '../files/files-in-answer.ts'
import { prepareStep } from '../step/prepare-step.ts'
import { checkEditedInput } from './edited-input.ts'
import { invalidResolution } from './invalid-resolution.ts'
import type { TurnContext } from './turn-context.ts'

/** Decides a resolution. The log keeps an answer as the tool's schema leaves it, and a second answer is compared with that. */
export async function checkResolution(
  call: Call | undefined,
  command: Resolve,
  context: TurnContext,
): Promise<ResolveDecision> {
  const decision = decideResolve(call, command)
  const same = decision.verdict === 'duplicate' && decision.first
  if (!call || same || !['accepted', 'duplicate', 'conflict'].includes(decision.verdict)) return decision
  const checked = await checkAgainstTool(call, command, context)
  if ('verdict' in checked) return decision.first ? decision : checked
  const denied = decision.verdict === 'accepted' && (await deniedByRule(call, checked, context))
  if (denied) return { events: [], verdict: 'not-allowed', message: `A rule denies this call. ${denied}` }
  return decideResolve(call, checked)
}

/** A person cannot approve what a rule denies, also if the rule was saved while the call waited. */
async function deniedByRule(
  call: Call,
  { resolution, edited, now }: Resolve,
  { rules, log }: TurnContext,
): Promise<string | undefined> {
  const hold = openHold(call)
  if (!rules || !hold || resolution.kind !== 'approve') return undefined
  const { tenant, id: conversation } = log.address
  const { decision } = rules.evaluator.judge(await rules.rulesOf(tenant, call.name), {
    callId: call.callId,
    tool: call.name,
    fingerprint: hold.fingerprint,
    // A hold shows the original input if JSON cannot show what the tool's code gets.
    input: edited ? edited.effective : inputHash(hold.input) === hold.inputHash ? hold.input : undefined,
    conversation,
    agent: log.state.agent,
    people: namesOf(hold.askedBy ?? []),
    now,
  })
  return decision?.effect === 'deny' ? decision.why : undefined
}

async function checkAgainstTool(
  call: Call,
  command: Resolve,
  context: TurnContext,
): Promise<Resolve | ResolveDecision> {
  const { resolution } = command
  const said = resolution.kind === 'reject' ? (resolution.reason ?? '') : 'error' in resolution ? resolution.error : ''
  const large = tooLarge('What was said', said, undefined, context.agent)
  if (large) return invalidResolution(large.error.message)
  if (resolution.kind === 'reject') return command
  if (resolution.kind === 'answer' && 'error' in resolution) return command
  if (resolution.kind === 'approve' && resolution.input === undefined) return command
  const tool = (await prepareStep(context)).tools.get(call.name)
  if (!tool) return invalidResolution(`"${call.name}" is not among the tools here, so the answer cannot be checked.`)
  if (resolution.kind === 'answer') return checkAnswer(call, tool, resolution.value, command, context)
  return checkEditedInput(call, tool, resolution.input ?? null, command, context)
}

/** An answer to a handler's question must match the question. Any other answer is the result, and must match the tool. */
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
  const outcome = answers ? await fitsQuestion(hold, value, tool, agent) : await checkOutput(tool, value, { agent })
  if (!outcome.ok) return invalidResolution(outcome.error.message)
  const schema = answers ? hold.answerSchema : tool.output?.json
  const missing = schema && (await missingFile(filesInAnswer(schema, outcome.value), command, context))
  return missing === undefined
    ? { ...command, resolution: { kind: 'answer', value: outcome.value } }
    : invalidResolution(missing)
}

/** Gives the files of an answer to the conversation, before the event that names them. Returns why one cannot be used. */
async function missingFile(
  ids: readonly string[],
  { by }: Resolve,
  { files }: TurnContext,
): Promise<string | undefined> {
  if (ids.length > 0 && !files?.kept) return 'The answer has a file, and no files are kept here.'
  try {
    await files?.attachAll(ids, by?.id)
    return undefined
  } catch (error) {
    if (error instanceof FileMissing) return error.message
    throw error
  }
}

async function fitsQuestion({ answerSchema }: Hold, value: Json, tool: Tool, agent: Agent): Promise<CallOutcome> {
  const large = tooLarge('The answer', value, tool, agent)
  if (large || !answerSchema) return large ?? { ok: true, value }
  const checked = await toSchema(answerSchema, 'The question', agent.ports.compileJsonSchema).check(value)
  const json = checked.ok ? losslessJson(checked.value) : checked
  return json.ok ? json : failed('invalid-input', `The answer does not fit the question: ${json.why}`)
}
