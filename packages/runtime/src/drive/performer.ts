/** What a driver needs to know of a machine: which effects are only events, and how to perform the others. */
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import type { MachineEffect, MachineState } from '@holdpoint/core/internal/log/machine'
import type { Draft } from '../log/draft.ts'
import type { LazyAbortController } from './lazy-abort-controller.ts'
import type { EffectResult } from './effect-run.ts'

export type Perform = (stop: LazyAbortController) => EffectResult | Promise<EffectResult>

/** The driver as a performer sees it. */
export interface Driving<F extends MachineEffect> {
  readonly oneStep: boolean
  /** The effects that are being performed. */
  readonly underWay: Iterable<F>
  mayStart(effect: F): boolean
}

export interface Performer<S extends MachineState, F extends MachineEffect> {
  /** The events of an effect that takes no work. They are appended together with the events that led to the effect. */
  immediate(effect: F, draft: Draft<S, F>, driving: Driving<F>): readonly EventBody[]
  /** Whether the immediate events of this effect leave the other effects of the state unchanged. */
  leavesOthers(effect: F): boolean
  /** How to perform the effect; undefined when there is nothing to do now. */
  work(effect: F, driving: Driving<F>): Perform | undefined
  /** Whether two effects with the same key are the same work. */
  isSame(a: F, b: F): boolean
  /** Whether a driver that finishes what is under way must still start this effect. */
  runsWhileDraining(effect: F): boolean
  toEvents(result: EffectResult, before: S): readonly EventBody[]
  /** After each append of the driver. `term` is the lease term in which it was made. */
  appended(events: readonly EventBody[], term: number): void
}
