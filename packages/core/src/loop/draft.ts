/**
 * What is to be written next, and the state that it leads to. Whoever decides what follows from an event needs that
 * state, so does whoever derives the rows, and so does the log once it is written: here each event is folded once for all.
 */
import type { EventBody, LogEvent } from '../log/log-event.ts'
import type { Append } from '../log/store.ts'
import { derive } from '../turn/derive.ts'
import { evolve } from '../turn/turn.ts'
import type { Call, Conversation } from '../turn/turn-state.ts'
import type { Writer } from './writes.ts'

export class Draft {
  readonly before: Conversation
  readonly at: number
  readonly #events: EventBody[] = []
  readonly #numbered: LogEvent[] = []
  #after: Conversation

  constructor(before: Conversation, at: number) {
    this.before = before
    this.at = at
    this.#after = before
  }

  get events(): readonly EventBody[] {
    return this.#events
  }

  /** As they will stand in the log, if nobody writes before. */
  get numbered(): readonly LogEvent[] {
    return this.#numbered
  }

  get after(): Conversation {
    return this.#after
  }

  add(events: readonly EventBody[]): void {
    for (const event of events) {
      const numbered: LogEvent = { ...event, seq: this.#after.seq + 1, at: this.at }
      this.#after = evolve(this.#after, numbered)
      this.#events.push(event)
      this.#numbered.push(numbered)
    }
  }

  /** `recalled` are calls of earlier turns that the events are about. */
  toAppend(
    { to, mark, node }: Pick<Append, 'to' | 'mark'> & { readonly node: string | undefined },
    writer: Writer,
    recalled: readonly Call[],
  ): Append {
    const { before, after, events, at } = this
    return {
      to,
      expectedSeq: before.seq,
      mark,
      events,
      at,
      rows: derive(before, after, events, recalled),
      ...(node !== undefined && { node }),
      ...(writer.as === 'driver' && writer.epoch !== undefined && { epoch: writer.epoch }),
      ...(writer.as === 'outsider' && writer.key !== undefined && { key: writer.key }),
    }
  }
}
