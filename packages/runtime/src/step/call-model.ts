/** One model call: makes the prompt, reads the reply as it streams, and returns the events that follow. */
import { assemble, type Assembled } from '@holdpoint/core/internal/context/assemble'
import { runAfterMessageHooks } from '../hooks/after-message.ts'
import type { BeforeMessageResult, BeforeMessageResults } from '../hooks/before-message.ts'
import { HookFailure } from '../hooks/run-hook.ts'
import type { EndReason, EventBody, FailedAttempt, OutputPlan } from '@holdpoint/core/internal/log/log-event'
import type { UserPart } from '@holdpoint/core/internal/log/message'
import type { ModelRequest, ToolSpec } from '@holdpoint/core/internal/model/model'
import { callsOf, textOf, type CallPart, type Reply } from '@holdpoint/core/internal/model/reply'
import { ASK_FOR_RESULT } from '@holdpoint/core/internal/prompt/render'
import { vendorName } from '@holdpoint/core/internal/tool/name'
import type { Tool } from '@holdpoint/core/internal/tool/tool'
import type { Conversation, OpenTurn } from '@holdpoint/core/internal/turn/turn-state'
import type { StateUpdate } from '@holdpoint/core/internal/plugin/state'
import { dispatch } from './dispatch.ts'
import { displayOf } from './call-display.ts'
import { ruleOf } from '@holdpoint/core/internal/agent/output'
import type { LazyAbortController } from '../drive/lazy-abort-controller.ts'
import { toolFailureOutside } from '../call/tool-failure.ts'
import { streamReply, type Streamed } from './stream-reply.ts'
import type { StopWhen } from '@holdpoint/core/internal/agent/agent'
import { summarize, isTime } from '@holdpoint/core/internal/context/summarize'
import { SUMMARY } from '@holdpoint/core/internal/context/summary'
import { auditNote } from '@holdpoint/core/internal/audit/audit'
import type { PreparedStep } from './prepare-step.ts'
import type { TurnContext } from '../conversation/turn-context.ts'

type Events = readonly (EventBody | StateUpdate)[]

export async function callModel(
  turn: OpenTurn,
  prepared: PreparedStep,
  beforeMessage: BeforeMessageResults,
  context: TurnContext,
  stop: LazyAbortController,
): Promise<Events> {
  const hooked = await beforeMessage.of(turn.turnId, context, stop.signal)
  if (stop.aborted) return []
  const changed = hooked.event && !turn.messageChanged ? [hooked.event] : []
  if (hooked.ends) return [...changed, end(turn, hooked.ends.reason, hooked.ends.message)]
  // Written before the model is called: text that hooks removed from a message must stay removed if the turn fails.
  return changed.length > 0 ? changed : ask(turn, prepared, hooked, context, stop)
}

async function ask(
  turn: OpenTurn,
  prepared: PreparedStep,
  hooked: BeforeMessageResult,
  context: TurnContext,
  stop: LazyAbortController,
): Promise<Events> {
  const { agent, log } = context
  const { stopWhen, context: settings } = agent
  const failure = await toolFailureOutside(turn, context)
  if (failure) return [end(turn, 'tool_error', failure.message)]
  if (stopWhen && (await stops(turn, stopWhen, context)))
    return [end(turn, 'stop_condition', 'A stop condition was met.')]
  const specs = specsOf(prepared)
  const { context: instructions, tools } = prepared
  const inject = [...hooked.inject, ...prepared.inject.map((text): UserPart => ({ type: 'text', text }))]
  const summary = settings.summarize && (await log.summary())
  const assembled = await assemble({ agent, log, context: instructions, tools, specs, inject, summary })
  // Making the prompt may have read from the store. If the turn went on meanwhile, the prompt is out of date.
  if (!isDue(turn, log.state)) return []
  if ('tooLarge' in assembled) return [end(turn, 'context_full', assembled.tooLarge)]
  const request = requestFor(turn, assembled, specs, context, stop.signal)
  const streamed = await streamReply(turn, request, prepared, context)
  const { outcome, attempts } = streamed
  if (outcome === 'cancelled') return []
  await audit(turn, request, assembled, streamed, context)
  if ('failure' in outcome) return [end(turn, outcome.hook ? 'hook_failed' : 'model_failed', outcome.failure, attempts)]
  const { files } = context
  const reply =
    files && outcome.reply.parts.some(({ type }) => type === 'file')
      ? await files.keepReply(outcome.reply)
      : outcome.reply
  const replied = {
    type: 'model.replied',
    turnId: turn.turnId,
    step: turn.step,
    reply,
    ...(assembled.shown && { shown: assembled.shown }),
    ...(attempts.length > 0 && { attempts }),
    ...displayOf(reply, tools, agent),
  } as const
  const before = prepared.writes.take()
  const calls = callsOf(reply)
  if (calls.length === 0 && isTime(agent, assembled))
    context.later(SUMMARY, (leaving) => summarize(agent, log, assembled, leaving))
  if (calls.length === 0) return [...before, { ...replied, ...(await judged(reply, turn, context, stop.signal)) }]
  const spaces =
    agent.autonomy &&
    (await agent.autonomy.spacesOfCalls(reply, { space: log.state.space, startSpace: turn.startSpace }, tools))
  const inSpace = ({ callId }: CallPart): boolean => spaces?.calls.some((each) => each.callId === callId) ?? true
  const dispatched = calls.map((part) => dispatch(part, tools.get(part.name), inSpace(part), context, stop))
  const outcomes = dispatched.every(Array.isArray)
    ? dispatched
    : await Promise.all(dispatched.map(async (each) => each))
  return [...before, { ...replied, ...(spaces && { spaces }) }, ...outcomes.flat()]
}

function isDue({ turnId, step }: OpenTurn, { turn }: Conversation): boolean {
  return turn.phase === 'model' && turn.turnId === turnId && turn.step === step
}

/** An audit record that cannot be stored does not stop the turn. */
async function audit(
  turn: OpenTurn,
  request: ModelRequest,
  assembled: Assembled,
  { outcome, attempts, causes, firstMs, ms }: Streamed,
  { agent, log, problem }: TurnContext,
): Promise<void> {
  if (!agent.audit || outcome === 'cancelled') return
  const timing = { attempts, ...(causes.length > 0 && { causes }), ms, ...(firstMs !== undefined && { firstMs }) }
  const result =
    'failure' in outcome
      ? { ...timing, model: attempts.at(-1)?.model ?? agent.model.id, failure: outcome.failure }
      : { ...timing, model: outcome.model.id, usage: outcome.reply.usage, finish: outcome.reply.finish }
  const at = agent.ports.now()
  try {
    await log.note(auditNote(turn, log.state.seq, at, agent.audit.keepMs, request, assembled, result))
  } catch (error) {
    problem(error)
  }
}

/** Sorted, because a vendor's prompt cache starts with the tools, and tools made from data may come in any order. */
function specsOf({ tools }: PreparedStep): readonly ToolSpec[] {
  const known = specsMade.get(tools)
  if (known) return known
  const made = Array.from(tools.values(), toSpec).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  specsMade.set(tools, made)
  return made
}

/** The specs of each set of tools, made once. */
const specsMade = new WeakMap<ReadonlyMap<string, Tool>, readonly ToolSpec[]>()

function requestFor(
  turn: OpenTurn,
  { prompt, breakpoints }: Assembled,
  tools: readonly ToolSpec[],
  { agent, log }: TurnContext,
  signal: AbortSignal,
): ModelRequest {
  const finalizing = turn.pass === 'finalize'
  const constrained = turn.output && (finalizing || !turn.output.finalize)
  return {
    prompt: finalizing ? [...prompt, ASK_FOR_RESULT] : prompt,
    tools,
    // The tools stay in the request, because the prompt has calls of them, but the second pass may not call any.
    ...(finalizing && tools.length > 0 && { toolChoice: 'none' as const }),
    ...(constrained && turn.output && { output: turn.output.spec }),
    settings: agent.settings,
    cache: { breakpoints, key: log.id },
    signal,
  }
}

function toSpec(tool: Tool): ToolSpec {
  if (tool.provider) return { kind: 'provider', name: tool.name, ...tool.provider }
  return { kind: 'function', name: vendorName(tool.name), description: tool.description, inputSchema: tool.input.json }
}

interface Ending {
  readonly ends: EndReason
  readonly message: string
}

/** A reply without calls is accepted, ends the turn for another reason, or is sent back to the model by a hook. */
async function judged(
  reply: Reply,
  turn: OpenTurn,
  context: TurnContext,
  signal: AbortSignal,
): Promise<Partial<Extract<EventBody, { type: 'model.replied' }>>> {
  const cut = cutShort(reply)
  // The turn does not end before its second pass.
  if (!cut && turn.output?.finalize && turn.pass === 'loop') return {}
  try {
    const verdict = await runAfterMessageHooks(reply, turn, context, signal)
    if (verdict.ends) return { ...verdict, withheld: true }
    // The last allowed step is accepted: no step is left to do better.
    if (verdict.again && turn.step < turn.limits.maxSteps) return verdict
  } catch (error) {
    if (!(error instanceof HookFailure)) throw error
    return { ends: 'hook_failed', message: error.message, withheld: true }
  }
  return cut ?? (turn.output && (await misfit(reply, turn.output, context))) ?? {}
}

/** Why a reply without calls ends the turn, if it is incomplete. */
function cutShort({ finish }: Reply): Ending | undefined {
  if (finish === 'interrupted') return { ends: 'interrupted', message: 'The reply was cut off.' }
  return finish === 'error' ? { ends: 'model_failed', message: 'The model ended the reply with an error.' } : undefined
}

/** Why the turn's output does not match its schema. */
async function misfit(reply: Reply, plan: OutputPlan, context: TurnContext): Promise<Ending | undefined> {
  const checked = await ruleOf(plan, context.output, context.agent.ports.compileJsonSchema).check(textOf(reply))
  return checked.ok ? undefined : { ends: 'output_invalid', message: checked.why }
}

/** The condition gets only the events of this turn: which older ones are in memory differs between processes. */
async function stops(turn: OpenTurn, stopWhen: StopWhen, { log }: TurnContext): Promise<boolean> {
  if (turn.step === 1 || turn.pass === 'finalize') return false
  await log.reachTurn(turn.turnId)
  const begins = log.events.findLastIndex((event) => event.type === 'turn.started' && event.turnId === turn.turnId)
  return stopWhen({ step: turn.step, tokens: turn.tokens, events: log.events.slice(begins) })
}

function end(turn: OpenTurn, reason: EndReason, message: string, attempts: readonly FailedAttempt[] = []): EventBody {
  const ended = { type: 'turn.ended', turnId: turn.turnId, reason, message } as const
  return attempts.length > 1 ? { ...ended, attempts } : ended
}
