/**
 * One effect that a driver performs.
 *
 * | state        | next                                                                      |
 * |---|---|
 * | `performing` | `done` when its events are there, `failed` when our code or a plugin threw |
 * | `done`       | the driver appends its events and forgets it                              |
 * | `failed`     | the driver throws the error                                               |
 *
 * A tool that fails is `done`: its failure is an outcome, which is an event.
 */
import type { EventBody } from '../log/log-event.ts'
import type { StateUpdate } from '../plugin/state.ts'
import type { MachineEffect } from '../log/machine.ts'
import { Stop } from './stop.ts'

export type WorkResult = readonly (EventBody | StateUpdate)[]

type WorkState =
  | { readonly at: 'performing' }
  | { readonly at: 'done'; readonly result: WorkResult }
  | { readonly at: 'failed'; readonly error: unknown }

const PERFORMING: WorkState = { at: 'performing' }

export class Work<F extends MachineEffect> {
  readonly effect: F
  readonly stop: Stop = new Stop()
  #state: WorkState = PERFORMING

  constructor(effect: F) {
    this.effect = effect
  }

  get state(): WorkState {
    return this.#state
  }

  /** `settled` is called once, when the state is no longer `performing`. Most tools return at once, so it may be called before this returns. */
  perform(effect: (stop: Stop) => WorkResult | Promise<WorkResult>, settled: () => void): void {
    try {
      const result = effect(this.stop)
      if (result instanceof Promise)
        result.then(
          (value) => this.#settle({ at: 'done', result: value }, settled),
          (error: unknown) => this.#fail(error, settled),
        )
      else this.#settle({ at: 'done', result }, settled)
    } catch (error) {
      this.#fail(error, settled)
    }
  }

  #fail(error: unknown, settled: () => void): void {
    this.#settle({ at: 'failed', error: error ?? new Error('Work failed without an error.') }, settled)
  }

  #settle(state: WorkState, settled: () => void): void {
    this.#state = state
    settled()
  }
}
