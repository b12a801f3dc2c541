/**
 * One reply, as it streams in: pieces become frames and, at the end, a reply. After a failure the model is asked again
 * only while nothing of the reply has been seen; later, what came is kept. A model that cannot be waited for is replaced
 * by the next of the agent's fallbacks.
 */
import { messageOf } from '../failure.ts'
import { throughHooks } from '../hooks/on-stream.ts'
import { HookFailure } from '../hooks/run-hook.ts'
import type { FailedAttempt } from '../log/log-event.ts'
import { checkPart } from '../model/check-part.ts'
import { ModelError, type Model, type ModelPart, type ModelRequest } from '../model/model.ts'
import type { Reply } from '../model/reply.ts'
import { ReplyBuilder } from '../model/reply-builder.ts'
import type { OpenTurn } from '../turn/turn-state.ts'
import { retryDelay } from '../model/retry.ts'
import type { World } from './world.ts'

export interface Streamed {
  readonly outcome:
    | { readonly reply: Reply; readonly model: Model }
    | { readonly failure: string; readonly hook?: boolean }
    /** Nobody reads it: the work was dropped when its signal was aborted. */
    | 'cancelled'
  /** What was tried in vain. */
  readonly attempts: readonly FailedAttempt[]
  /** Milliseconds from the first question to the first piece of the reply that counts. */
  readonly firstMs: number | undefined
  /** And to its end. */
  readonly ms: number
}

export async function streamReply(
  turn: OpenTurn,
  request: ModelRequest,
  names: ReadonlyMap<string, string>,
  world: World,
): Promise<Streamed> {
  const { agent } = world
  const { turnId, step } = turn
  const { signal } = request
  const models = [agent.model, ...agent.fallback]
  const attempts: FailedAttempt[] = []
  const began = agent.ports.monotonic()
  let firstMs: number | undefined
  const over = (outcome: Streamed['outcome']): Streamed => {
    const ms = agent.ports.monotonic() - began
    return { outcome, attempts, firstMs, ms }
  }
  for (let nth = 0, attempt = 1; ; attempt++) {
    const model = models[nth]!
    const reply = new ReplyBuilder({
      callId: (index) => `${turnId}.${step}.${index + 1}`,
      toolName: (name) => names.get(name) ?? name.slice(0, 128),
    })
    if (signal.aborted) return over('cancelled')
    firstMs = undefined
    world.emit({ type: 'reply-start', turnId, step, attempt: attempts.length + 1 })
    try {
      await listen(model, request, reply, turn, world, () => {
        firstMs ??= agent.ports.monotonic() - began
      })
      return over(signal.aborted ? 'cancelled' : { reply: reply.build(), model })
    } catch (error) {
      if (signal.aborted) return over('cancelled')
      const message = messageOf(error)
      if (error instanceof HookFailure) return over({ failure: message, hook: true })
      // Not what is left of it: a hook may hold back all that came.
      if (firstMs !== undefined) {
        reply.note({ interrupted: message })
        return over({ reply: reply.build(), model })
      }
      const delayMs = retryDelay(error, attempt, agent.retry, agent.ports)
      const status = error instanceof ModelError ? error.status : undefined
      attempts.push({
        model: model.id,
        message,
        ...(status !== undefined && { status }),
        ...(delayMs !== undefined && { delayMs }),
      })
      if (delayMs === undefined) {
        if (++nth >= models.length) return over({ failure: message })
        attempt = 0
      }
      world.emit({ type: 'model-retry', turnId, step, attempt: attempts.length, delayMs: delayMs ?? 0, message })
      if (delayMs !== undefined) await agent.ports.sleep(delayMs, signal)
    }
  }
}

async function listen(
  model: Model,
  request: ModelRequest,
  reply: ReplyBuilder,
  turn: OpenTurn,
  world: World,
  first: () => void,
): Promise<void> {
  const { signal } = request
  const stream = throughHooks(world, signal, (part) => take(part, reply, turn, world))
  const hear = (given: ModelPart): void => {
    const part = checkPart(given)
    if (part && isContent(part)) first()
    if (part) stream.hear(part)
    else reply.note({ leftOut: 'part', why: 'it makes no sense' })
  }
  const parts = model.stream(request)
  if (parts.forEach) await parts.forEach((part) => !signal.aborted && hear(part))
  else
    for await (const part of parts) {
      if (signal.aborted) return
      hear(part)
    }
  if (!signal.aborted) stream.end()
}

/** A piece of the reply itself. A vendor may open a block, with data of its own, long before its first word. */
function isContent(part: ModelPart): boolean {
  if (part.type === 'text' || part.type === 'reasoning') return part.delta !== ''
  return part.type !== 'info' && part.type !== 'finish'
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
