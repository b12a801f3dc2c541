/**
 * Runs a call of ours and tells what came of it. Never throws: whatever a handler does is an outcome, a hold or a
 * halt. `admitCall` comes before a call that was approved, `recoverCall` before one whose process died.
 */
import { messageOf } from '../failure.ts'
import { isObject, type Json } from '../json.ts'
import type { EventBody } from '../log/log-event.ts'
import { wholeJson } from '../lost-in-json.ts'
import { StateWrites } from '../plugin/state.ts'
import type { Checked } from '../ports.ts'
import { inputHash } from '../tool/fingerprint.ts'
import { AskUser, Halt, Skip, ToolError } from '../tool/handler-result.ts'
import { failed, type CallOutcome, type FailedOutcome } from '../tool/outcome.ts'
import { DEFAULT_TIMEOUTS, type Tool } from '../tool/tool.ts'
import type { ApprovalRequest, Verified } from '../tool/tool-options.ts'
import type { Hold } from '../turn/hold.ts'
import type { Call } from '../turn/turn-state.ts'
import type { Agent } from './agent.ts'
import { approvalHold, askGate, boundTo, checkInput, cleared, type Bound } from './dispatch.ts'
import { tooLarge, withinSize } from './result-size.ts'
import type { Stop } from './stop.ts'
import { haltsOn, inputOf } from './tool-failure.ts'
import { isUnfinished, unfinished, type Held } from './unfinished.ts'
import { afterWrites, within, type Returned } from './within.ts'
import { toolContext } from './tool-context.ts'
import { askersOf, type TurnContext } from './turn-context.ts'
import type { WorkResult } from './work.ts'

type Events = readonly EventBody[]

const notWhatWasApproved: CallOutcome = failed(
  'not-what-was-approved',
  "The tool's schema makes something else of the input than what was approved. Make its defaults and transforms give the same value each time.",
)

export function startCall(call: Call): EventBody {
  return { type: 'call.started', callId: call.callId, attempt: call.attempt + 1 }
}

/** Lets an approved call start only as what was approved: the same tool definition, and an input of the same hash. */
export async function admitCall(call: Call, tool: Tool | undefined, context: TurnContext, stop: Stop): Promise<Events> {
  if (!tool || !call.approved) return [startCall(call)]
  const checked = await checkInput(tool, inputOf(call))
  if (!checked.ok)
    return [settled(call, failed('invalid-input', `What was approved no longer fits the tool: ${checked.why}`))]
  const bound = boundTo(tool, inputOf(call), checked.value)
  if (tool.fingerprint !== call.approved.fingerprint)
    return changedTool(call, tool, bound, checked.value, context, stop)
  if (bound.inputHash !== call.approved.inputHash) return [settled(call, notWhatWasApproved)]
  return [startCall(call)]
}

/** The definition is not the one that was judged: a person judges again what a person did, the gate what it did. */
async function changedTool(
  call: Call,
  tool: Tool,
  bound: Bound,
  input: unknown,
  context: TurnContext,
  stop: Stop,
): Promise<Events> {
  const asked: ApprovalRequest = tool.gate ? await askGate(tool, call, input, context, stop) : { required: false }
  const byPerson = call.resolved.length > 0
  if (!byPerson && !asked.required) return [cleared(call.callId, bound), startCall(call)]
  const why = `The tool was changed after it was approved.${asked.reason === undefined ? '' : ` ${asked.reason}`}`
  const request = byPerson ? { ...asked, reason: why } : asked
  const before = call.approved?.definition ?? tool.definitionBefore
  const hold = approvalHold(tool, request, bound, undefined, context, before)
  return [{ type: 'call.held', callId: call.callId, hold: byPerson ? { ...hold, cause: 'changed' } : hold }]
}

const MOST_ATTEMPTS = 5

/** A call was running when its process died; it is unknown whether it did its work. The tool's `onLost` says what happens. */
export async function recoverCall(
  call: Call,
  tool: Tool | undefined,
  context: TurnContext,
  stop: Stop,
): Promise<Events> {
  switch (tool?.onLost ?? 'ask') {
    case 'retry':
      // A call that took its process down again and again is for a person to look at.
      return call.attempt - (call.resumed?.from ?? 0) < MOST_ATTEMPTS
        ? admitCall(call, tool, context, stop)
        : [await lostHold(call, tool, context, stop)]
    case 'fail':
      return [
        settled(
          call,
          failed(
            'lost',
            'The process died while this ran, and it may not be run again. It may or may not have done its work.',
          ),
        ),
      ]
    case 'ask':
      return [await lostHold(call, tool, context, stop)]
    case 'verify': {
      const found = await verify(call, tool, context, stop)
      if (found.happened === true)
        return [settled(call, tool ? await checkOutput(tool, found.result, context.agent) : asOutcome(found.result))]
      return found.happened === false
        ? admitCall(call, tool, context, stop)
        : [await lostHold(call, tool, context, stop)]
    }
  }
}

async function verify(call: Call, tool: Tool | undefined, context: TurnContext, stop: Stop): Promise<Verified> {
  try {
    const checked = tool && (await checkInput(tool, inputOf(call)))
    if (!tool?.verify || !checked?.ok) return { happened: 'unknown' }
    const writes = StateWrites.readOnly(() => context.log.state.plugins, `"onLost" of "${tool.name}"`)
    const said = await within(tool, stop, context, (limited) =>
      tool.verify?.(toolContext(context, call, checked.value, writes, limited)),
    )
    const found = await afterWrites(said, tool, writes, context, stop)
    return found.ok && isObject(found.value) ? (found.value as unknown as Verified) : { happened: 'unknown' }
  } catch {
    return { happened: 'unknown' }
  }
}

/** A person says what happened: run it again (same id), give up, or this was the result. */
async function lostHold(call: Call, tool: Tool | undefined, context: TurnContext, stop: Stop): Promise<EventBody> {
  const raw = inputOf(call)
  const checked = tool && (await checkInput(tool, raw))
  const bound =
    tool && checked?.ok ? boundTo(tool, raw, checked.value) : { input: raw, inputHash: inputHash(raw), fingerprint: '' }
  const { approvers = 1 } = tool?.gate && checked?.ok ? await askGate(tool, call, checked.value, context, stop) : {}
  const timeoutMs = tool?.approvalTimeoutMs ?? DEFAULT_TIMEOUTS.approval
  const hold: Hold = {
    kind: 'approval',
    cause: 'lost',
    reason:
      'The process died while this ran. Approve to run it again under the same id, reject to give it up, or answer with its result if it did happen.',
    accepts: ['approve', 'reject', 'answer'],
    ...bound,
    ...(tool && tool.fingerprint === (call.approved ?? tool).fingerprint && { definition: tool.definition }),
    ...call.approved,
    approvers,
    askedBy: askersOf(context),
    timeoutMs,
    expiresAt: context.agent.ports.now() + timeoutMs,
    onExpire: 'error',
    late: 'reject',
  }
  return { type: 'call.held', callId: call.callId, hold }
}

/** Most tools answer synchronously, and then so does this: a driver that runs many calls does not wait for each. */
export function runCall(
  call: Call,
  tool: Tool | undefined,
  context: TurnContext,
  stop: Stop,
): WorkResult | Promise<WorkResult> {
  if (!tool?.run) return [settled(call, failed('unknown-tool', `There is no tool "${call.name}" here any more.`))]
  const checking = checkInput(tool, inputOf(call))
  if (checking instanceof Promise) return checking.then((checked) => runChecked(call, tool, checked, context, stop))
  return runChecked(call, tool, checking, context, stop)
}

function runChecked(
  call: Call,
  tool: Tool,
  checked: Checked,
  context: TurnContext,
  stop: Stop,
): WorkResult | Promise<WorkResult> {
  if (!checked.ok) return [settled(call, failed('invalid-input', checked.why))]
  // Once more, on the very value that runs: the schema may have made another one of it since the call was admitted.
  if (call.approved && boundTo(tool, inputOf(call), checked.value).inputHash !== call.approved.inputHash)
    return [settled(call, notWhatWasApproved)]
  if (stop.aborted) return []
  const writes = new StateWrites(() => context.log.state.plugins, context.problem)
  const running = within(tool, stop, context, (limited) =>
    tool.run?.(toolContext(context, call, checked.value, writes, limited)),
  )
  const ran: Ran = { call, tool, input: checked.value, writes, context }
  const after = (returned: Returned): Returned | Promise<Returned> => afterWrites(returned, tool, writes, context, stop)
  const returned = running instanceof Promise ? running.then(after) : after(running)
  return returned instanceof Promise ? returned.then((each) => cameOf(ran, each)) : cameOf(ran, returned)
}

/** A call whose handler has returned. */
interface Ran {
  readonly call: Call
  readonly tool: Tool
  readonly input: unknown
  readonly writes: StateWrites
  readonly context: TurnContext
}

function cameOf(ran: Ran, given: Returned): WorkResult | Promise<WorkResult> {
  const { call, tool, input, writes, context } = ran
  const returned = storable(given)
  const value = returned.ok ? returned.value : undefined
  if (value instanceof AskUser || isUnfinished(value)) {
    const bound = boundTo(tool, inputOf(call), input)
    const held =
      value instanceof AskUser
        ? askedHold(call, tool, value, bound, context)
        : unfinished(call, tool, value, bound, context)
    const refused = 'ok' in held ? held : tooLargeToAsk(held, tool, context)
    const written = writes.take()
    return refused ? [failing(call, refused, context)] : [...written, held as Held]
  }
  if (value instanceof Halt) return halted(ran, value)
  if (value instanceof Skip) return [...writes.take(), skipped(call, context)]
  const judging = outcomeOf(returned, tool, context)
  return judging instanceof Promise ? judging.then((outcome) => ended(ran, outcome)) : ended(ran, judging)
}

function ended({ call, writes, context }: Ran, outcome: CallOutcome): WorkResult {
  const written = writes.take()
  return outcome.ok ? [...written, settled(call, outcome)] : [failing(call, outcome, context)]
}

async function halted({ call, tool, writes, context }: Ran, { reason, value }: Halt): Promise<WorkResult> {
  const outcome = value === undefined ? asOutcome(null) : await checkOutput(tool, value, context.agent)
  return [...writes.take(), { ...settled(call, outcome), halt: { reason: 'halted', message: reason } }]
}

function failing(call: Call, given: FailedOutcome, context: TurnContext): EventBody {
  const outcome = withinSize(given, undefined, context.agent) as FailedOutcome
  const { error } = outcome
  return haltsOn(error, call, context)
    ? { ...settled(call, outcome), halt: { reason: 'tool_error', message: error.message } }
    : settled(call, outcome)
}

/** A turn in which something else was done, or is being done, is remembered. */
function skipped(call: Call, { log }: TurnContext): EventBody {
  const { turn } = log.state
  const nothingElse = turn.phase === 'calls' && turn.step === 1 && turn.calls.length === 1
  const halt = { reason: nothingElse ? 'skipped' : 'halted', message: 'There was nothing to do.' } as const
  return { ...settled(call, asOutcome({ skipped: true })), halt }
}

/** What a handler says besides a value gets into the log too, so it is made JSON here, or an error if it cannot be. */
function storable(returned: Returned): Returned {
  if (!returned.ok) return returned
  const { value } = returned
  if (value instanceof AskUser)
    return remade(value.prompt, value.metadata, (prompt, metadata) => new AskUser(prompt, metadata))
  if (value instanceof Halt) return remade(value.reason, value.value, (reason, result) => new Halt(reason, result))
  if (value instanceof ToolError)
    return remade(value.message, value.details, (message, details) => new ToolError(message, details))
  return returned
}

function remade(text: unknown, extra: unknown, make: (text: string, extra: Json | undefined) => unknown): Returned {
  const json = extra === undefined ? undefined : wholeJson(extra)
  if (typeof text === 'string' && json?.ok !== false) return { ok: true, value: make(text, json?.value) }
  const why = json?.ok === false ? json.why : `${typeof text} in place of text`
  return failed('invalid-output', `What the handler returned cannot be stored: ${why}`)
}

function outcomeOf(returned: Returned, tool: Tool, { agent }: TurnContext): CallOutcome | Promise<CallOutcome> {
  if (!returned.ok) return returned
  if (returned.value instanceof Error) return failed('failed', messageOf(returned.value))
  if (returned.value instanceof ToolError) return failed('failed', returned.value.message, returned.value.details)
  return tool.output ? checkOutput(tool, returned.value, agent) : withinSize(asOutcome(returned.value), tool, agent)
}

/** Results from anywhere, ours included, must fit what the tool says it gives, and must not be too large. */
export async function checkOutput(tool: Tool, value: unknown, agent: Agent): Promise<CallOutcome> {
  const checked = tool.output ? await tool.output.check(value) : ({ ok: true, value } as const)
  return checked.ok
    ? withinSize(asOutcome(checked.value), tool, agent)
    : failed('invalid-output', `The result does not fit the tool's output schema: ${checked.why}`)
}

function asOutcome(value: unknown): CallOutcome {
  const json = wholeJson(value)
  return json.ok ? json : failed('invalid-output', `The result is not JSON: ${json.why}`)
}

/** What is asked is kept too. The input is not the handler's doing. */
function tooLargeToAsk({ hold, state = null }: Held, tool: Tool, { agent }: TurnContext): FailedOutcome | undefined {
  const { reason = null, metadata = null, answerSchema = null, url = null } = hold
  return tooLarge('What is asked', [reason, metadata, answerSchema, url, state], tool, agent)
}

function askedHold(call: Call, tool: Tool, asked: AskUser, bound: Bound, context: TurnContext): Held {
  const timeoutMs = tool.approvalTimeoutMs
  const hold: Hold = {
    kind: 'elicitation',
    cause: 'asked',
    reason: asked.prompt,
    ...(asked.metadata !== undefined && { metadata: asked.metadata }),
    accepts: ['answer', 'reject'],
    ...bound,
    approvers: 1,
    askedBy: askersOf(context),
    timeoutMs,
    expiresAt: context.agent.ports.now() + timeoutMs,
    onExpire: tool.waiting.onExpire,
    late: 'reject',
    ...(tool.output && { answerSchema: tool.output.json }),
  }
  return { type: 'call.held', callId: call.callId, hold }
}

function settled(call: Call, outcome: CallOutcome): Extract<EventBody, { type: 'call.settled' }> {
  return { type: 'call.settled', callId: call.callId, outcome }
}
