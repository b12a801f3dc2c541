/**
 * What is to be written next, and the state that it leads to. Whoever decides what follows from an event needs that
 * state, so does whoever derives the rows, and so does the log once it is written: here each event is folded once for all.
 */
import type { EventBody } from '../log/log-event.ts'
import { evolve } from '../turn/turn.ts'
import type { Conversation } from '../turn/turn-state.ts'

export class Draft {
  readonly before: Conversation
  readonly at: number
  readonly #events: EventBody[] = []
  #after: Conversation

  constructor(before: Conversation, at: number) {
    this.before = before
    this.at = at
    this.#after = before
  }

  get events(): readonly EventBody[] {
    return this.#events
  }

  get after(): Conversation {
    return this.#after
  }

  add(events: readonly EventBody[]): void {
    for (const event of events) {
      this.#after = evolve(this.#after, { ...event, seq: this.#after.seq + 1, at: this.at })
      this.#events.push(event)
    }
  }
}
