/**
 * Runs the handler of a server tool. Never throws: what a handler does becomes an outcome, a hold or a halt. `recoverCall` decides
 * about a call whose process died.
 */
import { messageOf } from '@holdpoint/core/internal/failure'
import { isObject, type Json } from '@holdpoint/core/internal/json'
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import { losslessJson } from '@holdpoint/core/internal/lossless-json'
import { StateWrites } from '@holdpoint/core/internal/plugin/state'
import type { Checked } from '@holdpoint/core/internal/ports'
import { inputHash } from '@holdpoint/core/internal/tool/fingerprint'
import { AskUser, Halt, Skip, ToolError } from '@holdpoint/core/internal/tool/handler-result'
import { failed, type CallOutcome, type FailedOutcome } from '@holdpoint/core/internal/tool/outcome'
import { DEFAULT_TIMEOUTS, type Tool } from '@holdpoint/core/internal/tool/tool'
import type { Verified } from '@holdpoint/core/internal/tool/tool-options'
import { approverRule, routeOf } from '@holdpoint/core/internal/turn/approvers'
import type { Hold } from '@holdpoint/core/internal/turn/hold'
import type { Call } from '@holdpoint/core/internal/turn/turn-state'
import { askGate, boundTo, checkInput, type Bound } from '../step/dispatch.ts'
import { admitCall, notWhatWasApproved, settled } from './admit-call.ts'
import { tooLarge, limitResultSize } from './result-size.ts'
import { storeLargeResult } from './store-large-result.ts'
import type { LazyAbortController } from '../drive/lazy-abort-controller.ts'
import { toolFailureHalts, inputOf } from './tool-failure.ts'
import { isUnfinished, holdUnfinishedCall, type Held } from './hold-unfinished-call.ts'
import { settleWrites, runWithTimeLimit, type Returned } from './run-with-time-limit.ts'
import { toolContext } from './tool-context.ts'
import { authorsOfTurn, authorsReadInTurn, type TurnContext } from '../conversation/turn-context.ts'
import type { EffectResult } from '../drive/effect-run.ts'

type Events = readonly EventBody[]

const MOST_ATTEMPTS = 5

/** The process died while the call ran, so it is unknown whether the call did its work. The tool's `onLost` decides. */
export async function recoverCall(
  call: Call,
  tool: Tool | undefined,
  context: TurnContext,
  stop: LazyAbortController,
): Promise<Events> {
  switch (tool?.onLost ?? 'ask') {
    case 'retry':
      // The call may be what kills the process. After so many attempts, a person decides.
      return call.attempt - (call.resumed?.from ?? 0) < MOST_ATTEMPTS
        ? admitCall(call, tool, context, stop)
        : [await lostHold(call, tool, context, stop)]
    case 'fail':
      return [
        settled(
          call,
          failed(
            'lost',
            `${call.restored ? 'The store was restored from a backup that is older than the end of this call' : 'The process died while this call ran'}, and the call may not run twice. It may or may not have done its work.`,
          ),
        ),
      ]
    case 'ask':
      return [await lostHold(call, tool, context, stop)]
    case 'verify': {
      const found = await verify(call, tool, context, stop)
      if (found.happened === true)
        return [settled(call, tool ? await checkOutput(tool, found.result, context) : asOutcome(found.result))]
      return found.happened === false
        ? admitCall(call, tool, context, stop)
        : [await lostHold(call, tool, context, stop)]
    }
  }
}

async function verify(
  call: Call,
  tool: Tool | undefined,
  context: TurnContext,
  stop: LazyAbortController,
): Promise<Verified> {
  try {
    const checked = tool && (await checkInput(tool, inputOf(call)))
    if (!tool?.verify || !checked?.ok) return { happened: 'unknown' }
    const writes = StateWrites.readOnly(() => context.log.state.plugins, `"onLost" of "${tool.name}"`)
    const said = await runWithTimeLimit(tool, stop, context, (limited) =>
      tool.verify?.(toolContext(context, call, checked.value, writes, limited)),
    )
    const found = await settleWrites(said, tool, writes, context, stop)
    return found.ok && isObject(found.value) ? (found.value as unknown as Verified) : { happened: 'unknown' }
  } catch {
    return { happened: 'unknown' }
  }
}

/** A hold in which a person decides about a lost call: run it again under the same id, give up, or enter its result. */
async function lostHold(
  call: Call,
  tool: Tool | undefined,
  context: TurnContext,
  stop: LazyAbortController,
): Promise<EventBody> {
  const raw = inputOf(call)
  const checked = tool && (await checkInput(tool, raw))
  const bound =
    tool && checked?.ok ? boundTo(tool, raw, checked.value) : { input: raw, inputHash: inputHash(raw), fingerprint: '' }
  const request =
    tool?.gate && checked?.ok ? await askGate(tool, call, checked.value, context, stop) : { required: true }
  const askedBy = authorsReadInTurn(context)
  const now = context.agent.ports.now()
  const timeoutMs = tool?.approvalTimeoutMs ?? DEFAULT_TIMEOUTS.approval
  const hold: Hold = {
    kind: 'approval',
    cause: 'lost',
    reason: `${
      call.restored
        ? 'The store was restored from a backup, and this call may have run since.'
        : 'The process died while this call ran.'
    } Approve to run it again under the same id, reject to give up, or answer with the result if the call did its work.`,
    accepts: ['approve', 'reject', 'answer'],
    ...bound,
    ...(tool && tool.fingerprint === (call.approved ?? tool).fingerprint && { definition: tool.definition }),
    ...call.approved,
    ...approverRule(request, askedBy),
    ...routeOf(request, now),
    askedBy,
    timeoutMs,
    expiresAt: now + timeoutMs,
    onExpire: 'error',
    late: 'reject',
  }
  return { type: 'call.held', callId: call.callId, hold }
}

/** Returns at once when the handler does, so that a driver with many calls does not wait for each of them. */
export function runCall(
  call: Call,
  tool: Tool | undefined,
  context: TurnContext,
  stop: LazyAbortController,
): EffectResult | Promise<EffectResult> {
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
  stop: LazyAbortController,
): EffectResult | Promise<EffectResult> {
  if (!checked.ok) return [settled(call, failed('invalid-input', checked.why))]
  // Compared again with the value that runs: a schema may give another value each time, also since `admitCall`.
  if (call.approved && boundTo(tool, inputOf(call), checked.value).inputHash !== call.approved.inputHash)
    return [settled(call, notWhatWasApproved)]
  if (stop.aborted) return []
  const writes = new StateWrites(() => context.log.state.plugins, context.problem)
  const running = runWithTimeLimit(tool, stop, context, (limited) =>
    tool.run?.(toolContext(context, call, checked.value, writes, limited)),
  )
  const ran: Ran = { call, tool, input: checked.value, writes, context }
  const after = (returned: Returned): Returned | Promise<Returned> =>
    settleWrites(returned, tool, writes, context, stop)
  const returned = running instanceof Promise ? running.then(after) : after(running)
  return returned instanceof Promise ? returned.then((each) => resultOf(ran, each)) : resultOf(ran, returned)
}

/** A call whose handler has returned. */
interface Ran {
  readonly call: Call
  readonly tool: Tool
  readonly input: unknown
  readonly writes: StateWrites
  readonly context: TurnContext
}

function resultOf(ran: Ran, given: Returned): EffectResult | Promise<EffectResult> {
  const { call, tool, input, writes, context } = ran
  const returned = storable(given)
  const value = returned.ok ? returned.value : undefined
  if (value instanceof AskUser || isUnfinished(value)) {
    const bound = boundTo(tool, inputOf(call), input)
    const held =
      value instanceof AskUser
        ? askedHold(call, tool, value, bound, context)
        : holdUnfinishedCall(call, tool, value, bound, context)
    const refused = 'ok' in held ? held : tooLargeToAsk(held, tool, context)
    const written = writes.take()
    return refused ? [failing(call, refused, context)] : [...written, held as Held]
  }
  if (value instanceof Halt) return halted(ran, value)
  if (value instanceof Skip) return [...writes.take(), skipped(call, context)]
  const judging = outcomeOf(returned, tool, context)
  return judging instanceof Promise ? judging.then((outcome) => ended(ran, outcome)) : ended(ran, judging)
}

function ended({ call, writes, context }: Ran, outcome: CallOutcome): EffectResult {
  const written = writes.take()
  return outcome.ok ? [...written, settled(call, outcome)] : [failing(call, outcome, context)]
}

async function halted({ call, tool, writes, context }: Ran, { reason, value }: Halt): Promise<EffectResult> {
  const outcome = value === undefined ? asOutcome(null) : await checkOutput(tool, value, context)
  return [...writes.take(), { ...settled(call, outcome), halt: { reason: 'halted', message: reason } }]
}

function failing(call: Call, given: FailedOutcome, context: TurnContext): EventBody {
  const outcome = limitResultSize(given, undefined, context.agent) as FailedOutcome
  const { error } = outcome
  return toolFailureHalts(error, call, context)
    ? { ...settled(call, outcome), halt: { reason: 'tool_error', message: error.message } }
    : settled(call, outcome)
}

/** `skipped` removes the turn from later prompts, so it is only for a turn in which this call was the only one. */
function skipped(call: Call, { log }: TurnContext): EventBody {
  const { turn } = log.state
  const nothingElse = turn.phase === 'calls' && turn.step === 1 && turn.calls.length === 1
  const halt = { reason: nothingElse ? 'skipped' : 'halted', message: 'There was nothing to do.' } as const
  return { ...settled(call, asOutcome({ skipped: true })), halt }
}

/** A message, a question and a reason are stored in the log too: they become JSON here, or an error. */
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
  const json = extra === undefined ? undefined : losslessJson(extra)
  if (typeof text === 'string' && json?.ok !== false) return { ok: true, value: make(text, json?.value) }
  const why = json?.ok === false ? json.why : `${typeof text} in place of text`
  return failed('invalid-output', `What the handler returned cannot be stored: ${why}`)
}

function outcomeOf(returned: Returned, tool: Tool, context: TurnContext): CallOutcome | Promise<CallOutcome> {
  if (!returned.ok) return returned
  if (returned.value instanceof Error) return failed('failed', messageOf(returned.value))
  if (returned.value instanceof ToolError) return failed('failed', returned.value.message, returned.value.details)
  return tool.output
    ? checkOutput(tool, returned.value, context)
    : storeLargeResult(asOutcome(returned.value), tool, context)
}

/** Every result must match the tool's output schema and the size limit, whichever side it comes from. */
export async function checkOutput(
  tool: Tool,
  value: unknown,
  context: Pick<TurnContext, 'agent'> & Partial<Pick<TurnContext, 'files'>>,
): Promise<CallOutcome> {
  const checked = tool.output ? await tool.output.check(value) : ({ ok: true, value } as const)
  return checked.ok
    ? storeLargeResult(asOutcome(checked.value), tool, context)
    : failed('invalid-output', `The result does not fit the tool's output schema: ${checked.why}`)
}

function asOutcome(value: unknown): CallOutcome {
  const json = losslessJson(value)
  return json.ok ? json : failed('invalid-output', `The result is not JSON: ${json.why}`)
}

/** A question is stored in the log, so its size is limited. The input is not counted: the handler did not write it. */
function tooLargeToAsk({ hold, state = null }: Held, tool: Tool, { agent }: TurnContext): FailedOutcome | undefined {
  const { reason = null, metadata = null, answerSchema = null, url = null } = hold
  return tooLarge('The question', [reason, metadata, answerSchema, url, state], tool, agent)
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
    askedBy: authorsOfTurn(context),
    timeoutMs,
    expiresAt: context.agent.ports.now() + timeoutMs,
    onExpire: tool.waiting.onExpire,
    late: 'reject',
    ...(tool.output && { answerSchema: tool.output.json }),
  }
  return { type: 'call.held', callId: call.callId, hold }
}
