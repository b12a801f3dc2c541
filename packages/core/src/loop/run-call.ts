/**
 * Runs a call of ours and tells what came of it. Never throws: whatever a handler does is an outcome, a hold or a
 * halt. `admitCall` comes before a call that was approved, `recoverCall` before one whose process died.
 */
import { messageOf } from '../failure.ts'
import { toJson, type Json } from '../json.ts'
import type { EventBody } from '../log/log-event.ts'
import { StateWrites } from '../plugin/state.ts'
import { inputHash } from '../tool/fingerprint.ts'
import { AskUser, Halt, ToolError } from '../tool/handler-result.ts'
import { failed, type CallOutcome, type OutcomeError } from '../tool/outcome.ts'
import type { Tool } from '../tool/tool.ts'
import type { Verified } from '../tool/tool-options.ts'
import type { Hold } from '../turn/hold.ts'
import type { Call } from '../turn/turn-state.ts'
import { approvalHold, checkInput } from './dispatch.ts'
import { toolContext, type World } from './world.ts'

type Events = readonly EventBody[]

export function startCall(call: Call): EventBody {
  return { type: 'call.started', callId: call.callId, attempt: call.attempt + 1 }
}

/** Lets an approved call start only as what was approved: the same tool definition, and an input of the same hash. */
export async function admitCall(call: Call, tool: Tool | undefined, world: World): Promise<Events> {
  if (!tool || !call.approved) return [startCall(call)]
  const checked = await checkInput(tool, inputOf(call))
  if (!checked.ok) return [settled(call, failed('invalid-input', `What was approved no longer fits the tool: ${checked.why}`))]
  const hash = inputHash(checked.json)
  if (tool.fingerprint !== call.approved.fingerprint) {
    const bound = { input: checked.json, inputHash: hash, fingerprint: tool.fingerprint }
    const hold = approvalHold(tool, { required: true, reason: 'The tool was changed after it was approved.' }, bound, undefined, world)
    return [{ type: 'call.held', callId: call.callId, hold: { ...hold, cause: 'changed' } }]
  }
  if (hash !== call.approved.inputHash) {
    return [settled(call, failed('not-what-was-approved', "The tool's schema makes something else of the input than what was approved. Make its defaults and transforms give the same value each time."))]
  }
  return [startCall(call)]
}

/** A call was running when its process died; nobody knows whether it did its work. The tool's author said what then. */
export async function recoverCall(call: Call, tool: Tool | undefined, world: World, signal: AbortSignal): Promise<Events> {
  switch (tool?.onLost ?? 'ask') {
    case 'retry':
      return admitCall(call, tool, world)
    case 'fail':
      return [settled(call, failed('lost', 'The process died while this ran, and it may not be run again. It may or may not have done its work.'))]
    case 'ask':
      return [lostHold(call, tool, world)]
    case 'verify': {
      const found = await verify(call, tool, world, signal)
      if (found.happened === true) return [settled(call, asOutcome(found.result))]
      return found.happened === false ? admitCall(call, tool, world) : [lostHold(call, tool, world)]
    }
  }
}

async function verify(call: Call, tool: Tool | undefined, world: World, signal: AbortSignal): Promise<Verified> {
  try {
    const checked = tool && (await checkInput(tool, inputOf(call)))
    if (!tool?.verify || !checked?.ok) return { happened: 'unknown' }
    return await tool.verify(toolContext(world, call, checked.value, new StateWrites(() => world.log.state.plugins), signal))
  } catch {
    return { happened: 'unknown' }
  }
}

/** A person says what happened: run it again (same id), give up, or this was the result. */
function lostHold(call: Call, tool: Tool | undefined, { agent }: World): EventBody {
  const input = inputOf(call)
  const timeoutMs = tool?.approvalTimeoutMs ?? 7 * 86_400_000
  const hold: Hold = {
    kind: 'approval',
    cause: 'lost',
    reason: 'The process died while this ran. Approve to run it again under the same id, reject to give it up, or answer with its result if it did happen.',
    accepts: ['approve', 'reject', 'answer'],
    input,
    inputHash: call.approved?.inputHash ?? inputHash(input),
    fingerprint: call.approved?.fingerprint ?? tool?.fingerprint ?? '',
    approvers: 1,
    timeoutMs,
    expiresAt: agent.ports.now() + timeoutMs,
    onExpire: 'error',
    late: 'reject',
  }
  return { type: 'call.held', callId: call.callId, hold }
}

export async function runCall(call: Call, tool: Tool | undefined, world: World, signal: AbortSignal): Promise<Events> {
  if (!tool?.run) return [settled(call, failed('unknown-tool', `There is no tool "${call.name}" here any more.`))]
  const checked = await checkInput(tool, inputOf(call))
  if (!checked.ok) return [settled(call, failed('invalid-input', checked.why))]
  const writes = new StateWrites(() => world.log.state.plugins)
  const returned = await within(tool, signal, world, (limited) => tool.run?.(toolContext(world, call, checked.value, writes, limited)))
  if (returned.ok && returned.value instanceof AskUser) return [...writes.take(), askedHold(call, tool, returned.value, checked.json, world)]
  if (returned.ok && returned.value instanceof Halt) {
    const halt = { reason: 'halted', message: returned.value.reason } as const
    return [...writes.take(), { ...settled(call, asOutcome(returned.value.value)), halt }]
  }
  const outcome = await outcomeOf(returned, tool)
  if (outcome.ok) return [...writes.take(), settled(call, outcome)]
  const { error } = outcome
  return [haltsOn(error, call, world) ? { ...settled(call, outcome), halt: { reason: 'tool_error', message: error.message } } : settled(call, outcome)]
}

type Returned = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly outcome: CallOutcome }

/** The handler, its time limit and cancellation, whichever comes first. A handler that ignores its signal is left behind. */
async function within(tool: Tool, signal: AbortSignal, { agent }: World, run: (signal: AbortSignal) => unknown): Promise<Returned> {
  const limit = new AbortController()
  const stop = (): void => limit.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  const { timeoutMs } = tool.waiting
  const late = agent.ports.sleep(timeoutMs, limit.signal).then((): Returned => {
    const cancelled = limit.signal.aborted
    limit.abort(new Error(`"${tool.name}" took longer than ${timeoutMs} ms`))
    return { ok: false, outcome: cancelled ? failed('cancelled', 'The turn was cancelled.') : failed('timed-out', `It took longer than ${timeoutMs} ms.`) }
  })
  const work = attempt(run, limit.signal)
  const first = await Promise.race([work, late])
  signal.removeEventListener('abort', stop)
  limit.abort()
  return first
}

async function attempt(run: (signal: AbortSignal) => unknown, signal: AbortSignal): Promise<Returned> {
  try {
    return { ok: true, value: await run(signal) }
  } catch (error) {
    return { ok: false, outcome: failed('failed', messageOf(error)) }
  }
}

async function outcomeOf(returned: Returned, tool: Tool): Promise<CallOutcome> {
  if (!returned.ok) return returned.outcome
  if (returned.value instanceof ToolError) return failed('failed', returned.value.message, returned.value.details)
  return checkOutput(tool, returned.value)
}

/** Results from anywhere, ours included, must fit what the tool says it gives. */
export async function checkOutput(tool: Tool, value: unknown): Promise<CallOutcome> {
  const checked = tool.output ? await tool.output.check(value) : ({ ok: true, value } as const)
  return checked.ok ? asOutcome(checked.value) : failed('invalid-output', `The result does not fit the tool's output schema: ${checked.why}`)
}

function asOutcome(value: unknown): CallOutcome {
  const json = toJson(value)
  return json.ok ? { ok: true, value: json.value } : failed('invalid-output', `The result is not JSON: ${json.why}`)
}

function askedHold(call: Call, tool: Tool, asked: AskUser, input: Json, { agent }: World): EventBody {
  const timeoutMs = tool.approvalTimeoutMs
  const hold: Hold = {
    kind: 'elicitation',
    cause: 'asked',
    reason: asked.prompt,
    ...(asked.metadata !== undefined && { metadata: asked.metadata }),
    accepts: ['answer', 'reject'],
    input,
    inputHash: inputHash(input),
    fingerprint: tool.fingerprint,
    approvers: 1,
    timeoutMs,
    expiresAt: agent.ports.now() + timeoutMs,
    onExpire: tool.waiting.onExpire,
    late: 'reject',
    ...(tool.output && { answerSchema: tool.output.json }),
  }
  return { type: 'call.held', callId: call.callId, hold }
}

/** Only what went wrong in the tool counts: a model's mistake is the model's to mend. */
function haltsOn(error: OutcomeError, call: Call, { agent }: World): boolean {
  if (error.code !== 'failed' && error.code !== 'timed-out' && error.code !== 'invalid-output') return false
  const { onToolError } = agent
  return (typeof onToolError === 'function' ? onToolError({ id: call.callId, name: call.name }, error) : onToolError) === 'halt'
}

function inputOf(call: Call): Json {
  return call.approved?.input ?? call.proposed
}

function settled(call: Call, outcome: CallOutcome): Extract<EventBody, { type: 'call.settled' }> {
  return { type: 'call.settled', callId: call.callId, outcome }
}
