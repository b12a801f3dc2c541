/**
 * Reads one reply as it streams: its pieces become frames and, at the end, a reply. After a failure the model is called
 * again only if no piece of the reply has arrived; otherwise the incomplete reply is kept. When no retry is left, the
 * agent's next fallback model is called.
 */
import { HoldpointError, messageOf } from '@holdpoint/core/internal/failure'
import { throughStreamHooks } from '../hooks/on-stream.ts'
import { HookFailure } from '../hooks/run-hook.ts'
import type { FailedAttempt } from '@holdpoint/core/internal/log/log-event'
import { checkPart } from '@holdpoint/core/internal/model/check-part'
import { ModelError, type Model, type ModelPart, type ModelRequest } from '@holdpoint/core/internal/model/model'
import type { Reply } from '@holdpoint/core/internal/model/reply'
import { ReplyBuilder } from '@holdpoint/core/internal/model/reply-builder'
import type { OpenTurn } from '@holdpoint/core/internal/turn/turn-state'
import { retryDelay } from '@holdpoint/core/internal/model/retry'
import { hasStoredFiles, type ConversationFiles } from '../files/conversation-files.ts'
import { isSilent } from './call-display.ts'
import type { PreparedStep } from './prepare-step.ts'
import type { TurnContext } from '../conversation/turn-context.ts'

export interface Streamed {
  readonly outcome:
    | { readonly reply: Reply; readonly model: Model }
    | { readonly failure: string; readonly hook?: boolean }
    /** The driver dropped the work when it aborted the signal, so the result is not used. */
    | 'cancelled'
  /** The attempts that failed, as the log has them. */
  readonly attempts: readonly FailedAttempt[]
  /** The vendor's message of each failure, also of a reply that broke off. For the operator only. */
  readonly causes: readonly string[]
  /** Milliseconds from the first request to the first piece of the reply that is kept. */
  readonly firstMs: number | undefined
  /** Milliseconds from the first request to the end of the reply. */
  readonly ms: number
}

export async function streamReply(
  turn: OpenTurn,
  request: ModelRequest,
  { names, tools }: Pick<PreparedStep, 'names' | 'tools'>,
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
      // Only this model's request has the bytes: they are neither in the log nor in an audit record.
      const sent =
        context.files && hasStoredFiles(request.prompt) ? await withFiles(request, model, context.files) : request
      await listen(model, sent, { reply, turn, context, shows }, () => {
        firstMs ??= agent.ports.monotonic() - began
      })
      return over(signal.aborted ? 'cancelled' : { reply: reply.build(), model })
    } catch (error) {
      if (signal.aborted) return over('cancelled')
      if (error instanceof HookFailure) return over({ failure: messageOf(error), hook: true })
      context.problem(failureOf(model, error))
      causes.push(messageOf(error))
      // Decided by what arrived, not by what hooks let through.
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

async function withFiles(request: ModelRequest, model: Model, files: ConversationFiles): Promise<ModelRequest> {
  return { ...request, prompt: await files.load(request.prompt, model) }
}

/** For the operator only: a vendor's message may contain its address, a part of a key, or the prompt. */
function failureOf({ id }: Model, error: unknown): HoldpointError {
  const status = error instanceof ModelError && error.status !== undefined ? ` (${error.status})` : ''
  return new HoldpointError('model-failed', `The model ${id} failed${status}: ${messageOf(error)}`, { cause: error })
}

/** For the log, which users can read. */
function publicWords(error: unknown): string {
  return error instanceof ModelError && error.retryable
    ? 'The model is busy or cannot be reached. Try again later.'
    : 'The model could not answer. The operator was told why.'
}

interface Listener {
  readonly reply: ReplyBuilder
  readonly turn: OpenTurn
  readonly context: TurnContext
  /** Whether watchers are shown calls of this tool. */
  readonly shows: (name: string) => boolean
}

async function listen(model: Model, request: ModelRequest, listener: Listener, first: () => void): Promise<void> {
  const { signal } = request
  const { reply, context } = listener
  const stream = throughStreamHooks(context, signal, (part) => take(part, listener))
  const hear = (given: ModelPart): void => {
    const part = checkPart(given)
    if (part && isContent(part)) first()
    if (part) stream.push(part)
    else reply.note({ leftOut: 'part', why: 'it is invalid' })
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

/** Whether the part is a piece of the reply. A vendor may open a block long before its first text. */
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
