/**
 * Follows the events of a conversation and gives out the spans that end with each of them. Nothing else goes in, so two
 * processes that read the same events make the same spans.
 *
 * | span           | from                                        | to                                              |
 * |---|---|---|
 * | `invoke_agent` | the event that gave the turn work            | the turn waits for an answer from outside, or is over |
 * | `chat`         | the turn waits for the model                 | the reply, or the failure                       |
 * | `execute_tool` | `call.started`                               | the call is settled, held, or started again     |
 * | `wait`         | `call.held`                                  | the answer, the deadline, or the end of the turn |
 *
 * A turn that waits for a week has an `invoke_agent` span before and one after it. The second links to the first, and to the
 * waits that ended in between.
 */
import { callsOf, type ReplyPart } from '@holdpoint/core/internal/model/reply'
import type { Hold, LogEvent } from '@holdpoint/core'
import { GEN_AI, providerOf } from './gen-ai.ts'
import { runKey, type Attributes, type LogSpan } from './log-span.ts'

type Event<T extends LogEvent['type']> = Extract<LogEvent, { readonly type: T }>

interface OpenTurn {
  readonly turnId: string
  readonly agent: string
  readonly remote: string | undefined
  readonly messages: unknown
  /** The model is called once more for the output, after the tool loop. */
  finalize: boolean
  /** Since when the turn waits for the model. Undefined while it waits for calls. */
  modelSince: number | undefined
  halted: boolean
  readonly calls: Map<string, OpenCall>
  stretch: { readonly key: string; readonly start: number; readonly links: readonly string[] } | undefined
  lastStretch: string | undefined
  waitsEnded: string[]
}

export interface OpenCall {
  readonly name: string
  readonly input: unknown
  status: 'ready' | 'running' | 'held'
  started?: { readonly attempt: number; readonly at: number }
  wait?: { readonly nth: number; readonly at: number; readonly hold: Hold; readonly parent: string | undefined }
  holds: number
}

export class ConversationTrace {
  readonly #id: string
  #turn: OpenTurn | undefined
  /** Calls whose turn went on without their answer. */
  readonly #async = new Map<string, { readonly call: OpenCall; readonly turn: OpenTurn }>()

  constructor(conversationId: string) {
    this.#id = conversationId
  }

  /** Whether the turn has work. Without it, nothing here is needed until the next event. */
  get working(): boolean {
    return this.#turn?.stretch !== undefined
  }

  /** Whether the wait of this call began in an event that was not added. */
  misses(event: LogEvent): event is Event<'answer.arrived'> {
    return event.type === 'answer.arrived' && !this.#async.has(event.callId)
  }

  add(event: LogEvent): readonly LogSpan[] {
    const before = this.#turn
    const spans = this.#spansOf(event)
    const turn = this.#turn ?? before
    if (!turn) return spans
    const working = this.#turn !== undefined && isWorking(turn)
    if (working && !turn.stretch) {
      const links = [...(turn.lastStretch === undefined ? [] : [turn.lastStretch]), ...turn.waitsEnded]
      turn.stretch = { key: `stretch/${event.seq}`, start: event.at, links }
      turn.waitsEnded = []
    }
    if (working || !turn.stretch) return spans
    return [...spans, this.#stretchSpan(turn, event)]
  }

  #spansOf(event: LogEvent): readonly LogSpan[] {
    if (event.type === 'turn.started') this.#start(event)
    if (event.type === 'conversation.erased') this.#turn = undefined
    if (event.type === 'answer.arrived') return this.#arrived(event)
    const turn = this.#turn
    if (!turn) return []
    if (event.type === 'model.replied') return this.#replied(turn, event)
    if (event.type === 'turn.ended') return this.#ended(turn, event)
    return 'callId' in event ? this.#moved(turn, event) : []
  }

  #start({ turnId, agent, items, output, at }: Event<'turn.started'>): void {
    const [first] = items
    this.#turn = {
      turnId,
      agent,
      remote: first?.kind === 'message' ? first.message.trace : undefined,
      messages: items.flatMap((item) => (item.kind === 'message' ? [{ role: 'user', parts: item.message.parts }] : [])),
      finalize: output?.finalize ?? false,
      modelSince: at,
      halted: false,
      calls: new Map(),
      stretch: undefined,
      lastStretch: undefined,
      waitsEnded: [],
    }
  }

  #replied(turn: OpenTurn, event: Event<'model.replied'>): readonly LogSpan[] {
    const { reply, at, step, attempts = [], ends, again } = event
    const { provider, model } = providerOf(reply.modelId ?? '')
    const { usage } = reply
    const span = this.#span(turn, event, {
      key: `chat/${step}`,
      kind: 'chat',
      name: model === '' ? 'chat' : `chat ${model}`,
      start: turn.modelSince ?? at,
      attributes: {
        ...(provider !== undefined && { [GEN_AI.provider]: provider }),
        ...(model !== '' && { [GEN_AI.responseModel]: model }),
        ...(reply.responseId !== undefined && { [GEN_AI.responseId]: reply.responseId }),
        [GEN_AI.finishReasons]: [reply.finish],
        [GEN_AI.inputTokens]: usage.inputTokens,
        [GEN_AI.outputTokens]: usage.outputTokens,
        ...(usage.cachedTokens !== undefined && { [GEN_AI.cacheReadTokens]: usage.cachedTokens }),
        ...(usage.cacheWriteTokens !== undefined && { [GEN_AI.cacheWriteTokens]: usage.cacheWriteTokens }),
        ...(usage.reasoningTokens !== undefined && { [GEN_AI.reasoningTokens]: usage.reasoningTokens }),
        'holdpoint.step': step,
        ...(attempts.length > 0 && { 'holdpoint.model.retries': attempts.length }),
      },
      content: {
        [GEN_AI.outputMessages]: [
          { role: 'assistant', parts: reply.parts.map(contentOf), finish_reason: reply.finish },
        ],
      },
    })
    for (const { callId, name, input } of callsOf(reply))
      turn.calls.set(callId, { name, input, status: 'ready', holds: 0 })
    turn.modelSince = undefined
    if (turn.calls.size > 0) return [span]
    if (again || (turn.finalize && !ends)) {
      turn.modelSince = at
      turn.finalize = turn.finalize && again !== undefined
      return [span]
    }
    this.#turn = undefined
    return [span]
  }

  #moved(turn: OpenTurn, event: Extract<LogEvent, { readonly callId: string }>): readonly LogSpan[] {
    const call = turn.calls.get(event.callId)
    if (!call) return []
    if (event.type === 'call.settled') return this.#settled(turn, event, call)
    if (event.type === 'call.started') {
      const lost = this.#run(turn, event, call, { type: 'lost', message: 'The process died while the call ran.' })
      call.started = { attempt: event.attempt, at: event.at }
      call.status = 'running'
      return lost
    }
    if (event.type === 'call.held') {
      const ran = this.#run(turn, event, call, undefined)
      call.holds++
      const parent = turn.stretch?.key
      call.wait = { nth: call.holds, at: event.at, hold: event.hold, parent }
      call.status = 'held'
      return ran
    }
    if (event.type !== 'call.approved' && event.type !== 'call.resumed') return []
    // The event that records the approval of a client's or a person's call also holds the call a second time.
    const again = call.wait?.hold.then !== undefined && event.type === 'call.approved'
    const ended = this.#wait(turn, event, call, event.type === 'call.approved' ? 'approved' : 'resumed')
    call.status = again ? 'held' : 'ready'
    return ended
  }

  #settled(turn: OpenTurn, event: Event<'call.settled'>, call: OpenCall): readonly LogSpan[] {
    const { outcome, callId, halt } = event
    const waits = call.wait?.hold.async === true && outcome.ok && !event.resolution
    if (waits) this.#async.set(callId, { call, turn })
    const error = outcome.ok ? undefined : { type: outcome.error.code, message: outcome.error.message }
    const how = event.resolution ? (outcome.ok ? 'answered' : 'rejected') : outcome.ok ? 'expired' : outcome.error.code
    const result = { [GEN_AI.toolResult]: outcome.ok ? outcome.value : outcome.error }
    const spans = [
      ...this.#run(turn, event, call, error, result),
      ...(waits ? [] : this.#wait(turn, event, call, how, result)),
    ]
    turn.calls.delete(callId)
    if (halt) turn.halted = true
    if (turn.calls.size === 0 && !turn.halted) turn.modelSince = event.at
    return spans
  }

  #arrived(event: Event<'answer.arrived'>): readonly LogSpan[] {
    const known = this.#async.get(event.callId)
    if (!known) return []
    this.#async.delete(event.callId)
    const { outcome } = event
    const how = event.resolution ? (outcome.ok ? 'answered' : 'rejected') : outcome.ok ? 'expired' : outcome.error.code
    return this.#wait(known.turn, event, known.call, how, { [GEN_AI.toolResult]: outcome.ok ? outcome.value : outcome })
  }

  #ended(turn: OpenTurn, event: Event<'turn.ended'>): readonly LogSpan[] {
    const failed = turn.modelSince !== undefined && (event.reason === 'model_failed' || event.attempts !== undefined)
    this.#turn = undefined
    if (!failed) return []
    const last = event.attempts?.at(-1)
    const { provider, model } = providerOf(last?.model ?? '')
    return [
      this.#span(turn, event, {
        key: `chat/failed/${event.seq}`,
        kind: 'chat',
        name: model === '' ? 'chat' : `chat ${model}`,
        start: turn.modelSince ?? event.at,
        attributes: {
          ...(provider !== undefined && { [GEN_AI.provider]: provider }),
          ...(model !== '' && { [GEN_AI.requestModel]: model }),
          'holdpoint.model.retries': Math.max(0, (event.attempts?.length ?? 0) - 1),
        },
        error: { type: String(last?.status ?? event.reason), message: last?.message ?? event.message ?? event.reason },
      }),
    ]
  }

  #run(
    turn: OpenTurn,
    event: Extract<LogEvent, { readonly callId: string }>,
    call: OpenCall,
    error: LogSpan['error'],
    content: LogSpan['content'] = {},
  ): readonly LogSpan[] {
    const { started } = call
    if (!started) return []
    delete call.started
    const span = this.#span(turn, event, {
      key: runKey(event.callId, started.attempt),
      kind: 'execute_tool',
      name: `execute_tool ${call.name}`,
      start: started.at,
      attributes: { ...toolOf(call, event.callId), 'holdpoint.attempt': started.attempt },
      content: { [GEN_AI.toolArguments]: call.input, ...content },
      ...(error && { error }),
    })
    return [span]
  }

  #wait(
    turn: OpenTurn,
    event: Extract<LogEvent, { readonly callId: string }>,
    call: OpenCall,
    how: string,
    content: LogSpan['content'] = {},
  ): readonly LogSpan[] {
    const { wait } = call
    if (!wait) return []
    delete call.wait
    const key = `wait/${event.callId}/${wait.nth}`
    turn.waitsEnded.push(key)
    const span = this.#span(turn, event, {
      key,
      kind: 'wait',
      name: `wait ${call.name}`,
      start: wait.at,
      attributes: {
        ...toolOf(call, event.callId),
        'holdpoint.hold.kind': wait.hold.kind,
        'holdpoint.hold.cause': wait.hold.cause,
        'holdpoint.hold.ended': how,
      },
      content: { [GEN_AI.toolArguments]: call.input, ...content },
    })
    const { parent: _parent, ...withoutParent } = span
    return [wait.parent === undefined ? withoutParent : { ...span, parent: wait.parent }]
  }

  #stretchSpan(turn: OpenTurn, event: LogEvent): LogSpan {
    const { stretch } = turn
    const ended = event.type === 'turn.ended' ? event.reason : this.#turn ? 'held' : 'completed'
    turn.stretch = undefined
    turn.lastStretch = stretch?.key
    const failed = event.type === 'turn.ended' && ['model_failed', 'hook_failed', 'interrupted'].includes(event.reason)
    const { parent: _parent, ...span } = this.#span(turn, event, {
      key: stretch?.key ?? '',
      kind: 'invoke_agent',
      name: `invoke_agent ${turn.agent}`,
      start: stretch?.start ?? event.at,
      links: stretch?.links ?? [],
      attributes: { 'holdpoint.stretch.ended': ended },
      content: { [GEN_AI.inputMessages]: turn.messages },
      ...(failed && { error: { type: ended, message: (event.type === 'turn.ended' && event.message) || ended } }),
    })
    return span
  }

  #span(
    turn: OpenTurn,
    { at, seq }: LogEvent,
    made: Pick<LogSpan, 'key' | 'kind' | 'name' | 'start' | 'attributes'> &
      Partial<Pick<LogSpan, 'content' | 'error' | 'links'>>,
  ): LogSpan {
    const parent = turn.stretch?.key
    return {
      links: [],
      content: {},
      ...made,
      turnId: turn.turnId,
      end: at,
      endSeq: seq,
      ...(parent !== undefined && { parent }),
      ...(turn.remote !== undefined && { remote: turn.remote }),
      attributes: {
        [GEN_AI.operation]: made.kind === 'wait' ? 'holdpoint.wait' : made.kind,
        [GEN_AI.conversation]: this.#id,
        [GEN_AI.agent]: turn.agent,
        'holdpoint.turn.id': turn.turnId,
        'holdpoint.seq': seq,
        ...made.attributes,
      },
    }
  }
}

function isWorking({ modelSince, calls, halted }: OpenTurn): boolean {
  if (modelSince !== undefined || (halted && calls.size === 0)) return true
  return [...calls.values()].some(({ status }) => status !== 'held')
}

function toolOf({ name }: OpenCall, callId: string): Attributes {
  return { [GEN_AI.toolName]: name, [GEN_AI.toolCallId]: callId, [GEN_AI.toolType]: 'function' }
}

function contentOf(part: ReplyPart): unknown {
  if (part.type === 'text') return { type: 'text', content: part.text }
  return part.type === 'call' ? { type: 'tool_call', id: part.callId, name: part.name, arguments: part.input } : part
}
