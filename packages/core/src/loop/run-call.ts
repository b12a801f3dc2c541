/**
 * Runs a call of ours and tells what came of it. Never throws: whatever a handler does is an outcome, a hold or a
 * halt. `admitCall` comes before a call that was approved, `recoverCall` before one whose process died.
 */
import { messageOf } from '../failure.ts'
import { isObject, lostInJson, toJson, type Json } from '../json.ts'
import type { EventBody } from '../log/log-event.ts'
import { StateWrites } from '../plugin/state.ts'
import type { Checked } from '../ports.ts'
import { inputHash } from '../tool/fingerprint.ts'
import { AskUser, Halt, Skip, ToolError } from '../tool/handler-result.ts'
import { failed, type CallOutcome, type FailedOutcome, type OutcomeError } from '../tool/outcome.ts'
import { DEFAULT_TIMEOUTS, type Tool } from '../tool/tool.ts'
import type { ApprovalRequest, Verified } from '../tool/tool-options.ts'
import type { Hold } from '../turn/hold.ts'
import type { Call } from '../turn/turn-state.ts'
import { approvalHold, askGate, boundTo, checkInput, cleared, type Bound } from './dispatch.ts'
import type { Stop } from './stop.ts'
import { isUnfinished, unfinished } from './unfinished.ts'
import { within, type Returned } from './within.ts'
import type { Brought } from './works.ts'
import { toolContext, type World } from './world.ts'

type Events = readonly EventBody[]

const notWhatWasApproved: CallOutcome = failed(
  'not-what-was-approved',
  "The tool's schema makes something else of the input than what was approved. Make its defaults and transforms give the same value each time.",
)

export function startCall(call: Call): EventBody {
  return { type: 'call.started', callId: call.callId, attempt: call.attempt + 1 }
}

/** Lets an approved call start only as what was approved: the same tool definition, and an input of the same hash. */
export async function admitCall(call: Call, tool: Tool | undefined, world: World, stop: Stop): Promise<Events> {
  if (!tool || !call.approved) return [startCall(call)]
  const checked = await checkInput(tool, inputOf(call))
  if (!checked.ok)
    return [settled(call, failed('invalid-input', `What was approved no longer fits the tool: ${checked.why}`))]
  const bound = boundTo(tool, inputOf(call), checked.value)
  if (tool.fingerprint !== call.approved.fingerprint) return changedTool(call, tool, bound, checked.value, world, stop)
  if (bound.inputHash !== call.approved.inputHash) return [settled(call, notWhatWasApproved)]
  return [startCall(call)]
}

/** The definition is not the one that was judged: a person judges again what a person did, the gate what it did. */
async function changedTool(
  call: Call,
  tool: Tool,
  bound: Bound,
  input: unknown,
  world: World,
  stop: Stop,
): Promise<Events> {
  const asked: ApprovalRequest = tool.gate ? await askGate(tool, call, input, world, stop) : { required: false }
  const byPerson = call.resolved.length > 0
  if (!byPerson && !asked.required) return [cleared(call.callId, bound), startCall(call)]
  const why = `The tool was changed after it was approved.${asked.reason === undefined ? '' : ` ${asked.reason}`}`
  const request = byPerson ? { ...asked, reason: why } : asked
  const hold = approvalHold(tool, request, bound, undefined, world)
  return [{ type: 'call.held', callId: call.callId, hold: byPerson ? { ...hold, cause: 'changed' } : hold }]
}

const MOST_ATTEMPTS = 5

/** A call was running when its process died; nobody knows whether it did its work. The tool's author said what then. */
export async function recoverCall(call: Call, tool: Tool | undefined, world: World, stop: Stop): Promise<Events> {
  switch (tool?.onLost ?? 'ask') {
    case 'retry':
      // A call that took its process down again and again is for a person to look at.
      return call.attempt - (call.resumed?.from ?? 0) < MOST_ATTEMPTS
        ? admitCall(call, tool, world, stop)
        : [await lostHold(call, tool, world, stop)]
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
      return [await lostHold(call, tool, world, stop)]
    case 'verify': {
      const found = await verify(call, tool, world, stop)
      if (found.happened === true)
        return [settled(call, tool ? await checkOutput(tool, found.result) : asOutcome(found.result))]
      return found.happened === false ? admitCall(call, tool, world, stop) : [await lostHold(call, tool, world, stop)]
    }
  }
}

async function verify(call: Call, tool: Tool | undefined, world: World, stop: Stop): Promise<Verified> {
  try {
    const checked = tool && (await checkInput(tool, inputOf(call)))
    if (!tool?.verify || !checked?.ok) return { happened: 'unknown' }
    const writes = new StateWrites(() => world.log.state.plugins)
    const found = await within(tool, stop, world, (limited) =>
      tool.verify?.(toolContext(world, call, checked.value, writes, limited)),
    )
    return found.ok && isObject(found.value) ? (found.value as unknown as Verified) : { happened: 'unknown' }
  } catch {
    return { happened: 'unknown' }
  }
}

/** A person says what happened: run it again (same id), give up, or this was the result. */
async function lostHold(call: Call, tool: Tool | undefined, world: World, stop: Stop): Promise<EventBody> {
  const raw = inputOf(call)
  const checked = tool && (await checkInput(tool, raw))
  const bound =
    tool && checked?.ok ? boundTo(tool, raw, checked.value) : { input: raw, inputHash: inputHash(raw), fingerprint: '' }
  const { approvers = 1 } = tool?.gate && checked?.ok ? await askGate(tool, call, checked.value, world, stop) : {}
  const timeoutMs = tool?.approvalTimeoutMs ?? DEFAULT_TIMEOUTS.approval
  const hold: Hold = {
    kind: 'approval',
    cause: 'lost',
    reason:
      'The process died while this ran. Approve to run it again under the same id, reject to give it up, or answer with its result if it did happen.',
    accepts: ['approve', 'reject', 'answer'],
    ...bound,
    ...call.approved,
    approvers,
    timeoutMs,
    expiresAt: world.agent.ports.now() + timeoutMs,
    onExpire: 'error',
    late: 'reject',
  }
  return { type: 'call.held', callId: call.callId, hold }
}

/** Most tools answer at once, and then so does this: whoever runs many need not wait for each. */
export function runCall(call: Call, tool: Tool | undefined, world: World, stop: Stop): Brought | Promise<Brought> {
  if (!tool?.run) return [settled(call, failed('unknown-tool', `There is no tool "${call.name}" here any more.`))]
  const checking = checkInput(tool, inputOf(call))
  if (checking instanceof Promise) return checking.then((checked) => runChecked(call, tool, checked, world, stop))
  return runChecked(call, tool, checking, world, stop)
}

function runChecked(call: Call, tool: Tool, checked: Checked, world: World, stop: Stop): Brought | Promise<Brought> {
  if (!checked.ok) return [settled(call, failed('invalid-input', checked.why))]
  // Once more, on the very value that runs: the schema may have made another one of it since the call was admitted.
  if (call.approved && boundTo(tool, inputOf(call), checked.value).inputHash !== call.approved.inputHash)
    return [settled(call, notWhatWasApproved)]
  if (stop.aborted) return []
  const writes = new StateWrites(() => world.log.state.plugins)
  const running = within(tool, stop, world, (limited) =>
    tool.run?.(toolContext(world, call, checked.value, writes, limited)),
  )
  const ran: Ran = { call, tool, input: checked.value, writes, world }
  return running instanceof Promise ? running.then((returned) => cameOf(ran, returned)) : cameOf(ran, running)
}

/** A call whose handler has returned. */
interface Ran {
  readonly call: Call
  readonly tool: Tool
  readonly input: unknown
  readonly writes: StateWrites
  readonly world: World
}

function cameOf(ran: Ran, given: Returned): Brought | Promise<Brought> {
  const { call, tool, input, writes, world } = ran
  const returned = storable(given)
  const value = returned.ok ? returned.value : undefined
  if (value instanceof AskUser)
    return [...writes.take(), askedHold(call, tool, value, boundTo(tool, inputOf(call), input), world)]
  if (isUnfinished(value)) {
    const held = unfinished(call, tool, value, boundTo(tool, inputOf(call), input), world)
    return 'ok' in held ? [failing(call, held, world)] : [...writes.take(), held]
  }
  if (value instanceof Halt) return halted(ran, value)
  if (value instanceof Skip) return [...writes.take(), skipped(call, world)]
  const judging = outcomeOf(returned, tool)
  return judging instanceof Promise ? judging.then((outcome) => ended(ran, outcome)) : ended(ran, judging)
}

function ended({ call, writes, world }: Ran, outcome: CallOutcome): Brought {
  return outcome.ok ? [...writes.take(), settled(call, outcome)] : [failing(call, outcome, world)]
}

async function halted({ call, tool, writes }: Ran, { reason, value }: Halt): Promise<Brought> {
  const outcome = value === undefined ? asOutcome(null) : await checkOutput(tool, value)
  return [...writes.take(), { ...settled(call, outcome), halt: { reason: 'halted', message: reason } }]
}

function failing(call: Call, outcome: FailedOutcome, world: World): EventBody {
  const { error } = outcome
  return haltsOn(error, call, world)
    ? { ...settled(call, outcome), halt: { reason: 'tool_error', message: error.message } }
    : settled(call, outcome)
}

/** A turn in which something else was done, or is being done, is remembered. */
function skipped(call: Call, { log }: World): EventBody {
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
  const json = extra === undefined ? undefined : toJson(extra)
  if (typeof text === 'string' && json?.ok !== false) return { ok: true, value: make(text, json?.value) }
  const why = json?.ok === false ? json.why : `${typeof text} in place of text`
  return failed('invalid-output', `What the handler returned cannot be stored: ${why}`)
}

function outcomeOf(returned: Returned, tool: Tool): CallOutcome | Promise<CallOutcome> {
  if (!returned.ok) return returned
  if (returned.value instanceof Error) return failed('failed', messageOf(returned.value))
  if (returned.value instanceof ToolError) return failed('failed', returned.value.message, returned.value.details)
  return tool.output ? checkOutput(tool, returned.value) : asOutcome(returned.value)
}

/** Results from anywhere, ours included, must fit what the tool says it gives. */
export async function checkOutput(tool: Tool, value: unknown): Promise<CallOutcome> {
  const checked = tool.output ? await tool.output.check(value) : ({ ok: true, value } as const)
  return checked.ok
    ? asOutcome(checked.value)
    : failed('invalid-output', `The result does not fit the tool's output schema: ${checked.why}`)
}

function asOutcome(value: unknown): CallOutcome {
  const json = toJson(value)
  if (!json.ok) return failed('invalid-output', `The result is not JSON: ${json.why}`)
  const lost = lostInJson(value)
  if (lost) return failed('invalid-output', `The result holds ${lost}, of which JSON would keep nothing.`)
  return { ok: true, value: json.value }
}

function askedHold(call: Call, tool: Tool, asked: AskUser, bound: Bound, { agent }: World): EventBody {
  const timeoutMs = tool.approvalTimeoutMs
  const hold: Hold = {
    kind: 'elicitation',
    cause: 'asked',
    reason: asked.prompt,
    ...(asked.metadata !== undefined && { metadata: asked.metadata }),
    accepts: ['answer', 'reject'],
    ...bound,
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
  if (typeof onToolError !== 'function') return onToolError === 'halt'
  try {
    return onToolError({ id: call.callId, name: call.name }, error) !== 'continue'
  } catch {
    return true // a policy that cannot say is not a yes to going on
  }
}

function inputOf(call: Call): Json {
  return call.edited ?? call.proposed
}

function settled(call: Call, outcome: CallOutcome): Extract<EventBody, { type: 'call.settled' }> {
  return { type: 'call.settled', callId: call.callId, outcome }
}
