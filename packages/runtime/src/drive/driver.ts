/**
 * Drives one log: ask `next`, perform the effects, append their events, repeat.
 *
 * | mode       | set by                          | what the driver starts                                    |
 * |---|---|---|
 * | `all`      | `send`, `continue`, the runtime | every effect that `next` names                            |
 * | `one-step` | `step`                          | one model call and the calls it asks for                  |
 * | `draining` | `drain`                         | nothing, except calls whose start this driver has written |
 * | `stopped`  | `abandon`                       | nothing; it aborts work under way and drops its events    |
 * | `over`     | the end of `#run`               | nothing; `done` is settled                                |
 *
 * `wake('all')` turns `one-step` into `all`. Every other change of mode goes down the table.
 *
 * Invariants:
 * 1. The driver remembers nothing that matters. Kill it at any await: another driver folds the log and goes on.
 * 2. A tool runs only after its `call.started` is in the log.
 * 3. The driver drops work that `next` no longer names. It aborts its signal and never appends its events.
 * 4. Every append carries the epoch that the driver started under. A driver that lost the log is `fenced`.
 */
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import type { MachineEffect, MachineState } from '@holdpoint/core/internal/log/machine'
import { OVER } from '@holdpoint/core/internal/ports'
import type { Draft } from '../log/draft.ts'
import type { Log } from '../log/log.ts'
import type { Driving, Performer } from './performer.ts'
import { LazyAbortController } from './lazy-abort-controller.ts'
import { EffectRun } from './effect-run.ts'

export type DriveMode = 'all' | 'one-step' | 'draining'

/** The lease of this process: see `node/lease.ts`. */
export interface Tenure {
  /** False while another process may have taken over: nothing new starts until that is known. */
  mayWork(): boolean
  /** Counts the times that the lease lapsed. Work of an earlier term may have been taken over by another process. */
  term(): number
}

export class Driver<S extends MachineState, F extends MachineEffect> implements Driving<F> {
  /**
   * Resolves at rest, or when only people, clients and outside services can go on, with the seq of that state. `left`:
   * work remains that this driver must not do, because another process drives or because it was told to stop.
   */
  readonly done: Promise<number | 'left'>
  readonly #log: Log<S, F>
  readonly #performer: Performer<S, F>
  readonly #tenure: Tenure
  readonly #epoch: number | undefined
  readonly #stop = new LazyAbortController()
  readonly #work = new Map<string, EffectRun<F>>()
  #mode: DriveMode | 'stopped' | 'over'
  /** Set by `wake` while the driver passes over the log. */
  #woken = false
  #sleeping: PromiseWithResolvers<void> | undefined
  /** The state that all work was last compared with. */
  #comparedWith: S | undefined

  /** Starts at once. */
  constructor(log: Log<S, F>, performer: Performer<S, F>, tenure: Tenure, mode: DriveMode) {
    this.#log = log
    this.#performer = performer
    this.#tenure = tenure
    this.#mode = mode
    this.#epoch = log.epoch
    this.done = this.#run()
  }

  get oneStep(): boolean {
    return this.#mode === 'one-step'
  }

  get underWay(): Iterable<F> {
    return Array.from(this.#work.values(), ({ effect }) => effect)
  }

  /** Another writer appended, or work may be due. False when this driver is over: then a new one must drive. */
  wake(mode?: 'all'): boolean {
    if (this.#mode === 'over') return false
    if (mode === 'all' && this.#mode === 'one-step') this.#mode = 'all'
    this.#woken = true
    this.#sleeping?.resolve()
    return true
  }

  /** Finishes work under way and starts nothing new. Another process, or a later driver, does the rest. */
  drain(): void {
    if (this.#mode === 'stopped' || this.#mode === 'over') return
    this.#mode = 'draining'
    this.wake()
  }

  /** Stops at once. The log says what remains to be done. */
  abandon(): void {
    if (this.#mode === 'over') return
    this.#mode = 'stopped'
    this.wake()
    this.#stop.abort(OVER)
    this.#drop(() => true)
  }

  mayStart(effect: F): boolean {
    if (!this.#ready) return false
    return this.#mode !== 'draining' || this.#performer.runsWhileDraining(effect)
  }

  async #run(): Promise<number | 'left'> {
    try {
      for (;;) {
        this.#woken = false
        const result = await this.#pass()
        if (result === 'left') return result
        if (this.#woken) continue
        if (result !== 'busy') return result
        this.#sleeping = Promise.withResolvers<void>()
        await this.#sleeping.promise
        this.#sleeping = undefined
      }
    } catch (error) {
      // The caller of `abandon` knows that an append may be lost.
      if (this.#stop.aborted) return 'left'
      throw error
    } finally {
      this.abandon()
      this.#mode = 'over'
    }
  }

  /**
   * Appends the events of finished work and starts what is due. When nothing is left to wait for, it returns the seq of
   * that state: another writer may append before the caller reads the result.
   */
  async #pass(): Promise<'busy' | 'left' | number> {
    for (let batch = this.#batch(); batch.draft.events.length > 0; batch = this.#batch()) {
      if (this.#stop.aborted) return 'left'
      // After a conflict the log has read what the other writer appended, and the next batch starts from there.
      if ((await this.#write(batch.draft, batch.finished)) === 'fenced') return 'left'
    }
    if (this.#stop.aborted || this.#log.epoch !== this.#epoch) return 'left'
    const { state, machine } = this.#log
    const effects = machine.next(state)
    for (const effect of effects) this.#start(effect)
    if (this.#work.size > 0) return 'busy'
    if (this.#mode === 'draining') return 'left'
    return this.#ready || effects.every(({ at }) => at !== undefined) ? state.seq : 'busy'
  }

  /** No other process can have taken the log over, as far as this process knows. */
  get #ready(): boolean {
    return this.#tenure.mayWork() && this.#log.drivable
  }

  /** The events of finished work, and what follows from them at once, for one append. */
  #batch(): { readonly finished: readonly EffectRun<F>[]; readonly draft: Draft<S, F> } {
    this.#dropUnwanted()
    const finished: EffectRun<F>[] = []
    const draft = this.#log.draft()
    for (const work of this.#work.values()) {
      if (work.state.at === 'failed') throw work.state.error
      if (work.state.at === 'done') finished.push(work)
    }
    const results = finished.flatMap(({ state }) => (state.at === 'done' ? state.result : []))
    draft.add(this.#performer.toEvents(results, draft.before))
    this.#addFollowUps(draft)
    return { finished, draft }
  }

  async #write(draft: Draft<S, F>, finished: readonly EffectRun<F>[]): Promise<'ok' | 'conflict' | 'fenced'> {
    const term = this.#tenure.term()
    const written = await this.#log.write(draft, { as: 'driver', epoch: this.#epoch, stop: this.#stop })
    if (written !== 'ok') return written === 'fenced' ? 'fenced' : 'conflict'
    this.#performer.appended(draft.events, term)
    for (const { effect } of finished) this.#work.delete(effect.key)
    return 'ok'
  }

  #dropUnwanted(): void {
    const { state, machine } = this.#log
    // Work that was started since the last comparison follows from the same state.
    if (state === this.#comparedWith) return
    this.#comparedWith = state
    if (this.#work.size === 0) return
    const wanted = new Map(machine.next(state).map((effect) => [effect.key, effect]))
    this.#drop(({ effect }) => {
      const same = wanted.get(effect.key)
      return same === undefined || !this.#performer.isSame(same, effect)
    })
  }

  #drop(which: (work: EffectRun<F>) => boolean): void {
    for (const [key, work] of this.#work) {
      if (!which(work)) continue
      work.stop.abort()
      this.#work.delete(key)
    }
  }

  /** Adds the effects that are only events, so that they are appended together with the events they follow from. */
  #addFollowUps(draft: Draft<S, F>): void {
    for (let seen: S | undefined; seen !== draft.after;) {
      seen = draft.after
      for (const effect of this.#log.machine.next(seen)) {
        draft.add(this.#immediate(effect, draft))
        if (draft.after !== seen && !this.#performer.leavesOthers(effect)) break
      }
    }
  }

  #immediate(effect: F, draft: Draft<S, F>): readonly EventBody[] {
    return this.#performer.immediate(effect, draft, this)
  }

  #start(effect: F): void {
    if (!this.mayStart(effect) || this.#work.has(effect.key)) return
    const perform = this.#performer.work(effect, this)
    if (!perform) return
    const work = new EffectRun(effect)
    this.#work.set(effect.key, work)
    work.perform(perform, () => this.wake())
  }
}
