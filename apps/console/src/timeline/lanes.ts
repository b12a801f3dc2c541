/**
 * Makes lanes of bars and marks from a log: one lane for the turns, one for the model, one for each call. A bar is the
 * time between two events, and a mark is an event. Both have the seq of their event.
 */
import { isSpaceEvent, type HoldKind, type LogEvent } from '@holdpoint/client'
import { HELD_WORDS, itemWords } from './event-words.ts'

/** `away`: the call waits for a browser or a worker, not for a person. */
export type BarKind = 'turn' | 'model' | 'held' | 'away' | 'running' | 'ready'

export interface Bar {
  readonly kind: BarKind
  readonly from: number
  /** Missing while the bar is open. */
  readonly to?: number
  readonly label: string
  /** The event that starts the bar; for a reply, the one that ends it. */
  readonly seq: number
}

export interface Mark {
  readonly at: number
  readonly seq: number
  readonly type: LogEvent['type']
  readonly bad: boolean
}

export interface Lane {
  readonly id: string
  readonly label: string
  readonly bars: readonly Bar[]
  readonly marks: readonly Mark[]
}

export interface TurnSpan {
  readonly turnId: string
  readonly from: number
  readonly to?: number
  /** What started the turn, in words. */
  readonly words: string
}

export interface Timeline {
  readonly from: number
  /** The newest event. */
  readonly to: number
  /** Whether a bar is still open. */
  readonly open: boolean
  readonly turns: readonly TurnSpan[]
  readonly lanes: readonly Lane[]
}

interface Draft {
  readonly id: string
  readonly label: string
  bars: Bar[]
  marks: Mark[]
}

export function timelineOf(events: readonly LogEvent[]): Timeline | undefined {
  const [first] = events
  const last = events.at(-1)
  if (!first || !last) return undefined
  const builder = new LaneBuilder()
  for (const event of events) builder.add(event)
  const lanes = builder.lanes()
  const open = lanes.some(({ bars }) => bars.some((bar) => bar.to === undefined))
  return { from: first.at, to: last.at, open, turns: builder.turns, lanes }
}

class LaneBuilder {
  readonly turns: TurnSpan[] = []
  readonly #turnLane: Draft = { id: 'turns', label: 'turns', bars: [], marks: [] }
  readonly #model: Draft = { id: 'model', label: 'model', bars: [], marks: [] }
  readonly #calls = new Map<string, Draft>()
  /** When the model was called: the turn started, or the last call of a round was settled. */
  #modelCalledAt: number | undefined
  /** Calls of the newest round that are not settled. */
  readonly #unsettled = new Set<string>()

  lanes(): readonly Lane[] {
    if (this.#modelCalledAt !== undefined)
      this.#model.bars.push({
        kind: 'model',
        from: this.#modelCalledAt,
        label: 'model call',
        seq: this.#turnLane.marks.at(-1)?.seq ?? 1,
      })
    return [this.#turnLane, this.#model, ...this.#calls.values()].filter(
      ({ bars, marks }) => bars.length + marks.length > 0,
    )
  }

  add(event: LogEvent): void {
    if (isSpaceEvent(event)) return this.#mark(this.#turnLane, event)
    switch (event.type) {
      case 'turn.started':
        this.turns.push({ turnId: event.turnId, from: event.at, words: event.items.map(itemWords).join(' · ') })
        this.#turnLane.bars.push({ kind: 'turn', from: event.at, label: `turn ${this.turns.length}`, seq: event.seq })
        this.#modelCalledAt = event.at
        return this.#mark(this.#turnLane, event)
      case 'model.replied':
        return this.#replied(event)
      case 'turn.ended':
        this.#endTurn(event.at)
        return this.#mark(this.#turnLane, event, event.reason !== 'completed')
      case 'call.held':
        return this.#callBar(event, isForPeople(event.hold.kind) ? 'held' : 'away', HELD_WORDS[event.hold.kind])
      case 'call.approved':
        return this.#callBar(event, 'ready', 'approved')
      case 'call.started':
        return this.#callBar(event, 'running', event.attempt > 1 ? `runs again, attempt ${event.attempt}` : 'runs')
      case 'call.resumed':
        return this.#callBar(event, 'running', 'continues')
      case 'call.settled':
        return this.#settled(event)
      case 'call.rewritten':
      case 'call.endorsed':
      case 'call.judged':
      case 'call.cleared':
      case 'hold.reminded':
      case 'hold.escalated':
      case 'hold.assigned':
      case 'hold.commented':
      case 'answer.arrived':
        return this.#mark(this.#call(event.callId), event)
      case 'conversation.opened':
      case 'conversation.forked':
      case 'participants.changed':
      case 'conversation.restored':
      case 'conversation.erased':
      case 'message.queued':
      case 'message.changed':
      case 'state.changed':
      case 'plan.set':
      case 'plan.removed':
      case 'plan.fired':
      case 'notices.delivered':
        return this.#mark(this.#turnLane, event)
    }
  }

  #replied(event: Extract<LogEvent, { readonly type: 'model.replied' }>): void {
    this.#model.bars.push({
      kind: 'model',
      from: this.#modelCalledAt ?? event.at,
      to: event.at,
      label: `step ${event.step}`,
      seq: event.seq,
    })
    this.#mark(this.#model, event, event.withheld === true)
    this.#modelCalledAt = undefined
    const calls = event.reply.parts.filter((part) => part.type === 'call')
    for (const { callId, name } of calls) {
      this.#calls.set(callId, { id: callId, label: name, bars: [], marks: [] })
      this.#unsettled.add(callId)
    }
    // A reply without calls ends its turn by itself.
    if (calls.length === 0 && !event.again) this.#endTurn(event.at)
    else if (event.again) this.#modelCalledAt = event.at
  }

  #settled(event: Extract<LogEvent, { readonly type: 'call.settled' }>): void {
    const lane = this.#call(event.callId)
    close(lane, event.at)
    this.#mark(lane, event, !event.outcome.ok)
    if (this.#unsettled.delete(event.callId) && this.#unsettled.size === 0) this.#modelCalledAt = event.at
  }

  #callBar(event: Extract<LogEvent, { readonly callId: string }>, kind: BarKind, label: string): void {
    const lane = this.#call(event.callId)
    close(lane, event.at)
    lane.bars.push({ kind, from: event.at, label, seq: event.seq })
    this.#mark(lane, event)
  }

  #endTurn(at: number): void {
    close(this.#turnLane, at)
    const turn = this.turns.at(-1)
    if (turn && turn.to === undefined) this.turns[this.turns.length - 1] = { ...turn, to: at }
    this.#modelCalledAt = undefined
    this.#unsettled.clear()
  }

  #call(callId: string): Draft {
    const known = this.#calls.get(callId)
    if (known) return known
    const made: Draft = { id: callId, label: callId, bars: [], marks: [] }
    this.#calls.set(callId, made)
    return made
  }

  #mark(lane: Draft, { at, seq, type }: LogEvent, bad = false): void {
    lane.marks.push({ at, seq, type, bad })
  }
}

function isForPeople(kind: HoldKind): boolean {
  return kind === 'approval' || kind === 'elicitation'
}

function close(lane: Draft, at: number): void {
  lane.bars = lane.bars.map((bar) => (bar.to === undefined ? { ...bar, to: at } : bar))
}
