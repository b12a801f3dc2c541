/**
 * One effect that a driver performs.
 *
 * | state        | next                                                                      |
 * |---|---|
 * | `performing` | `done` when it has returned events, `failed` when our code or a plugin threw |
 * | `done`       | the driver appends its events and forgets it                              |
 * | `failed`     | the driver throws the error                                               |
 *
 * A tool that fails is `done`: its failure is an outcome, which is an event.
 */
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import type { StateUpdate } from '@holdpoint/core/internal/plugin/state'
import type { MachineEffect } from '@holdpoint/core/internal/log/machine'
import { LazyAbortController } from './lazy-abort-controller.ts'

export type EffectResult = readonly (EventBody | StateUpdate)[]

type WorkState =
  | { readonly at: 'performing' }
  | { readonly at: 'done'; readonly result: EffectResult }
  | { readonly at: 'failed'; readonly error: unknown }

const PERFORMING: WorkState = { at: 'performing' }

export class EffectRun<F extends MachineEffect> {
  readonly effect: F
  readonly stop: LazyAbortController = new LazyAbortController()
  #state: WorkState = PERFORMING

  constructor(effect: F) {
    this.effect = effect
  }

  get state(): WorkState {
    return this.#state
  }

  /** `settled` is called once, when the state is no longer `performing`. Most tools return at once, so it may be called before this returns. */
  perform(effect: (stop: LazyAbortController) => EffectResult | Promise<EffectResult>, settled: () => void): void {
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
