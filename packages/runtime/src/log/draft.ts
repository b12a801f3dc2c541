/**
 * Events that are about to be appended, and the state that they lead to. Each event is folded once. The result serves the
 * next decision, the rows beside the log, and the log after the append.
 */
import { logged } from '@holdpoint/core/internal/log/batch'
import type { NewEvent } from '@holdpoint/core/internal/log/log-event'
import type { Machine, MachineEffect, MachineState } from '@holdpoint/core/internal/log/machine'
import type { Append } from '@holdpoint/core/internal/log/store'
import { isTombstone } from '@holdpoint/core/internal/turn/erased'
import type { Call } from '@holdpoint/core/internal/turn/turn-state'
import type { Writer } from './writes.ts'

export class Draft<S extends MachineState, F extends MachineEffect> {
  readonly before: S
  /** The hash of the log at `before`. */
  readonly follows: string
  readonly at: number
  readonly #machine: Machine<S, F>
  readonly #events: NewEvent[] = []
  #after: S

  constructor(machine: Machine<S, F>, before: S, follows: string, at: number) {
    this.#machine = machine
    this.before = before
    this.follows = follows
    this.at = at
    this.#after = before
  }

  get events(): readonly NewEvent[] {
    return this.#events
  }

  get after(): S {
    return this.#after
  }

  add(events: readonly NewEvent[]): void {
    for (const event of events) {
      this.#after = this.#machine.evolve(this.#after, logged(event, this.#after.seq + 1, this.at))
      this.#events.push(event)
    }
  }

  /** `recalled` are calls of earlier turns that the events are about. */
  toAppend(
    { to, mark, node }: Pick<Append, 'to' | 'mark'> & { readonly node: string | undefined },
    writer: Writer,
    recalled: readonly Call[],
  ): Append {
    const { before, follows, after, events, at } = this
    return {
      to,
      expectedSeq: before.seq,
      follows,
      mark,
      events,
      at,
      rows: this.#machine.derive(before, after, events, recalled),
      ...(events.some(isTombstone) && { erase: true as const }),
      ...(node !== undefined && { node }),
      ...(writer.as === 'driver' && writer.epoch !== undefined && { epoch: writer.epoch }),
      ...(writer.as === 'outsider' && writer.key !== undefined && { key: writer.key }),
    }
  }
}
