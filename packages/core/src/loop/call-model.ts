/** One model call: what the model is told, its reply as it streams, and the events that come of it. */
import { assemble, type Assembled } from '../context/assemble.ts'
import { lookOver } from '../hooks/after-message.ts'
import type { Brief, Briefs } from '../hooks/before-message.ts'
import { HookFailure } from '../hooks/run-hook.ts'
import type { EndReason, EventBody, FailedAttempt, OutputPlan } from '../log/log-event.ts'
import type { UserPart } from '../log/message.ts'
import type { ModelRequest, ToolSpec } from '../model/model.ts'
import { callsOf, textOf, type CallPart, type Reply } from '../model/reply.ts'
import { ASK_FOR_RESULT } from '../prompt/render.ts'
import { vendorName } from '../tool/name.ts'
import type { Tool } from '../tool/tool.ts'
import type { Conversation, OpenTurn } from '../turn/turn-state.ts'
import type { StateUpdate } from '../plugin/state.ts'
import { dispatch } from './dispatch.ts'
import { displayOf } from './display.ts'
import { ruleOf } from './output.ts'
import type { Stop } from './stop.ts'
import { failedOutside } from './tool-failure.ts'
import { streamReply, type Streamed } from './stream-reply.ts'
import type { StopWhen } from './agent.ts'
import { summarize, isTime } from '../context/summarize.ts'
import { SUMMARY } from '../context/summary.ts'
import { auditNote } from '../audit/audit.ts'
import type { Prepared } from './prepare.ts'
import type { TurnContext } from './turn-context.ts'

type Events = readonly (EventBody | StateUpdate)[]

export async function callModel(
  turn: OpenTurn,
  prepared: Prepared,
  briefs: Briefs,
  context: TurnContext,
  stop: Stop,
): Promise<Events> {
  const brief = await briefs.of(turn.turnId, context, stop.signal)
  if (stop.aborted) return []
  const briefed = brief.event && !turn.briefed ? [brief.event] : []
  if (brief.ends) return [...briefed, end(turn, brief.ends.reason, brief.ends.message)]
  // Written before the model is asked: what hooks took out of a message must stay out, whatever becomes of the turn.
  return briefed.length > 0 ? briefed : ask(turn, prepared, brief, context, stop)
}

async function ask(
  turn: OpenTurn,
  prepared: Prepared,
  brief: Brief,
  context: TurnContext,
  stop: Stop,
): Promise<Events> {
  const { agent, log } = context
  const { stopWhen, context: settings } = agent
  const failure = await failedOutside(turn, context)
  if (failure) return [end(turn, 'tool_error', failure.message)]
  if (stopWhen && (await stops(turn, stopWhen, context)))
    return [end(turn, 'stop_condition', 'A stop condition was met.')]
  const specs = specsOf(prepared)
  const { context: instructions, tools } = prepared
  const inject = [...brief.inject, ...prepared.inject.map((text): UserPart => ({ type: 'text', text }))]
  const summary = settings.summarize && (await log.summary())
  const assembled = await assemble({ agent, log, context: instructions, tools, specs, inject, summary })
  // Older events may have been read for it, and others have gone on meanwhile: then it shows what no step is to be told.
  if (!isDue(turn, log.state)) return []
  if ('tooLarge' in assembled) return [end(turn, 'context_full', assembled.tooLarge)]
  const request = requestFor(turn, assembled, specs, context, stop.signal)
  const streamed = await streamReply(turn, request, prepared, context)
  const { outcome, attempts } = streamed
  if (outcome === 'cancelled') return []
  await audit(turn, request, assembled, streamed, context)
  if ('failure' in outcome) return [end(turn, outcome.hook ? 'hook_failed' : 'model_failed', outcome.failure, attempts)]
  const { reply } = outcome
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
  const places =
    agent.autonomy && (await agent.autonomy.placeCalls(reply, { space: log.state.place, home: turn.home }, tools))
  const inSpace = ({ callId }: CallPart): boolean => places?.calls.some((each) => each.callId === callId) ?? true
  const dispatched = calls.map((part) => dispatch(part, tools.get(part.name), inSpace(part), context, stop))
  const outcomes = dispatched.every(Array.isArray)
    ? dispatched
    : await Promise.all(dispatched.map(async (each) => each))
  return [...before, { ...replied, ...(places && { placed: places }) }, ...outcomes.flat()]
}

function isDue({ turnId, step }: OpenTurn, { turn }: Conversation): boolean {
  return turn.phase === 'model' && turn.turnId === turnId && turn.step === step
}

/** A record that cannot be kept does not stop the turn. */
async function audit(
  turn: OpenTurn,
  request: ModelRequest,
  assembled: Assembled,
  { outcome, attempts, causes, firstMs, ms }: Streamed,
  { agent, log, problem }: TurnContext,
): Promise<void> {
  if (!agent.audit || outcome === 'cancelled') return
  const timing = { attempts, ...(causes.length > 0 && { causes }), ms, ...(firstMs !== undefined && { firstMs }) }
  const came =
    'failure' in outcome
      ? { ...timing, model: attempts.at(-1)?.model ?? agent.model.id, failure: outcome.failure }
      : { ...timing, model: outcome.model.id, usage: outcome.reply.usage, finish: outcome.reply.finish }
  const at = agent.ports.now()
  try {
    await log.note(auditNote(turn, log.state.seq, at, agent.audit.keepMs, request, assembled, came))
  } catch (error) {
    problem(error)
  }
}

/** Sorted: tools made from data come in any order, and a vendor's cache begins with them. */
function specsOf({ tools }: Prepared): readonly ToolSpec[] {
  const known = specsMade.get(tools)
  if (known) return known
  const made = Array.from(tools.values(), toSpec).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  specsMade.set(tools, made)
  return made
}

/** Of the tools that are always there, made once. */
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
    // The tools stay described, since the prompt has calls to them, but the second pass is for the result alone.
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

/** A reply without calls: it stands, it ends the turn for a reason of its own, or it is sent back. */
async function judged(
  reply: Reply,
  turn: OpenTurn,
  context: TurnContext,
  signal: AbortSignal,
): Promise<Partial<Extract<EventBody, { type: 'model.replied' }>>> {
  const cut = cutShort(reply)
  // What comes before the second pass is not the end of the turn yet.
  if (!cut && turn.output?.finalize && turn.pass === 'loop') return {}
  try {
    const verdict = await lookOver(reply, turn, context, signal)
    if (verdict.ends) return { ...verdict, withheld: true }
    // Where no step is left to do better, it stands.
    if (verdict.again && turn.step < turn.limits.maxSteps) return verdict
  } catch (error) {
    if (!(error instanceof HookFailure)) throw error
    return { ends: 'hook_failed', message: error.message, withheld: true }
  }
  return cut ?? (turn.output && (await misfit(reply, turn.output, context))) ?? {}
}

/** Why a reply without calls ends the turn, when that is not simply because the model was done. */
function cutShort({ finish }: Reply): Ending | undefined {
  if (finish === 'interrupted') return { ends: 'interrupted', message: 'The reply was cut off.' }
  return finish === 'error' ? { ends: 'model_failed', message: 'The vendor broke the reply off.' } : undefined
}

/** The result of the turn does not fit its schema. */
async function misfit(reply: Reply, plan: OutputPlan, context: TurnContext): Promise<Ending | undefined> {
  const checked = await ruleOf(plan, context.output, context.agent.ports.compileJsonSchema).check(textOf(reply))
  return checked.ok ? undefined : { ends: 'output_invalid', message: checked.why }
}

/** It sees this turn alone: what else is in memory depends on where and how long the conversation has been. */
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
