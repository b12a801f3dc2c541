/**
 * One reply, as it streams in: pieces become frames and, at the end, a reply. After a failure the model is asked again
 * only while nothing of the reply has been seen; later, what came is kept. A model that cannot be waited for is replaced
 * by the next of the agent's fallbacks.
 */
import { HoldpointError, messageOf } from '../failure.ts'
import { throughHooks } from '../hooks/on-stream.ts'
import { HookFailure } from '../hooks/run-hook.ts'
import type { FailedAttempt } from '../log/log-event.ts'
import { checkPart } from '../model/check-part.ts'
import { ModelError, type Model, type ModelPart, type ModelRequest } from '../model/model.ts'
import type { Reply } from '../model/reply.ts'
import { ReplyBuilder } from '../model/reply-builder.ts'
import type { OpenTurn } from '../turn/turn-state.ts'
import { retryDelay } from '../model/retry.ts'
import { isSilent } from './display.ts'
import type { Prepared } from './prepare.ts'
import type { TurnContext } from './turn-context.ts'

export interface Streamed {
  readonly outcome:
    | { readonly reply: Reply; readonly model: Model }
    | { readonly failure: string; readonly hook?: boolean }
    /** No one reads it: the driver dropped the work when it aborted the signal. */
    | 'cancelled'
  /** The attempts that failed, as the log has them. */
  readonly attempts: readonly FailedAttempt[]
  /** What the vendor said at each failure, a reply that broke off included. For the operator alone. */
  readonly causes: readonly string[]
  /** Milliseconds from the first question to the first piece of the reply that counts. */
  readonly firstMs: number | undefined
  /** And to its end. */
  readonly ms: number
}

export async function streamReply(
  turn: OpenTurn,
  request: ModelRequest,
  { names, tools }: Pick<Prepared, 'names' | 'tools'>,
  context: TurnContext,
): Promise<Streamed> {
  const { agent } = context
  const shows = (name: string): boolean => !isSilent(tools.get(name), agent)
  const { turnId, step } = turn
  const { signal } = request
  const models = [agent.model, ...agent.fallback]
  const attempts: FailedAttempt[] = []
  const causes: string[] = []
  const began = agent.ports.monotonic()
  let firstMs: number | undefined
  const over = (outcome: Streamed['outcome']): Streamed => {
    const ms = agent.ports.monotonic() - began
    return { outcome, attempts, causes, firstMs, ms }
  }
  for (let nth = 0, attempt = 1; ; attempt++) {
    const model = models[nth]!
    const reply = new ReplyBuilder({
      callId: (index) => `${turnId}.${step}.${index + 1}`,
      toolName: (name) => names.get(name) ?? name.slice(0, 128),
    })
    if (signal.aborted) return over('cancelled')
    firstMs = undefined
    context.emit({ type: 'reply-start', turnId, step, attempt: attempts.length + 1 })
    try {
      await listen(model, request, { reply, turn, context, shows }, () => {
        firstMs ??= agent.ports.monotonic() - began
      })
      return over(signal.aborted ? 'cancelled' : { reply: reply.build(), model })
    } catch (error) {
      if (signal.aborted) return over('cancelled')
      if (error instanceof HookFailure) return over({ failure: messageOf(error), hook: true })
      context.problem(failureOf(model, error))
      causes.push(messageOf(error))
      // Not what is left of it: a hook may hold back all that came.
      if (firstMs !== undefined) {
        reply.note({ interrupted: 'the model broke off' })
        return over({ reply: reply.build(), model })
      }
      const message = publicWords(error)
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
      context.emit({ type: 'model-retry', turnId, step, attempt: attempts.length, delayMs: delayMs ?? 0, message })
      if (delayMs !== undefined) await agent.ports.sleep(delayMs, signal)
    }
  }
}

/** For the operator: what the vendor said may hold its address, a part of a key, or the prompt. */
function failureOf({ id }: Model, error: unknown): HoldpointError {
  const status = error instanceof ModelError && error.status !== undefined ? ` (${error.status})` : ''
  return new HoldpointError('model-failed', `The model ${id} failed${status}: ${messageOf(error)}`, { cause: error })
}

/** For the log, which users read. */
function publicWords(error: unknown): string {
  return error instanceof ModelError && error.retryable
    ? 'The model is busy or cannot be reached. Try again later.'
    : 'The model could not answer. The operator was told why.'
}

interface Listener {
  readonly reply: ReplyBuilder
  readonly turn: OpenTurn
  readonly context: TurnContext
  /** Whether those who watch are shown calls of this tool. */
  readonly shows: (name: string) => boolean
}

async function listen(model: Model, request: ModelRequest, listener: Listener, first: () => void): Promise<void> {
  const { signal } = request
  const { reply, context } = listener
  const stream = throughHooks(context, signal, (part) => take(part, listener))
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

function take(part: ModelPart, { reply, turn: { turnId, step, pass }, context, shows }: Listener): void {
  if (pass === 'finalize' && (part.type === 'call-input' || (part.type === 'call' && !part.byProvider))) {
    if (part.type === 'call')
      reply.note({ leftOut: 'call', name: part.name, why: 'the second pass is for the result alone' })
    return
  }
  const call = reply.add(part)
  if (!context.watched()) return
  if (part.type === 'text') {
    if (part.delta !== '') context.emit({ type: 'reply-text', turnId, step, id: part.id, delta: part.delta })
  } else if (part.type === 'reasoning') {
    if (part.delta !== '') context.emit({ type: 'reply-reasoning', turnId, step, id: part.id, delta: part.delta })
  } else if (part.type === 'call-input') {
    const begun = reply.begun(part.id)
    if (begun && shows(begun.name))
      context.emit({ type: 'call-input', turnId, step, id: part.id, ...begun, delta: part.delta })
  } else if (call && shows(call.name)) {
    context.emit({
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
