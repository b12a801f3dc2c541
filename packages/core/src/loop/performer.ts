/** What a driver needs to know of a machine: which effects are only events, and how to perform the others. */
import type { EventBody } from '../log/log-event.ts'
import type { MachineEffect, MachineState } from '../log/machine.ts'
import type { Draft } from './draft.ts'
import type { Stop } from './stop.ts'
import type { WorkResult } from './work.ts'

export type Perform = (stop: Stop) => WorkResult | Promise<WorkResult>

/** The driver as a performer sees it. */
export interface Driving<F extends MachineEffect> {
  readonly oneStep: boolean
  /** The effects that are being performed. */
  readonly underWay: Iterable<F>
  mayStart(effect: F): boolean
}

export interface Performer<S extends MachineState, F extends MachineEffect> {
  /** The events that the effect amounts to, for the same append as the events that led to it; none if it takes work. */
  immediate(effect: F, draft: Draft<S, F>, driving: Driving<F>): readonly EventBody[]
  /** Whether the other effects of the state stay as they are once the effect's immediate events are in the draft. */
  leavesOthers(effect: F): boolean
  /** How to perform the effect; undefined when there is nothing to do now. */
  work(effect: F, driving: Driving<F>): Perform | undefined
  /** Whether two effects with the same key are the same work. */
  isSame(a: F, b: F): boolean
  /** Whether a driver that finishes what is under way must still start this effect. */
  runsWhileDraining(effect: F): boolean
  toEvents(result: WorkResult, before: S): readonly EventBody[]
  /** After each append of the driver. `term` is the lease term in which it was made. */
  appended(events: readonly EventBody[], term: number): void
}
