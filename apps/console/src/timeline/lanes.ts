/**
 * A log as lanes of bars and marks, to scale: one lane for what is said, one for the model, one for each call. A bar is a
 * stretch of time between two events, a mark is an event; both know the event they come from.
 */
import { isSpaceEvent, type HoldKind, type LogEvent } from '@holdpoint/client'
import { HELD_WORDS, itemWords } from './event-words.ts'

/** `away`: it waits for a page or a worker, and not for a person. */
export type BarKind = 'turn' | 'model' | 'held' | 'away' | 'running' | 'ready'

export interface Bar {
  readonly kind: BarKind
  readonly from: number
  /** Not there while it goes on. */
  readonly to?: number
  readonly label: string
  /** The event it begins with; for a reply, the one it ends with. */
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
  /** What it is about. */
  readonly words: string
}

export interface Timeline {
  readonly from: number
  /** The newest event. */
  readonly to: number
  /** Something goes on still. */
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
  const weaver = new Weaver()
  for (const event of events) weaver.add(event)
  const lanes = weaver.lanes()
  const open = lanes.some(({ bars }) => bars.some((bar) => bar.to === undefined))
  return { from: first.at, to: last.at, open, turns: weaver.turns, lanes }
}

class Weaver {
  readonly turns: TurnSpan[] = []
  readonly #said: Draft = { id: 'turns', label: 'turns', bars: [], marks: [] }
  readonly #model: Draft = { id: 'model', label: 'model', bars: [], marks: [] }
  readonly #calls = new Map<string, Draft>()
  /** Since when the model may be at work: a turn began, or the last call of a round was settled. */
  #asked: number | undefined
  /** Calls of the newest round that are not settled. */
  readonly #unsettled = new Set<string>()

  lanes(): readonly Lane[] {
    if (this.#asked !== undefined)
      this.#model.bars.push({
        kind: 'model',
        from: this.#asked,
        label: 'is asked',
        seq: this.#said.marks.at(-1)?.seq ?? 1,
      })
    return [this.#said, this.#model, ...this.#calls.values()].filter(
      ({ bars, marks }) => bars.length + marks.length > 0,
    )
  }

  add(event: LogEvent): void {
    if (isSpaceEvent(event)) return this.#mark(this.#said, event)
    switch (event.type) {
      case 'turn.started':
        this.turns.push({ turnId: event.turnId, from: event.at, words: event.items.map(itemWords).join(' · ') })
        this.#said.bars.push({ kind: 'turn', from: event.at, label: `turn ${this.turns.length}`, seq: event.seq })
        this.#asked = event.at
        return this.#mark(this.#said, event)
      case 'model.replied':
        return this.#replied(event)
      case 'turn.ended':
        this.#endTurn(event.at)
        return this.#mark(this.#said, event, event.reason !== 'completed')
      case 'call.held':
        return this.#callBar(event, isForPeople(event.hold.kind) ? 'held' : 'away', HELD_WORDS[event.hold.kind])
      case 'call.approved':
        return this.#callBar(event, 'ready', 'approved')
      case 'call.started':
        return this.#callBar(event, 'running', event.attempt > 1 ? `runs again, attempt ${event.attempt}` : 'runs')
      case 'call.resumed':
        return this.#callBar(event, 'running', 'goes on')
      case 'call.settled':
        return this.#settled(event)
      case 'call.rewritten':
      case 'call.endorsed':
      case 'call.cleared':
      case 'answer.arrived':
        return this.#mark(this.#call(event.callId), event)
      case 'conversation.opened':
      case 'message.queued':
      case 'turn.briefed':
      case 'state.changed':
      case 'plan.set':
      case 'plan.removed':
      case 'plan.fired':
      case 'notices.told':
        return this.#mark(this.#said, event)
    }
  }

  #replied(event: Extract<LogEvent, { readonly type: 'model.replied' }>): void {
    this.#model.bars.push({
      kind: 'model',
      from: this.#asked ?? event.at,
      to: event.at,
      label: `step ${event.step}`,
      seq: event.seq,
    })
    this.#mark(this.#model, event, event.withheld === true)
    this.#asked = undefined
    const calls = event.reply.parts.filter((part) => part.type === 'call')
    for (const { callId, name } of calls) {
      this.#calls.set(callId, { id: callId, label: name, bars: [], marks: [] })
      this.#unsettled.add(callId)
    }
    // A reply without calls ends its turn by itself.
    if (calls.length === 0 && !event.again) this.#endTurn(event.at)
    else if (event.again) this.#asked = event.at
  }

  #settled(event: Extract<LogEvent, { readonly type: 'call.settled' }>): void {
    const lane = this.#call(event.callId)
    close(lane, event.at)
    this.#mark(lane, event, !event.outcome.ok)
    if (this.#unsettled.delete(event.callId) && this.#unsettled.size === 0) this.#asked = event.at
  }

  #callBar(event: Extract<LogEvent, { readonly callId: string }>, kind: BarKind, label: string): void {
    const lane = this.#call(event.callId)
    close(lane, event.at)
    lane.bars.push({ kind, from: event.at, label, seq: event.seq })
    this.#mark(lane, event)
  }

  #endTurn(at: number): void {
    close(this.#said, at)
    const turn = this.turns.at(-1)
    if (turn && turn.to === undefined) this.turns[this.turns.length - 1] = { ...turn, to: at }
    this.#asked = undefined
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
