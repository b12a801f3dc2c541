/**
 * One turn of a conversation as the stream that `useChat` reads. It takes the events and frames of the conversation, and is over
 * when the turn ended or waits for a person or a client: front ends send answers only after the stream has ended.
 */
import { applyEvent, applyFrame, turnsOf, type LogEvent, type View, type ViewTurn } from '@holdpoint/core'
import type { StreamItem } from '@holdpoint/runtime'
import { MessageWriter, type Resumption } from './message-writer.ts'
import { messageIdOf, stepBeingWritten, turnSteps, type TurnStep } from './turn-steps.ts'
import type { UiStreamPart, UiDataPart, UiMessage, UiToolPart } from './ui-message.ts'

export interface TurnStreamOptions {
  /** The conversation when the stream begins. Items after `view.seq` follow. */
  readonly view: View
  readonly target: StreamTarget
  /** The message as the front end shows it. */
  readonly known?: Pick<UiMessage, 'parts'>
  /** Verdicts about what the front end sent. */
  readonly notices?: readonly UiDataPart[]
  /** Answers that were refused, by call: the front end shows why, and does not answer again by itself. */
  readonly refused?: ReadonlyMap<string, string>
  /** For a front end that counts the chunks: the stream is over before each step that it may not begin. */
  readonly counted?: CountedTurn
}

export interface CountedTurn {
  /** How many steps may begin in this stream. */
  readonly begins: number
  /** Undefined for the first stream of the answer. */
  readonly resumed?: Resumption | undefined
}

/** `after`: the next turn that takes what the event at this seq queued, or that starts after it. */
export type StreamTarget = { readonly turnId: string } | { readonly after: number }

export class TurnStream {
  #view: View
  #target: StreamTarget
  #writer: MessageWriter | undefined
  readonly #options: TurnStreamOptions
  readonly #callIds = new Map<string, string>()
  #over = false

  constructor(options: TurnStreamOptions) {
    this.#options = options
    this.#view = options.view
    this.#target = options.target
  }

  /** The message is complete, or waits. Nothing follows. */
  get over(): boolean {
    return this.#over
  }

  /** Undefined unless the stream is over before the end of the answer: the number of the last step in it. */
  get pausedAfter(): number | undefined {
    return this.#writer?.pausedAfter
  }

  /** What is known when the stream begins. */
  begin(): UiStreamPart[] {
    return this.#write()
  }

  take(item: StreamItem): UiStreamPart[] {
    if (this.#over) return []
    if (!('seq' in item)) {
      if (item.type === 'reply-start') this.#callIds.clear()
      if (item.type === 'call-input') this.#callIds.set(item.id, item.callId)
      const before = this.#view
      this.#view = applyFrame(before, item)
      if (this.#view === before) return []
      return item.type === 'call-progress' ? this.#write() : this.#writeNewest()
    }
    this.#view = applyEvent(this.#view, item)
    this.#seeTurn(item)
    return this.#write()
  }

  /** The turn that the stream is about has started. */
  #seeTurn(event: LogEvent): void {
    if (event.type !== 'turn.started' || !('after' in this.#target)) return
    const { after } = this.#target
    const takesIt = event.upTo === undefined ? event.seq > after : event.upTo >= after
    if (takesIt) this.#target = { turnId: event.turnId }
  }

  #write(): UiStreamPart[] {
    const turn = this.#turn()
    const steps = turn ? turnSteps(turn, this.#callIds).map((step) => this.#withRefused(step)) : []
    const begun = turn && !this.#writer ? this.#begin(turn, steps) : []
    const written = this.#writer?.write(steps) ?? []
    if (this.#pauses()) return [...begun, ...written]
    this.#over = this.#isOver(turn)
    return [...begun, ...written, ...(this.#over ? this.#finish(turn) : [])]
  }

  #writeNewest(): UiStreamPart[] {
    const turn = this.#turn()
    const step = turn && stepBeingWritten(turn, this.#callIds)
    const written = (step && this.#writer?.writeStep(step)) ?? []
    this.#pauses()
    return written
  }

  #pauses(): boolean {
    if (this.pausedAfter === undefined) return false
    this.#over = true
    return true
  }

  #turn(): ViewTurn | undefined {
    const { turnId } = { turnId: undefined, ...this.#target }
    return turnId === undefined ? undefined : turnsOf(this.#view).find((each) => each.turnId === turnId)
  }

  #begin({ turnId }: ViewTurn, steps: readonly TurnStep[]): UiStreamPart[] {
    const { known, counted } = this.#options
    this.#writer = new MessageWriter(known?.parts, steps, counted)
    const { how } = { how: undefined, ...counted?.resumed }
    if (how !== undefined) return how === 'again' ? [{ type: 'reset-step' }] : []
    // What follows a refused answer is a step of its own, which may not come after others in a counted stream.
    const marked = counted ? this.#noticed() : []
    return [{ type: 'start', messageId: messageIdOf(turnId) }, ...marked]
  }

  #isOver(turn: ViewTurn | undefined): boolean {
    const { status, seq, turns, erased } = this.#view
    if (erased || turn?.ended) return true
    const newest = turns.at(-1)
    if ('after' in this.#target && seq < this.#target.after) return false
    if (!turn && 'turnId' in this.#target) return false
    if (status === 'idle') return true
    // A turn that is not the newest can no longer change, for example one from before the page that the view has.
    if (turn && turn.turnId !== newest?.turnId) return true
    return status === 'held' && (newest?.steps.at(-1)?.calls ?? []).some(({ hold }) => hold && hold.kind !== 'external')
  }

  #finish(turn: ViewTurn | undefined): UiStreamPart[] {
    const { counted } = this.#options
    const { ended } = turn ?? {}
    const closed = [...(counted ? [] : this.#noticed()), ...this.#next(turn), ...(this.#writer?.close() ?? [])]
    if (ended && FAILED.has(ended.reason)) {
      const error = { type: 'error', errorText: ended.message ?? ended.reason } as const
      // A front end that counts chunks asks again until it has this one.
      return [...closed, error, ...(counted ? [{ type: 'finish', finishReason: 'error' } as const] : [])]
    }
    return [...closed, { type: 'finish', finishReason: ended || !turn ? 'stop' : 'tool-calls' }]
  }

  #noticed(): UiStreamPart[] {
    const { notices = [], refused } = this.#options
    const mark = notices.length > 0 && refused && refused.size > 0 ? (this.#writer?.mark() ?? []) : []
    return [...mark, ...notices]
  }

  /** `data-next`: another turn follows this one, which a front end gets when it resumes; or the message waits for this turn. */
  #next(turn: ViewTurn | undefined): UiStreamPart[] {
    const { turns, queue, erased } = this.#view
    const waits = queue.length
    if (erased || (waits === 0 && turn?.turnId === turns.at(-1)?.turnId)) return []
    return [{ type: 'data-next', data: { queued: waits }, transient: true }]
  }

  /** An answer that was refused is shown as an error: a form that is shown again at once would be answered again at once. */
  #withRefused({ step, parts }: TurnStep): TurnStep {
    const { refused } = this.#options
    if (!refused || refused.size === 0) return { step, parts }
    const shown = parts.map((part) => {
      const why = part.type.startsWith('tool-') ? refused.get((part as UiToolPart).toolCallId) : undefined
      const { input, ...tool } = part as UiToolPart
      if (why === undefined || tool.state !== 'input-available') return part
      return { ...tool, ...(input !== undefined && { input }), state: 'output-error', errorText: why } as const
    })
    return { step, parts: shown }
  }
}

/** Ends that a front end shows as an error. */
const FAILED: ReadonlySet<string> = new Set([
  'model_failed',
  'context_full',
  'hook_failed',
  'output_invalid',
  'interrupted',
])
