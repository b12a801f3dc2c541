/**
 * A machine says what the events of a log mean: the state that they fold to, and the work that follows. A conversation is one
 * machine, a space is another. The log, the driver and the scheduler are the same for both.
 */
import type { Json } from '../json.ts'
import type { Call } from '../turn/turn-state.ts'
import type { EventBody, LogEvent } from './log-event.ts'
import type { Derived } from './store.ts'

export interface MachineState {
  /** The seq of the last event folded. */
  readonly seq: number
}

export interface MachineEffect {
  /** Two effects with the same key are the same work. */
  readonly key: string
  /** For a deadline: the effect is not due before this time. Then any process may perform it. */
  readonly at?: number
}

export interface Machine<S extends MachineState, F extends MachineEffect> {
  readonly empty: S
  /** Whether a log whose row names this agent is one of this machine. */
  owns(agent: string): boolean
  /** Whether a log of this machine may begin with the event. */
  begins(event: LogEvent): boolean
  /** The only writer of state. Throws `history-impossible` for an event that cannot have happened. */
  evolve(state: S, event: LogEvent): S
  /** The only source of work. It reads only the state, so recovery is folding the log and calling `next` again. */
  next(state: S): readonly F[]
  /** The times at which a process has to look at the log. */
  deadlines(state: S): readonly number[]
  /** The rows beside the log. `recalled` are calls of earlier turns that the events are about. The state no longer has them. */
  derive(before: S, after: S, events: readonly EventBody[], recalled: readonly Call[]): Derived
  /** The state from a stored base: see `Derived.base`. */
  fromBase(seq: number, base: Json): S
}

/** Whether there is work that needs no person, client or service from outside. */
export function hasWork<S extends MachineState, F extends MachineEffect>(machine: Machine<S, F>, state: S): boolean {
  return machine.next(state).some(({ at }) => at === undefined)
}

/** The state of a log as a store loaded it. */
export function foldLoaded<S extends MachineState, F extends MachineEffect>(
  machine: Machine<S, F>,
  loaded: {
    readonly base: { readonly seq: number; readonly state: Json } | undefined
    readonly events: Iterable<LogEvent>
  },
): S {
  let state = loaded.base ? machine.fromBase(loaded.base.seq, loaded.base.state) : machine.empty
  for (const event of loaded.events) state = machine.evolve(state, event)
  return state
}
