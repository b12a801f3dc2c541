/** One model call: prepares the prompt, streams the reply as frames, and returns it as events with what its calls came to. */
import { messageOf } from '../failure.ts'
import type { EndReason, EventBody, OutputPlan } from '../log/log-event.ts'
import { checkPart } from '../model/check-part.ts'
import { renderPrompt, type PromptMessage } from '../model/prompt.ts'
import type { ModelPart, ModelRequest, ToolSpec } from '../model/model.ts'
import { callsOf, textOf, type Reply } from '../model/reply.ts'
import { ReplyBuilder } from '../model/reply-builder.ts'
import { vendorName } from '../tool/name.ts'
import type { Tool } from '../tool/tool.ts'
import type { OpenTurn } from '../turn/turn-state.ts'
import type { StateUpdate } from '../plugin/state.ts'
import { dispatch } from './dispatch.ts'
import { ruleOf } from './output.ts'
import { retryDelay } from './retry.ts'
import { beyond, windowed } from './window.ts'
import type { StopWhen } from './agent.ts'
import type { Prepared, World } from './world.ts'

type Events = readonly (EventBody | StateUpdate)[]

export async function callModel(
  turn: OpenTurn,
  prepared: Prepared,
  world: World,
  signal: AbortSignal,
): Promise<Events> {
  const { stopWhen, window } = world.agent
  await world.log.reach(window?.messages ?? Infinity)
  if (window) world.log.forget(beyond(world.log.events, window))
  if (stopWhen && (await stops(turn, stopWhen, world)))
    return [end(turn, 'stop_condition', 'A stop condition was met.')]
  const request = requestFor(turn, prepared, world, signal)
  const streamed = await streamReply(turn, request, prepared.names, world)
  if ('failure' in streamed) return signal.aborted ? [] : [end(turn, 'model_failed', streamed.failure)]
  const { reply } = streamed
  const calls = callsOf(reply)
  const replied = { type: 'model.replied', turnId: turn.turnId, step: turn.step, reply } as const
  if (calls.length === 0) {
    const ends = cutShort(reply) ?? (turn.output && (await misfit(reply, turn, turn.output, world)))
    return [...prepared.writes.take(), ends ? { ...replied, ...ends } : replied]
  }
  const outcomes = await Promise.all(calls.map((part) => dispatch(part, prepared.tools.get(part.name), world, signal)))
  return [...prepared.writes.take(), replied, ...outcomes.flat()]
}

function requestFor(turn: OpenTurn, prepared: Prepared, { agent, log }: World, signal: AbortSignal): ModelRequest {
  const tools = Array.from(prepared.tools.values(), toSpec)
  const finalizing = turn.pass === 'finalize'
  const constrained = turn.output && (finalizing || !turn.output.finalize)
  return {
    prompt: [
      ...renderPrompt(
        [agent.instructions, ...prepared.context],
        windowed(log.events, agent.window),
        agent.encodeOutcome,
      ),
      ...(finalizing ? [ASK_FOR_RESULT] : []),
    ],
    tools,
    // The tools stay described, since the prompt has calls to them, but the second pass is for the result alone.
    ...(finalizing && tools.length > 0 && { toolChoice: 'none' as const }),
    ...(constrained && turn.output && { output: turn.output.spec }),
    settings: agent.settings,
    signal,
  }
}

/** Vendors read a prompt that ends in the model's own words as the beginning of its reply, or refuse it. */
const ASK_FOR_RESULT: PromptMessage = {
  role: 'user',
  parts: [{ type: 'text', text: 'Now give the result alone, as JSON that fits the schema.' }],
}

function toSpec(tool: Tool): ToolSpec {
  if (tool.provider) return { kind: 'provider', name: tool.name, ...tool.provider }
  return { kind: 'function', name: vendorName(tool.name), description: tool.description, inputSchema: tool.input.json }
}

type Streamed = { readonly reply: Reply } | { readonly failure: string }
/** Nobody reads it: the work was dropped when its signal was aborted. */
const CANCELLED: Streamed = { failure: 'cancelled' }

/** Asks again after a failure only while nothing of the reply has been seen; later, what came is kept. */
async function streamReply(
  turn: OpenTurn,
  request: ModelRequest,
  names: ReadonlyMap<string, string>,
  world: World,
): Promise<Streamed> {
  const { agent } = world
  const { turnId, step } = turn
  for (let attempt = 1; ; attempt++) {
    const reply = new ReplyBuilder({
      callId: (index) => `${turnId}.${step}.${index + 1}`,
      toolName: (name) => names.get(name) ?? name.slice(0, 128),
    })
    const { signal } = request
    if (signal.aborted) return CANCELLED
    world.emit({ type: 'reply-start', turnId, step, attempt })
    try {
      const hear = (given: ModelPart): void => {
        const part = checkPart(given)
        if (part) take(part, reply, turn, world)
        else reply.note({ leftOut: 'part', why: 'it makes no sense' })
      }
      const parts = agent.model.stream(request)
      if (parts.forEach) await parts.forEach((part) => !signal.aborted && hear(part))
      else
        for await (const part of parts) {
          if (signal.aborted) return CANCELLED
          hear(part)
        }
      if (signal.aborted) return CANCELLED
      return { reply: reply.build() }
    } catch (error) {
      if (request.signal.aborted) return CANCELLED
      if (!reply.empty) {
        reply.note({ interrupted: messageOf(error) })
        return { reply: reply.build() }
      }
      const delayMs = retryDelay(error, attempt, agent.retry, agent.ports)
      if (delayMs === undefined) return { failure: messageOf(error) }
      world.emit({ type: 'model-retry', turnId, step, attempt, delayMs, message: messageOf(error) })
      await agent.ports.sleep(delayMs, request.signal)
    }
  }
}

function take(part: ModelPart, reply: ReplyBuilder, { turnId, step, pass }: OpenTurn, world: World): void {
  if (pass === 'finalize' && (part.type === 'call-input' || (part.type === 'call' && !part.byProvider))) {
    if (part.type === 'call')
      reply.note({ leftOut: 'call', name: part.name, why: 'the second pass is for the result alone' })
    return
  }
  const call = reply.add(part)
  if (!world.watched()) return
  if (part.type === 'text') {
    if (part.delta !== '') world.emit({ type: 'reply-text', turnId, step, id: part.id, delta: part.delta })
  } else if (part.type === 'reasoning') {
    if (part.delta !== '') world.emit({ type: 'reply-reasoning', turnId, step, id: part.id, delta: part.delta })
  } else if (part.type === 'call-input') {
    world.emit({ type: 'call-input', turnId, step, id: part.id, name: part.name ?? '', delta: part.delta })
  } else if (call) {
    world.emit({
      type: 'reply-call',
      turnId,
      step,
      id: call.vendorId,
      callId: call.callId,
      name: call.name,
      input: call.input,
    })
  }
}

interface Ending {
  readonly ends: EndReason
  readonly message: string
}

/** Why a reply without calls ends the turn, when that is not simply because the model was done. */
function cutShort({ finish }: Reply): Ending | undefined {
  if (finish === 'interrupted') return { ends: 'interrupted', message: 'The reply was cut off.' }
  return finish === 'error' ? { ends: 'model_failed', message: 'The vendor broke the reply off.' } : undefined
}

/** The result of the turn does not fit its schema. What comes before the second pass is not the result yet. */
async function misfit(reply: Reply, turn: OpenTurn, plan: OutputPlan, world: World): Promise<Ending | undefined> {
  if (plan.finalize && turn.pass === 'loop') return undefined
  const checked = await ruleOf(plan, world.output, world.agent.ports.compileJsonSchema).check(textOf(reply))
  return checked.ok ? undefined : { ends: 'output_invalid', message: checked.why }
}

async function stops(turn: OpenTurn, stopWhen: StopWhen, { log }: World): Promise<boolean> {
  if (turn.step === 1 || turn.pass === 'finalize') return false
  return stopWhen({ step: turn.step, tokens: turn.tokens, events: log.events })
}

function end(turn: OpenTurn, reason: EndReason, message: string): EventBody {
  return { type: 'turn.ended', turnId: turn.turnId, reason, message }
}
