/**
 * One run of AG-UI: the messages so far, what the turn adds, and an end. A run ends when the turn ended (RUN_FINISHED or
 * RUN_ERROR), or when it waits for a person (an interrupt) or a client tool (a call without a result).
 */
import { applyEvent, applyFrame, holdsOf, turnsOf, type View, type ViewTurn } from '@holdpoint/core'
import type { StreamItem } from '@holdpoint/runtime'
import { agUiMessagesOf } from './ag-ui-messages.ts'
import type { AgUiEvent, AgUiOutcome } from './ag-ui-event.ts'
import { interruptsOf } from './interrupts.ts'
import { StepWriter } from './step-writer.ts'

export interface RunStreamOptions {
  readonly threadId: string
  readonly runId: string
  /** The peer speaks 1.0. Earlier clients refuse fields that they do not know. */
  readonly modern: boolean
  /** The conversation when the run begins. Items after `view.seq` follow. */
  readonly view: View
  /** The run is about the turn that takes what was queued at this seq. Default: the newest turn. */
  readonly waitsAt?: number
  /** Why the run cannot begin: the messages, and then this. */
  readonly failed?: { readonly message: string; readonly code: string }
}

const FAILED: ReadonlySet<string> = new Set([
  'model_failed',
  'context_full',
  'hook_failed',
  'output_invalid',
  'interrupted',
])

export class RunStream {
  #view: View
  #over = false
  #waitsAt: number | undefined
  readonly #options: RunStreamOptions
  readonly #writer = new StepWriter()
  readonly #callIds = new Map<string, string>()

  constructor(options: RunStreamOptions) {
    this.#options = options
    this.#view = options.view
    this.#waitsAt = options.waitsAt
  }

  get over(): boolean {
    return this.#over
  }

  /** The items after this seq are for the stream. */
  get after(): number {
    return this.#view.seq
  }

  begin(): AgUiEvent[] {
    const { threadId, runId, failed } = this.#options
    const started: AgUiEvent[] = [{ type: 'RUN_STARTED', threadId, runId }, this.#snapshot()]
    if (failed) {
      this.#over = true
      return [...started, { type: 'RUN_ERROR', ...failed }]
    }
    const turn = this.#view.turns.at(-1)
    if (turn) this.#writer.know(turn)
    return [...started, ...this.#end()]
  }

  take(item: StreamItem): AgUiEvent[] {
    if (this.#over) return []
    if ('seq' in item) {
      this.#view = applyEvent(this.#view, item)
      if (item.type === 'turn.started' && (item.upTo ?? item.seq) >= (this.#waitsAt ?? 0)) this.#waitsAt = undefined
    } else {
      if (item.type === 'reply-start') this.#callIds.clear()
      if (item.type === 'call-input') this.#callIds.set(item.id, item.callId)
      this.#view = applyFrame(this.#view, item)
    }
    const turn = turnsOf(this.#view).at(-1)
    return [...(turn ? this.#write(turn) : []), ...this.#end()]
  }

  #write(turn: ViewTurn): AgUiEvent[] {
    const { events, lost } = this.#writer.write(turn, this.#callIds)
    if (!lost) return events
    // The model began again. What was shown of its reply is replaced.
    this.#writer.forget()
    const stored = this.#view.turns.at(-1)
    if (stored) this.#writer.know(stored)
    return [...events, this.#snapshot()]
  }

  #snapshot(): AgUiEvent {
    return { type: 'MESSAGES_SNAPSHOT', messages: agUiMessagesOf(this.#view) }
  }

  #end(): AgUiEvent[] {
    const { status, turns, erased } = this.#view
    const turn = turns.at(-1)
    const asked = holdsOf(this.#view).some(({ kind, async }) => kind !== 'external' && !async)
    const waits = this.#waitsAt !== undefined
    if (
      !erased &&
      !(status === 'idle' && !waits) &&
      !(status === 'held' && (asked || waits)) &&
      !(turn?.ended && !waits)
    )
      return []
    this.#over = true
    const closed = this.#writer.close()
    const { threadId, runId } = this.#options
    const ended = waits ? undefined : turn?.ended
    if (ended && FAILED.has(ended.reason))
      return [
        ...closed,
        this.#snapshot(),
        { type: 'RUN_ERROR', message: ended.message ?? ended.reason, code: ended.reason },
      ]
    const outcome = this.#outcome(ended?.reason)
    return [
      ...closed,
      {
        type: 'STATE_SNAPSHOT',
        snapshot: { status, queued: this.#view.queue.length, ...(ended && { ended: ended.reason }) },
      },
      this.#snapshot(),
      { type: 'RUN_FINISHED', threadId, runId, ...(outcome && { outcome }) },
    ]
  }

  #outcome(ended: string | undefined): AgUiOutcome | undefined {
    const interrupts = interruptsOf(this.#view)
    if (interrupts.length > 0) return { type: 'interrupt', interrupts }
    if (!this.#options.modern) return undefined
    if (ended === 'cancelled') return { type: 'cancelled' }
    const pendingToolCallIds = holdsOf(this.#view)
      .filter(({ kind }) => kind === 'client')
      .map(({ callId }) => callId)
    return pendingToolCallIds.length > 0 ? { type: 'success', pendingToolCallIds } : undefined
  }
}
