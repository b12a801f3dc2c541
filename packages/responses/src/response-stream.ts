/**
 * One response: what a turn adds after the request, as items and as events. It is complete when the turn ended, or waits for a
 * person or a client; the calls that wait are then its last items.
 */
import {
  applyEvent,
  applyFrame,
  holdsOf,
  partsOfStep,
  turnsOf,
  type View,
  type ViewStep,
  type ViewTurn,
} from '@holdpoint/core'
import type { StreamItem } from '@holdpoint/runtime'
import { responseId } from './response-id.ts'
import { heldItem, ranItem, type OutputText, type ResponseItem } from './response-item.ts'

export interface ResponseStreamOptions {
  readonly conversationId: string
  /** The conversation before the request: what it has is not in this response. */
  readonly before: View
  /** The conversation when the stream begins. Items after `view.seq` follow. */
  readonly view: View
  readonly now: number
}

type Event = Readonly<Record<string, unknown>> & { readonly type: string }
const FAILED: ReadonlySet<string> = new Set([
  'model_failed',
  'context_full',
  'hook_failed',
  'output_invalid',
  'interrupted',
])

/** The message that is being written. */
interface Writing {
  readonly step: number
  readonly index: number
  text: string
}

export class ResponseStream {
  #view: View
  #over = false
  #sequence = 0
  #writing: Writing | undefined
  readonly #options: ResponseStreamOptions
  /** What is in an earlier response, or in this one already. */
  readonly #known: Set<string>
  readonly #output: ResponseItem[] = []

  constructor(options: ResponseStreamOptions) {
    this.#options = options
    this.#view = options.view
    this.#known = new Set(options.before.turns.flatMap((turn) => turn.steps.flatMap((step) => keysOf(turn, step))))
  }

  get over(): boolean {
    return this.#over
  }

  /** The items after this seq are for the stream. */
  get after(): number {
    return this.#view.seq
  }

  begin(): Event[] {
    return [
      this.#event('response.created', { response: this.response() }),
      this.#event('response.in_progress', { response: this.response() }),
      ...this.#write(),
    ]
  }

  take(item: StreamItem): Event[] {
    if (this.#over) return []
    this.#view = 'seq' in item ? applyEvent(this.#view, item) : applyFrame(this.#view, item)
    return this.#write()
  }

  response(): Readonly<Record<string, unknown>> {
    const { conversationId, now } = this.#options
    const turn = this.#view.turns.at(-1)
    const { ended } = turn ?? {}
    const failed = ended && FAILED.has(ended.reason)
    const cut = ended && !failed && ended.reason !== 'completed' && ended.reason !== 'halted'
    const status = !this.#over ? 'in_progress' : failed ? 'failed' : cut ? 'incomplete' : 'completed'
    return {
      id: responseId(conversationId, turn?.turnId ?? ''),
      object: 'response',
      created_at: Math.floor(now / 1000),
      status,
      model: this.#view.agent,
      conversation: { id: conversationId },
      output: this.#output,
      error: failed ? { code: 'server_error', message: ended.message ?? ended.reason } : null,
      incomplete_details: cut ? { reason: ended.reason } : null,
      instructions: null,
      metadata: {},
      parallel_tool_calls: true,
      tool_choice: 'auto',
      tools: [],
      temperature: null,
      top_p: null,
      usage: this.#over ? usageOf(turn, this.#options.before) : null,
    }
  }

  #write(): Event[] {
    const turn = turnsOf(this.#view).at(-1)
    const events = turn ? turn.steps.flatMap((step) => this.#writeStep(turn, step)) : []
    const { status, turns, erased } = this.#view
    const asked = holdsOf(this.#view).some(({ kind, async }) => kind !== 'external' && !async)
    if (!erased && status !== 'idle' && !turns.at(-1)?.ended && !(status === 'held' && asked)) return events
    const held = holdsOf(this.#view).filter(({ kind, async }) => kind !== 'external' && !async)
    const waiting = held.flatMap((hold) => this.#whole(heldItem(this.#options.conversationId, hold)))
    const closed = this.#closeMessage()
    this.#over = true
    const response = this.response()
    const last = { completed: 'response.completed', failed: 'response.failed' }[String(response['status'])]
    return [...events, ...closed, ...waiting, this.#event(last ?? 'response.incomplete', { response })]
  }

  #writeStep(turn: ViewTurn, step: ViewStep): Event[] {
    const text = textIn(step, 'text')
    const key = textKey(turn, step)
    if (!step.reply) return text === '' || this.#known.has(key) ? [] : this.#grow(step.step, turn, text)
    const events: Event[] = []
    const thought = textIn(step, 'reasoning')
    if (thought !== '' && !this.#knows(`${key}:reasoning`))
      events.push(
        ...this.#whole({
          type: 'reasoning',
          id: `rs_${turn.turnId}_${step.step}`,
          summary: [{ type: 'summary_text', text: thought }],
        }),
      )
    if (text !== '' && !this.#known.has(key)) {
      events.push(...this.#grow(step.step, turn, text), ...this.#closeMessage())
      this.#known.add(key)
    }
    for (const call of step.calls)
      if (call.state === 'settled' && isShown(step, call.callId) && !this.#knows(`call:${call.callId}`))
        events.push(...this.#whole(ranItem(call)))
    return events
  }

  #knows(key: string): boolean {
    const known = this.#known.has(key)
    this.#known.add(key)
    return known
  }

  /** A model that begins again cannot take back what was streamed: the item has the text that is stored. */
  #grow(step: number, { turnId }: ViewTurn, text: string): Event[] {
    const id = `msg_${turnId}_${step}`
    const events: Event[] = []
    if (this.#writing?.step !== step) {
      events.push(...this.#closeMessage())
      this.#writing = { step, index: this.#output.length, text: '' }
      const item = messageItem(id, '', 'in_progress')
      this.#output.push(item)
      const at = { output_index: this.#writing.index }
      events.push(this.#event('response.output_item.added', { ...at, item: { ...item, content: [] } }))
      events.push(
        this.#event('response.content_part.added', { ...at, item_id: id, content_index: 0, part: partOf('') }),
      )
    }
    const writing = this.#writing
    const delta = text.startsWith(writing.text) ? text.slice(writing.text.length) : ''
    writing.text = text
    this.#output[writing.index] = messageItem(id, text, 'in_progress')
    if (delta !== '')
      events.push(
        this.#event('response.output_text.delta', {
          item_id: id,
          output_index: writing.index,
          content_index: 0,
          delta,
          logprobs: [],
        }),
      )
    return events
  }

  #closeMessage(): Event[] {
    const writing = this.#writing
    const item = writing && this.#output[writing.index]
    this.#writing = undefined
    if (!writing || item?.type !== 'message') return []
    const done = messageItem(item.id, writing.text, 'completed')
    this.#output[writing.index] = done
    const at = { item_id: item.id, output_index: writing.index, content_index: 0 }
    return [
      this.#event('response.output_text.done', { ...at, text: writing.text, logprobs: [] }),
      this.#event('response.content_part.done', { ...at, part: partOf(writing.text) }),
      this.#event('response.output_item.done', { output_index: writing.index, item: done }),
    ]
  }

  #whole(item: ResponseItem): Event[] {
    const closed = this.#closeMessage()
    const at = { output_index: this.#output.push(item) - 1, item }
    return [...closed, this.#event('response.output_item.added', at), this.#event('response.output_item.done', at)]
  }

  #event(type: string, fields: object): Event {
    return { type, sequence_number: this.#sequence++, ...fields }
  }
}

function textIn(step: ViewStep, type: 'text' | 'reasoning'): string {
  return partsOfStep(step).reduce((text, part) => (part.type === type ? text + part.text : text), '')
}

function isShown(step: ViewStep, callId: string): boolean {
  return partsOfStep(step).some((part) => part.type === 'call' && part.call.callId === callId)
}

function textKey({ turnId }: ViewTurn, { step }: ViewStep): string {
  return `text:${turnId}:${step}`
}

function keysOf(turn: ViewTurn, step: ViewStep): readonly string[] {
  const key = textKey(turn, step)
  return [
    key,
    `${key}:reasoning`,
    ...step.calls.flatMap(({ state, callId }) => (state === 'settled' ? [`call:${callId}`] : [])),
  ]
}

function partOf(text: string): OutputText {
  return { type: 'output_text', text, annotations: [] }
}

function messageItem(id: string, text: string, status: 'in_progress' | 'completed'): ResponseItem {
  return { type: 'message', id, role: 'assistant', status, content: [partOf(text)] }
}

/** Of the model calls of this response. */
function usageOf(turn: ViewTurn | undefined, before: View): object {
  const known = before.turns.find(({ turnId }) => turnId === turn?.turnId)?.steps.length ?? 0
  const used = (turn?.steps ?? []).slice(known).flatMap(({ reply }) => (reply ? [reply.usage] : []))
  const sum = (of: (each: (typeof used)[number]) => number): number => used.reduce((total, each) => total + of(each), 0)
  const input = sum(({ inputTokens }) => inputTokens)
  const output = sum(({ outputTokens }) => outputTokens)
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: sum(({ cachedTokens = 0 }) => cachedTokens) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: sum(({ reasoningTokens = 0 }) => reasoningTokens) },
    total_tokens: input + output,
  }
}
