/** One model call: prepares the prompt, streams the reply as frames, and returns it as events with what its calls came to. */
import { messageOf } from '../failure.ts'
import type { EndReason, EventBody } from '../log/log-event.ts'
import { renderPrompt } from '../model/prompt.ts'
import type { ModelPart, ModelRequest, ToolSpec } from '../model/model.ts'
import { callsOf, textOf, type Reply } from '../model/reply.ts'
import { ReplyBuilder } from '../model/reply-builder.ts'
import { namesByVendor, vendorName } from '../tool/name.ts'
import type { Tool } from '../tool/tool.ts'
import type { OpenTurn } from '../turn/turn-state.ts'
import { dispatch } from './dispatch.ts'
import { retryDelay } from './retry.ts'
import type { Prepared, World } from './world.ts'

type Events = readonly EventBody[]

export async function callModel(turn: OpenTurn, prepared: Prepared, world: World, signal: AbortSignal): Promise<Events> {
  if (await stops(turn, world)) return [end(turn, 'stop_condition', 'A stop condition was met.')]
  const request = requestFor(turn, prepared, world, signal)
  const streamed = await streamReply(turn, request, namesByVendor(prepared.tools.keys()), world)
  if ('failure' in streamed) return signal.aborted ? [] : [end(turn, 'model_failed', streamed.failure)]
  const { reply } = streamed
  const calls = callsOf(reply)
  const ends = calls.length === 0 ? await endOf(reply, turn, world) : undefined
  const outcomes = await Promise.all(calls.map((part) => dispatch(part, prepared.tools.get(part.name), world, signal)))
  const replied: EventBody = { type: 'model.replied', turnId: turn.turnId, step: turn.step, reply, ...(ends && { ends }) }
  return [...prepared.writes.take(), replied, ...outcomes.flat()]
}

function requestFor(turn: OpenTurn, prepared: Prepared, { agent, log }: World, signal: AbortSignal): ModelRequest {
  const tools = Array.from(prepared.tools.values(), toSpec)
  const finalizing = turn.pass === 'finalize'
  const constrained = turn.output && (finalizing || !turn.output.finalize)
  return {
    prompt: renderPrompt([agent.instructions, ...prepared.context], log.events, agent.encodeOutcome),
    tools,
    // The tools stay described, since the prompt has calls to them, but the second pass is for the result alone.
    ...(finalizing && tools.length > 0 && { toolChoice: 'none' as const }),
    ...(constrained && turn.output && { output: turn.output.spec }),
    settings: agent.settings,
    signal,
  }
}

function toSpec(tool: Tool): ToolSpec {
  const name = vendorName(tool.name)
  if (tool.provider) return { kind: 'provider', name, ...tool.provider }
  return { kind: 'function', name, description: tool.description, inputSchema: tool.input.json }
}

type Streamed = { readonly reply: Reply } | { readonly failure: string }

/** Asks again after a failure only while nothing of the reply has been seen; later, what came is kept. */
async function streamReply(turn: OpenTurn, request: ModelRequest, names: ReadonlyMap<string, string>, world: World): Promise<Streamed> {
  const { agent } = world
  const { turnId, step } = turn
  for (let attempt = 1; ; attempt++) {
    const reply = new ReplyBuilder({
      callId: (index) => `${turnId}.${step}.${index + 1}`,
      toolName: (name) => names.get(name) ?? name.slice(0, 128),
    })
    world.emit({ type: 'reply-start', turnId, step, attempt })
    try {
      for await (const part of agent.model.stream(request)) take(part, reply, turn, world)
      return { reply: reply.build() }
    } catch (error) {
      if (request.signal.aborted) return { failure: 'cancelled' }
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
  if (pass === 'finalize' && (part.type === 'call' || part.type === 'call-input') && !('byProvider' in part)) {
    if (part.type === 'call') reply.note({ leftOut: 'call', name: part.name, why: 'the second pass is for the result alone' })
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
    world.emit({ type: 'reply-call', turnId, step, callId: call.callId, name: call.name, input: call.input })
  }
}

/** Why a reply without calls ends the turn, when that is not simply because the model was done. */
async function endOf(reply: Reply, turn: OpenTurn, { output }: World): Promise<EndReason | undefined> {
  if (reply.finish === 'interrupted') return 'interrupted'
  if (reply.finish === 'error') return 'model_failed'
  const last = turn.output && (turn.pass === 'finalize' || !turn.output.finalize)
  if (!last || !output) return undefined
  const checked = await output.check(textOf(reply))
  return checked.ok ? undefined : 'output_invalid'
}

async function stops(turn: OpenTurn, { agent, log }: World): Promise<boolean> {
  if (turn.step === 1 || turn.pass === 'finalize' || !agent.stopWhen) return false
  return agent.stopWhen({ step: turn.step, tokens: turn.tokens, events: log.events })
}

function end(turn: OpenTurn, reason: EndReason, message: string): EventBody {
  return { type: 'turn.ended', turnId: turn.turnId, reason, message }
}
